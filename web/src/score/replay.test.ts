import { expect, test } from 'vitest';

import type { RunEvent } from '../contract';
import { spread } from './replay';

test('a text that was kept whole is written over the time that its step took', () => {
  const events: RunEvent[] = [
    { type: 'step_started', at_s: 1, round: 0, step: 0, worker: 'a', messages: [] },
    { type: 'step_text', at_s: 5, round: 0, step: 0, text: 'x'.repeat(96) },
  ];
  const [, ...pieces] = spread(events) as (RunEvent & { text: string })[];

  expect(pieces.map((piece) => piece.at_s)).toEqual([2, 3, 4, 5]);
  expect(pieces.map((piece) => piece.text).join('')).toBe('x'.repeat(96));
});

test('texts of steps that ran at once are written at once', () => {
  const start = (step: number): RunEvent => ({ type: 'step_started', at_s: 0, round: 0, step, worker: 'a', messages: [] });
  const text = (step: number): RunEvent => ({ type: 'step_text', at_s: 2, round: 0, step, text: 'y'.repeat(48) });
  const order = spread([start(0), start(1), text(0), text(1)]).map((event) => 'step' in event && event.step);

  expect(order).toEqual([0, 1, 0, 1, 0, 1]);
});

test('what the Conductor wrote is seen to be written, once', () => {
  const proposed = {
    type: 'proposed', at_s: 4, round: 0, text: 'z'.repeat(48), model: 'm', usage: null, cost_usd: null,
    error: null, seconds: 2,
  } as RunEvent;
  const order = spread([{ type: 'round_started', at_s: 2, round: 0, parent: null }, proposed]);

  expect(order.map((event) => [event.type, event.at_s])).toEqual([
    ['round_started', 2],
    ['proposal_text', 3],
    ['proposal_text', 4],
    ['proposed', 4],
  ]);
});
