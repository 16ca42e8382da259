import { expect, test } from 'vitest';

import { placed, short, width } from './labels';
import { behindOf, costRange, frontierOf, partsOf, pathOf, pointAt, staircase } from './shapes';
import type { Spot } from './shapes';

const spot = (name: string, cost: number, right: number): Spot => ({
  name,
  cost,
  right,
  interval: [right, right],
  kind: 'other',
});

test('the frontier leaves out whatever costs more and is no better', () => {
  const spots = [
    spot('dear', 9, 0.5),
    spot('free', 0, 0.2),
    spot('good', 3, 0.5),
    spot('bad', 2, 0.1),
  ];

  expect(frontierOf(spots).map((one) => one.name)).toEqual(['free', 'good']);
});

test('of two that cost the same, only the better one is on the frontier', () => {
  expect(frontierOf([spot('a', 1, 0.3), spot('b', 1, 0.4)]).map((one) => one.name)).toEqual(['b']);
});

test('the frontier is drawn as a staircase to the edge', () => {
  expect(
    staircase(
      [
        [10, 90],
        [40, 20],
      ],
      100,
    ),
  ).toBe('M10.0,90.0H40.0V20.0H100.0');
});

test('the axis of costs has room on both sides and leaves out what is free', () => {
  const [low, high] = costRange([spot('free', 0, 0.1), spot('a', 10, 0.2), spot('b', 1000, 0.3)]);

  expect(low).toBeCloseTo(10 / 10 ** 0.16);
  expect(high).toBeCloseTo(1000 * 10 ** 0.16);
});

test('no name is written over another or over a point', () => {
  const points = [0, 1, 2, 3].map((i) => ({ name: `system ${i}`, x: 100 + i, y: 50 + i, rank: i }));
  const labels = placed(points, { x0: 0, y0: 0, x1: 400, y1: 200 });
  const rows = labels.map((one) => `${one.anchor} ${Math.round(one.y)}`);

  expect(labels.length).toBeGreaterThan(1);
  expect(new Set(rows).size).toBe(labels.length);
});

test('a name for which there is no room is left out', () => {
  expect(
    placed([{ name: 'long name', x: 5, y: 5, rank: 0 }], { x0: 0, y0: 0, x1: 20, y1: 10 }),
  ).toEqual([]);
});

test('Hangul takes twice the room of Latin, and names are cut by letters', () => {
  expect(width('한글')).toBe(width('abcd'));
  expect(short('지휘자와 일꾼', 4)).toBe('지휘자…');
});

test('the table behind curves has a row for each step that any of them has', () => {
  const series = [
    {
      name: 'reward',
      tone: 0,
      points: [
        [1, 0.5],
        [2, 0.6],
      ] as const,
    },
    {
      name: 'held out',
      tone: 1,
      points: [
        [0, 0.4],
        [2, 0.7],
      ] as const,
      isDotted: true,
    },
  ];

  expect(behindOf(series, 'step', (value) => value.toFixed(1))).toEqual({
    head: ['step', 'reward', 'held out'],
    rows: [
      ['0', null, '0.4'],
      ['1', '0.5', null],
      ['2', '0.6', '0.7'],
    ],
  });
});

test('at a step, an examination is the last one so far and a curve is the nearest value', () => {
  const points = [
    [0, 1],
    [40, 2],
    [80, 3],
  ] as const;

  expect(pointAt({ name: 'e', tone: 0, points, isDotted: true }, 79)).toEqual([40, 2]);
  expect(pointAt({ name: 'c', tone: 0, points }, 79)).toEqual([80, 3]);
  expect(pointAt({ name: 'c', tone: 0, points }, null)).toEqual([80, 3]);
});

test('a path is exact to a tenth of a pixel', () => {
  expect(
    pathOf(
      [
        [1, 2],
        [3, 4],
      ],
      (v) => v * 1.26,
      (v) => v,
    ),
  ).toBe('M1.3,2.0L3.8,4.0');
});

test('a part has one place among all rows', () => {
  expect(
    partsOf([
      { name: 'a', shares: { zed: 1 } },
      { name: 'b', shares: { ada: 1 } },
    ]),
  ).toEqual(['ada', 'zed']);
});
