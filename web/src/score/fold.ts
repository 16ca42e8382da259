// Events folded into a run. What has not changed keeps its identity, so that only what changed is
// drawn anew.

import type { RunEvent, Workflow } from '../contract';
import { draftOf } from './draft';
import { emptyRun, NOTHING, TAIL_CHARS, type RoundRun, type Run, type Spent, type StepRun } from './run';

/** The run after these events. */
export function fold(run: Run, events: readonly RunEvent[]): Run {
  return events.reduce(after, run);
}

function after(run: Run, event: RunEvent): Run {
  const at = Math.max(run.at, event.at_s);
  switch (event.type) {
    case 'run_started':
      return {
        ...emptyRun(),
        id: event.run_id,
        question: event.question,
        pool: event.pool,
        workers: event.workers,
        startedAt: event.at,
      };
    case 'run_finished':
      return {
        ...run,
        rounds: run.rounds.map((round) => ended(round)),
        at,
        status: event.status,
        reason: event.reason,
        detail: event.detail,
        seconds: event.seconds,
      };
    case 'ended':
      return { ...run, at, summary: event.run };
    case 'cut':
      return { ...run, at, isCut: true };
    case 'round_started':
      return { ...run, at, rounds: [...run.rounds, newRound(event.round, event.parent)] };
    default: {
      const before = run.rounds.find((round) => round.index === event.round);
      if (before === undefined) return { ...run, at };
      const round = roundAfter(before, event, run.workers.length);
      const rounds = run.rounds.map((one) => (one === before ? round : one));
      const isInner = event.type === 'step_finished' && isCarriedOut(run, event.round, event.step);
      return { ...run, at, rounds, spent: isInner ? run.spent : plus(run.spent, spentBy(event)) };
    }
  }
}

type RoundEvent = Extract<RunEvent, { round: number }>;

function newRound(index: number, parent: [number, number] | null): RoundRun {
  return {
    index,
    parent,
    writing: '',
    isWriting: true,
    proposals: [],
    workflow: null,
    isDraft: false,
    source: null,
    name: '',
    steps: [],
    answer: null,
    unanswered: null,
    checks: [],
  };
}

function roundAfter(round: RoundRun, event: RoundEvent, workers: number): RoundRun {
  switch (event.type) {
    case 'proposal_text':
      return drafted({ ...round, writing: round.writing + event.text, isWriting: true }, workers);
    case 'proposed': {
      const { text, model, cost_usd, seconds, error } = event;
      const proposal = { text, model, cost: cost_usd, seconds, error };
      const proposals = [...round.proposals, proposal];
      if (error !== null) return { ...undrafted(round), writing: '', proposals };
      // Until the server says what the plan is, the text stands there as if it was still written.
      return drafted({ ...round, writing: text, proposals }, workers);
    }
    case 'planned': {
      const { workflow, source, name } = event;
      const steps = workflow.steps.map((step, i) => newStep(i, step));
      return { ...round, isWriting: false, writing: '', workflow, isDraft: false, source, name, steps };
    }
    case 'round_finished':
      return { ...round, isWriting: false, answer: event.answer };
    case 'round_unanswered': {
      const { reason, detail } = event;
      return { ...undrafted(round), isWriting: false, writing: '', unanswered: { reason, detail } };
    }
    case 'answer_checked': {
      const { worker, text, agrees, error } = event;
      return { ...round, checks: [...round.checks, { worker, text, agrees, error }] };
    }
    case 'round_started':
      return round;
    default:
      return {
        ...round,
        steps: round.steps.map((step) => (step.index === event.step ? stepAfter(step, event) : step)),
      };
  }
}

/** A round with what can be seen of its plan while it is written. */
function drafted(round: RoundRun, workers: number): RoundRun {
  const draft = draftOf(round.writing, workers);
  if (draft === null) return undrafted(round);
  // Only what has changed is another value, so that the rest is not drawn anew.
  const steps = draft.steps.map((step, i) => {
    const before = round.steps[i];
    return before !== undefined && isSame(before, step) ? before : newStep(i, step);
  });
  return { ...round, workflow: draft, isDraft: true, steps };
}

function undrafted(round: RoundRun): RoundRun {
  return round.isDraft ? { ...round, workflow: null, isDraft: false, steps: [] } : round;
}

function isSame(step: StepRun, planned: Workflow['steps'][number]): boolean {
  return (
    step.subtask === planned.subtask &&
    step.worker === planned.worker &&
    step.access.join() === planned.access.join()
  );
}

/** A round once its run is over. */
function ended(round: RoundRun): RoundRun {
  if (!round.isWriting && !round.steps.some((step) => step.state === 'running')) return round;
  const steps = round.steps.map(
    (step): StepRun => (step.state === 'running' ? { ...step, state: 'stopped' } : step),
  );
  return undrafted({ ...round, steps, isWriting: false, writing: '' });
}

function newStep(index: number, planned: Partial<Workflow['steps'][number]>): StepRun {
  return {
    index,
    state: 'waiting',
    worker: planned.worker ?? -1,
    subtask: planned.subtask ?? '',
    access: planned.access ?? [],
    text: '',
    tail: '',
    messages: [],
    startedAt: null,
    finishedAt: null,
    retries: [],
    model: '',
    answeredBy: '',
    notes: [],
    error: null,
    finishReason: null,
    isCached: false,
    spent: NOTHING,
  };
}

type StepEvent = Extract<RunEvent, { step: number }>;

function stepAfter(step: StepRun, event: StepEvent): StepRun {
  const spent = plus(step.spent, spentBy(event));
  switch (event.type) {
    case 'step_started':
      return { ...step, state: 'running', messages: event.messages, startedAt: event.at_s };
    case 'step_text':
      // The tail is kept beside the text: cutting it from the whole would copy the whole.
      return {
        ...step,
        text: step.text + event.text,
        tail: (step.tail + event.text).slice(-TAIL_CHARS),
      };
    case 'step_retried': {
      const { worker, error, wait_s } = event;
      const retry = { worker, error, wait_s, until_s: event.at_s + wait_s };
      return { ...step, ...told(step.text.slice(0, event.kept_chars)), spent,
        retries: [...step.retries, retry] };
    }
    case 'step_finished':
      return {
        ...step,
        ...told(event.answer ?? step.text),
        state: event.error === null && event.answer !== null ? 'done' : 'failed',
        finishedAt: event.at_s,
        messages: event.messages ?? step.messages,
        model: event.model,
        answeredBy: event.answered_by,
        notes: event.notes,
        error: event.error,
        finishReason: event.finish_reason,
        isCached: event.cached ?? false,
        spent,
      };
  }
}

function told(text: string): { text: string; tail: string } {
  return { text, tail: text.slice(-TAIL_CHARS) };
}

/** Whether a round of its own carries out a step: the calls are that round's. */
function isCarriedOut(run: Run, round: number, step: number): boolean {
  return run.rounds.some((one) => one.parent?.[0] === round && one.parent[1] === step);
}

/** What an event adds to the bill. */
function spentBy(event: RunEvent): Spent {
  const isCall =
    event.type === 'proposed' ||
    event.type === 'answer_checked' ||
    event.type === 'step_retried' ||
    event.type === 'step_finished';
  if (!isCall) return NOTHING;
  const isUncalled = 'cached' in event && (event.cached || event.fault === 'unavailable');
  const calls = 'calls' in event ? event.calls : isUncalled ? 0 : 1;
  const isKnown = event.cost_usd !== null;
  return {
    calls,
    prompt: event.usage?.prompt_tokens ?? 0,
    completion: event.usage?.completion_tokens ?? 0,
    usd: isKnown ? Number(event.cost_usd) : 0,
    unknown: isKnown || calls === 0 ? 0 : 1,
  };
}

function plus(a: Spent, b: Spent): Spent {
  if (b === NOTHING) return a;
  return {
    calls: a.calls + b.calls,
    prompt: a.prompt + b.prompt,
    completion: a.completion + b.completion,
    usd: a.usd + b.usd,
    unknown: a.unknown + b.unknown,
  };
}
