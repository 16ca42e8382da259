// A run as far as it has happened, as a value. Events are folded into it by `fold.ts`.

import type { Message, Money, RunSummary, Status, Workflow } from '../contract';

/** What a step shows of its text; the whole is in its panel. */
export const TAIL_CHARS = 1_200;

export interface Proposal {
  text: string;
  model: string;
  cost: Money;
  seconds: number;
  error: string | null;
}

export interface Retry {
  worker: string;
  error: string;
  wait_s: number;
  /** When the next try begins, in seconds of the run. */
  until_s: number;
}

/** `stopped`: the run ended while it was running. */
export type StepState = 'waiting' | 'running' | 'done' | 'failed' | 'stopped';

export interface StepRun {
  index: number;
  state: StepState;
  /** Index into the run's workers, or -1 where the plan is unknown. */
  worker: number;
  subtask: string;
  access: number[];
  /** All text so far, and its end. */
  text: string;
  tail: string;
  messages: Message[];
  startedAt: number | null;
  finishedAt: number | null;
  retries: Retry[];
  model: string;
  answeredBy: string;
  notes: string[];
  error: string | null;
  /** `length`: the answer was cut off at its token limit. */
  finishReason: string | null;
  isCached: boolean;
  spent: Spent;
}

export interface Check {
  worker: string;
  text: string;
  agrees: boolean | null;
  error: string | null;
}

export interface RoundRun {
  index: number;
  parent: [number, number] | null;
  /** What the Conductor is writing now; empty once it is whole. */
  writing: string;
  isWriting: boolean;
  proposals: Proposal[];
  workflow: Workflow | null;
  /** Whether the workflow is read from a text that is still written. */
  isDraft: boolean;
  source: string | null;
  name: string;
  steps: StepRun[];
  answer: string | null;
  unanswered: { reason: string; detail: string } | null;
  checks: Check[];
}

export interface Spent {
  calls: number;
  prompt: number;
  completion: number;
  usd: number;
  /** Calls whose tokens or price nobody knows. */
  unknown: number;
}

export interface Run {
  id: string;
  question: string;
  pool: string;
  workers: string[];
  startedAt: number;
  rounds: RoundRun[];
  spent: Spent;
  status: Status | 'running';
  reason: string | null;
  detail: string;
  /** The run's length, once it is over. */
  seconds: number | null;
  /** The time of the last event, in seconds of the run. */
  at: number;
  /** Whether the server has left out texts of a log that became too long. */
  isCut: boolean;
  summary: RunSummary | null;
}

export const NOTHING: Spent = { calls: 0, prompt: 0, completion: 0, usd: 0, unknown: 0 };

export function emptyRun(): Run {
  return {
    id: '',
    question: '',
    pool: '',
    workers: [],
    startedAt: 0,
    rounds: [],
    spent: NOTHING,
    status: 'running',
    reason: null,
    detail: '',
    seconds: null,
    at: 0,
    isCut: false,
    summary: null,
  };
}

/** The best answer so far: of the last round with one, else of the last finished step. */
export function answerOf(run: Run): string | null {
  const own = run.rounds.filter((round) => round.parent === null).reverse();
  const answered = own.find((round) => round.answer !== null);
  if (answered) return answered.answer;
  for (const round of own) {
    const done = round.steps.filter((step) => step.state === 'done');
    if (done.length > 0) return done[done.length - 1]!.text;
  }
  return null;
}

/** Who answered in place of the worker that was meant; null: nobody else did. */
export function standIn(run: Run, step: StepRun): string | null {
  const meant = run.workers[step.worker];
  return step.answeredBy !== '' && step.answeredBy !== meant ? step.answeredBy : null;
}
