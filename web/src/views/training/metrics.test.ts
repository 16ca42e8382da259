import { expect, test } from 'vitest';

import {
  GROUPS,
  askedAfter,
  curvesOf,
  joined,
  lastStep,
  otherPanels,
  secondsLeft,
} from './metrics';
import type { Line } from './metrics';

const LINES: Line[] = [
  { kind: 'greedy', step: 0, accuracy: 0.4, steps: 2 },
  { kind: 'step', step: 1, seconds: 10, accuracy: 0.3, reward: 0.6, odd: 7, low: 1 },
  { kind: 'step', step: 2, seconds: 14, accuracy: null, reward: 0.7 },
];

test('a chart has the curves of updates and of examinations, without missing values', () => {
  const right = GROUPS[0]!.panels.find((panel) => panel.id === 'right')!;

  expect(curvesOf(LINES, right)).toEqual([
    { key: 'accuracy', kind: 'step', points: [[1, 0.3]] },
    { key: 'accuracy', kind: 'greedy', points: [[0, 0.4]] },
  ]);
});

test('a number that no chart names gets its own', () => {
  expect(otherPanels(LINES)).toEqual([{ id: 'odd', steps: ['odd'], form: 'small' }]);
});

test('a line that came again replaces the one before, and the order is that of steps', () => {
  const news: Line[] = [
    { kind: 'sampled', step: 2, accuracy: 0.5 },
    { kind: 'greedy', step: 2, accuracy: 0.6 },
    { kind: 'step', step: 2, reward: 0.9 },
  ];
  const all = joined(LINES, news);

  expect(all.map((line) => `${line.kind} ${line.step}`)).toEqual([
    'greedy 0',
    'step 1',
    'step 2',
    'greedy 2',
    'sampled 2',
  ]);
  expect(all[2]!['reward']).toBe(0.9);
});

test('the last step is asked for again, because its examination follows it', () => {
  expect(askedAfter(LINES)).toBe(1);
  expect(askedAfter([])).toBe(-2);
  expect(lastStep(LINES)).toBe(2);
});

test('the time that is left follows the pace of the last steps', () => {
  expect(secondsLeft(LINES, 10)).toBe(32);
  expect(secondsLeft(LINES.slice(0, 2), 10)).toBeNull();
});
