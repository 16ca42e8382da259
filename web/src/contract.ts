// What the server says and hears under /page, as types. Money is text, exact, or null: unknown.
// Times are seconds since the epoch, durations are seconds.

import type { Line } from './views/training/metrics';

export type Money = string | null;

export interface Usage {
  prompt_tokens: number;
  completion_tokens: number;
  cached_tokens?: number;
  reasoning_tokens?: number;
}

export interface Price {
  input_usd: string;
  output_usd: string;
}

export interface AboutWorker {
  name: string;
  kind: string;
  model: string;
  card: string;
  roles: string[];
  place: 'local' | 'open' | 'provider' | null;
  price: Price | null;
}

export interface AboutSystem {
  id: string;
  name: string;
  about: string;
}

export interface About {
  version: string;
  model: string;
  pool: { name: string; about: string };
  conductor: string | null;
  workflow: string | null;
  workers: AboutWorker[];
  systems: AboutSystem[];
  default_system: string;
  efforts: string[];
  default_effort: string;
  most_rounds: number;
  limits: Record<'calls' | 'tokens' | 'timeout_s', number | null> & { usd: Money };
  needs_key: boolean;
  keeps_runs: boolean;
  sees_runs: boolean;
}

export interface Asking {
  question: string;
  system?: string;
  effort?: string;
  exclude?: string[];
  max_usd?: string;
  max_calls?: number;
  timeout_s?: number;
  rounds?: number;
}

export interface Message {
  role: 'system' | 'user' | 'assistant' | 'tool';
  text: string;
}

export interface PlannedStep {
  subtask: string;
  worker: number;
  access: number[];
  before?: boolean;
}

export interface Workflow {
  steps: PlannedStep[];
}

export type Status = 'answered' | 'stopped' | 'failed';

export interface RunSummary {
  id: string;
  started_at: number;
  seconds: number;
  /** `unfinished`: nobody plays it any more, and it has not come to its end. */
  status: Status | 'running' | 'unfinished';
  reason: string | null;
  question: string;
  answer: string | null;
  pool: string;
  source: string | null;
  workflow: string | null;
  calls: number;
  prompt_tokens: number;
  completion_tokens: number;
  cost_usd: Money;
  task: string | null;
  label: string | null;
  verdict: string | null;
}

interface At {
  at_s: number;
}

/** What one call came to. */
interface Spent {
  model: string;
  usage: Usage | null;
  cost_usd: Money;
  error: string | null;
  cached?: boolean;
  fault?: string | null;
}

export type RunEvent =
  | (At & {
      type: 'run_started';
      run_id: string;
      question: string;
      pool: string;
      workers: string[];
      at: number;
      rounds: number;
    })
  | (At & { type: 'round_started'; round: number; parent: [number, number] | null })
  | (At & { type: 'proposal_text'; round: number; text: string })
  | (At & Spent & { type: 'proposed'; round: number; text: string; seconds: number })
  | (At & {
      type: 'planned';
      round: number;
      workflow: Workflow;
      source: 'conductor' | 'retry' | 'fallback' | 'fixed';
      name: string;
    })
  | (At & {
      type: 'step_started';
      round: number;
      step: number;
      worker: string;
      messages: Message[];
    })
  | (At & { type: 'step_text'; round: number; step: number; text: string })
  | (At & {
      type: 'step_retried';
      round: number;
      step: number;
      attempt: number;
      worker: string;
      error: string;
      kind: string;
      wait_s: number;
      usage: Usage | null;
      cost_usd: Money;
      kept_chars: number;
      calls: number;
    })
  | (At &
      Spent & {
        type: 'step_finished';
        round: number;
        step: number;
        answer: string | null;
        finish_reason: string | null;
        calls: number;
        answered_by: string;
        notes: string[];
        messages: Message[] | null;
      })
  | (At & { type: 'round_finished'; round: number; answer: string })
  | (At & { type: 'round_unanswered'; round: number; reason: string; detail: string })
  | (At &
      Spent & {
        type: 'answer_checked';
        round: number;
        worker: string;
        text: string;
        agrees: boolean | null;
        seconds: number;
      })
  | (At & {
      type: 'run_finished';
      status: Status;
      seconds: number;
      reason: string | null;
      detail: string;
    })
  | (At & { type: 'cut' })
  | (At & { type: 'ended'; run: RunSummary });

/** An event with its number in its stream, from 1. */
export interface Numbered {
  seq: number;
  event: RunEvent;
}

export interface RunsPage {
  runs: RunSummary[];
  next: string | null;
  total: number;
}

export interface RunFilter {
  text?: string;
  worker?: string;
  status?: string;
  task?: string;
  verdict?: string;
  min_usd?: string;
  max_usd?: string;
  since?: string;
  until?: string;
  limit?: number;
  before?: string;
}

export interface WholeRun {
  run: RunSummary;
  /** The trace as Partbook writes it; shown and copied as JSON. */
  trace: unknown;
  events: RunEvent[];
}

export type SpendBy = 'day' | 'worker' | 'model' | 'key' | 'task';

export interface SpendRow {
  /** null: without a name, or the sum of all. */
  what: string | null;
  /** null: a key's account counts money alone. */
  calls: number | null;
  prompt_tokens: number | null;
  completion_tokens: number | null;
  cost_usd: Money;
  /** The part of the cost that is known. */
  known_usd?: Money;
  unknown_calls: number;
}

export interface Spend {
  by: SpendBy;
  rows: SpendRow[];
  total: SpendRow;
  limits: { key: string; per: 'day' | 'month'; usd: string; spent_usd: string; left_usd: string }[];
}

export interface Savings {
  available: boolean;
  why: string | null;
  runs?: number;
  /** Runs without an answer or of unknown cost. */
  left_out?: number;
  calls?: number;
  spent_usd?: Money;
  one_call_usd?: Money;
  difference_usd?: Money;
  formulas?: Record<string, string>;
}

export interface ReportSummary {
  id: string;
  name: string;
  about: string;
  at: number | null;
  systems: number | string[];
  problems: number | null;
}

/** report.json as `partbook evaluate` writes it. */
export type { Report } from './views/reports/report';

export interface TrainingSummary {
  id: string;
  name: string;
  preset: string | null;
  about?: string | null;
  steps: number;
  planned_steps: number | null;
  at: number | null;
  is_running: boolean;
}

export interface Sample {
  /** Its run in the store. */
  run?: string;
  step: number | null;
  question: string;
  /** What the policy wrote; null: nothing came. */
  text: string | null;
  answer?: string | null;
  reward: number | null;
  valid?: boolean | null;
}

export interface Training {
  training?: TrainingSummary;
  resolved: Record<string, unknown>;
  metrics: Line[];
  samples: Sample[];
}
