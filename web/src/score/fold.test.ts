import { expect, test } from 'vitest';

import type { RunEvent } from '../contract';
import { fold } from './fold';
import { answerOf, emptyRun, standIn } from './run';

const begun: RunEvent[] = [
  { type: 'run_started', at_s: 0, run_id: 'r', question: 'q', pool: 'p', workers: ['a', 'b'], at: 9, rounds: 2 },
  { type: 'round_started', at_s: 0, round: 0, parent: null },
  {
    type: 'planned',
    at_s: 1,
    round: 0,
    workflow: { steps: [{ worker: 1, subtask: 'x', access: [] }, { worker: 0, subtask: 'y', access: [0] }] },
    source: 'conductor',
    name: '',
  },
  { type: 'step_started', at_s: 1, round: 0, step: 0, worker: 'b', messages: [] },
];

const said = (text: string): RunEvent => ({ type: 'step_text', at_s: 2, round: 0, step: 0, text });

const finished = (more: object): RunEvent =>
  ({
    type: 'step_finished', at_s: 3, round: 0, step: 0, answer: 'whole', error: null, model: 'm', usage: null,
    cost_usd: '0.5', finish_reason: 'stop', calls: 1, answered_by: 'b', notes: [], messages: null, ...more,
  }) as RunEvent;

test('the pieces of a text add up, and the score shows their end', () => {
  const run = fold(emptyRun(), [...begun, said('a'.repeat(1200)), said('b')]);

  expect(run.rounds[0]!.steps[0]!.text.length).toBe(1201);
  expect(run.rounds[0]!.steps[0]!.tail).toBe(`${'a'.repeat(1199)}b`);
});

test('what a try had said before it failed is void, but for what is kept', () => {
  const retried: RunEvent = {
    type: 'step_retried', at_s: 2, round: 0, step: 0, attempt: 0, worker: 'b', error: 'cut', kind: 'truncated',
    wait_s: 1, usage: { prompt_tokens: 3, completion_tokens: 4 }, cost_usd: null, kept_chars: 2, calls: 1,
  };
  const run = fold(emptyRun(), [...begun, said('abcd'), retried, said('X')]);

  expect(run.rounds[0]!.steps[0]!.text).toBe('abX');
  expect(run.spent).toEqual({ calls: 1, prompt: 3, completion: 4, usd: 0, unknown: 1 });
});

test('a step that nothing happened to stays the same value', () => {
  const before = fold(emptyRun(), begun);
  const after = fold(before, [said('more')]);

  expect(after.rounds[0]!.steps[1]).toBe(before.rounds[0]!.steps[1]);
  expect(after.rounds[0]!.steps[0]).not.toBe(before.rounds[0]!.steps[0]);
});

test('a step is answered by another only where somebody else says so', () => {
  const by = (name: string) => fold(emptyRun(), [...begun, finished({ answered_by: name })]);

  expect(standIn(by('b'), by('b').rounds[0]!.steps[0]!)).toBeNull();
  expect(standIn(by('a'), by('a').rounds[0]!.steps[0]!)).toBe('a');
});

test('a run that is stopped cuts off what is running and keeps the best answer so far', () => {
  const stop: RunEvent = { type: 'run_finished', at_s: 5, status: 'stopped', seconds: 5, reason: 'interrupted', detail: '' };
  const second: RunEvent = { type: 'step_started', at_s: 3, round: 0, step: 1, worker: 'a', messages: [] };
  const run = fold(emptyRun(), [...begun, finished({}), second, stop]);

  expect(run.rounds[0]!.steps.map((step) => step.state)).toEqual(['done', 'stopped']);
  expect(answerOf(run)).toBe('whole');
});

test('a round that the Conductor carries out for a step is not the answer, and its step costs nothing', () => {
  const inner: RunEvent = { type: 'round_started', at_s: 1, round: 1, parent: [0, 0] };
  const done: RunEvent = { type: 'round_finished', at_s: 2, round: 1, answer: 'inner' };
  const run = fold(emptyRun(), [...begun, inner, done, finished({ answer: 'outer' })]);

  expect(answerOf(run)).toBe('outer');
  expect(run.spent.calls).toBe(0);
});
