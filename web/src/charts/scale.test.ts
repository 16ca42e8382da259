import { describe, expect, test } from 'vitest';

import {
  decades,
  extent,
  linear,
  logarithmic,
  nearest,
  smooth,
  thinned,
  ticks,
  wholeTicks,
  widened,
} from './scale';

describe('a linear scale', () => {
  test('maps the ends of its domain to the ends of its range', () => {
    const at = linear([10, 30], [200, 100]);

    expect([at(10), at(20), at(30)]).toEqual([200, 150, 100]);
  });

  test('puts everything into the middle where the domain is empty', () => {
    expect(linear([5, 5], [0, 100])(5)).toBe(50);
  });
});

describe('a logarithmic scale', () => {
  test('makes equal ratios equally long', () => {
    const at = logarithmic([1, 100], [0, 200]);

    expect([at(1), at(10), at(100)]).toEqual([0, 100, 200]);
  });

  test('puts what is free at the start', () => {
    expect(logarithmic([1, 100], [40, 200])(0)).toBe(40);
  });
});

describe('ticks', () => {
  test.each([
    [[0, 1], 5, [0, 0.2, 0.4, 0.6, 0.8, 1]],
    [[0, 0.3], 3, [0, 0.1, 0.2, 0.3]],
    [[-0.06, 0.55], 6, [0, 0.2, 0.4]],
    [[0, 80], 4, [0, 20, 40, 60, 80]],
    [[3, 3], 5, [3]],
  ] as const)('of %j, at most about %i, are %j', (range, most, expected) => {
    expect(ticks(range, most)).toEqual(expected);
  });

  test('of steps are whole', () => {
    expect(wholeTicks([1, 3], 5)).toEqual([1, 2, 3]);
  });

  test('of decades are 1, 2 and 5 as long as there is room', () => {
    expect(decades([3, 120], 7)).toEqual([5, 10, 20, 50, 100]);
    expect(decades([0.001, 100], 7)).toEqual([0.001, 0.01, 0.1, 1, 10, 100]);
  });
});

test('a range is widened to round ends', () => {
  expect(widened([0.13, 0.87], 4)).toEqual([0, 1]);
  expect(widened([2, 2])).toEqual([1, 3]);
  expect(widened([0, 0])).toEqual([-0.5, 0.5]);
});

test('the extent leaves out what is missing or not a number', () => {
  expect(extent([3, null, Number.NaN, 1, undefined])).toEqual([1, 3]);
  expect(extent([null])).toBeUndefined();
});

test('a running mean keeps the length, and its ends look one way only', () => {
  expect(smooth([0, 3, 6, 9], 1)).toEqual([1.5, 3, 6, 7.5]);
  expect(smooth([1, 2], 0)).toEqual([1, 2]);
});

test('the nearest of an ascending list is found at the ends and between', () => {
  const steps = [1, 4, 10];

  expect([0, 2, 3, 8, 99].map((wanted) => nearest(steps, wanted, Number))).toEqual([0, 0, 1, 2, 2]);
  expect(nearest([], 3, Number)).toBe(-1);
});

test('a line is thinned to the lowest and the highest of each part, its ends kept', () => {
  const points = [0, 5, 1, 9, 2, 3, 8, 4].map((value, step) => [step, value] as const);

  expect(thinned(points, 2)).toEqual([
    [0, 0],
    [3, 9],
    [4, 2],
    [7, 4],
  ]);
  expect(thinned(points, 4)).toBe(points);
});
