import { expect, test } from 'vitest';

import { layout, wavesOf } from './layout';

const workflow = (...steps: [worker: number, access: number[]][]) => ({
  steps: steps.map(([worker, access]) => ({ worker, subtask: 's', access })),
});

test('a step stands in the wave after the last step that it reads', () => {
  expect(wavesOf(workflow([0, []], [1, []], [0, [0, 1]], [2, [0]], [1, [2, 3]]))).toEqual([0, 0, 1, 1, 2]);
});

test('each worker has one row, in the order of the pool, and no two steps overlap', () => {
  const placed = layout(workflow([3, []], [1, []], [3, []], [1, [0, 1, 2]]), 1000, 100);

  expect(placed.rows.map((row) => row.worker)).toEqual([1, 3]);
  const [a, , c] = placed.places;
  expect(a!.x).toBe(c!.x);
  expect(c!.y - a!.y).toBeGreaterThanOrEqual(placed.stepHeight);
});

test('a score that is wider than its room keeps steps that can be read', () => {
  const placed = layout(workflow([0, []], [0, [0]], [0, [1]], [0, [2]], [0, [3]]), 360, 0);

  expect(placed.stepWidth).toBe(248);
  expect(placed.width).toBeGreaterThan(360);
});

test('a line over a wave runs beside the steps, a line to the next wave goes straight', () => {
  const placed = layout(workflow([0, []], [1, [0]], [0, [0, 1]]), 1000, 0);

  expect(placed.reads.map((read) => read.past !== null)).toEqual([false, true, false]);
});
