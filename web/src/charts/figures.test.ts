import { expect, test } from 'vitest';

import { chance, number, percent, percentTick, points, range } from './figures';

test.each([
  [0.51, '51.0 %'],
  [0, '0.0 %'],
  [-0.0001, '0.0 %'],
  [-0.16, '−16.0 %'],
  [null, '–'],
  [Number.NaN, '–'],
])('the share %s is %s', (share, text) => {
  expect(percent(share)).toBe(text);
});

test('an axis writes no digits that say nothing', () => {
  expect([0, 0.2, 0.30000000000000004, 0.025].map(percentTick)).toEqual([
    '0 %',
    '20 %',
    '30 %',
    '2.5 %',
  ]);
});

test('a difference has its sign, and nothing has none', () => {
  expect([0.295, -0.1, 0.0001, -0.0001].map(points)).toEqual(['+29.5', '−10.0', '0.0', '0.0']);
});

test('an interval is written in per cent', () => {
  expect(range([0.4411858767845865, 0.5784372166878682])).toBe('44.1 – 57.8');
  expect(range([-0.408, -0.324])).toBe('−40.8 … −32.4');
});

test('a chance below a thousandth is not written out', () => {
  expect([1e-24, 0.034, 0.5].map(chance)).toEqual(['< 0.001', '0.034', '0.500']);
});

test.each([
  [0, '0'],
  [535.77, '536'],
  [12345.6, '12,346'],
  [27.65, '27.6'],
  [2.7, '2.7'],
  [0.0669, '0.0669'],
  [0.0003, '3.0 · 10⁻⁴'],
  [-0.0050211, '−0.00502'],
  [-0.00050211, '−5.0 · 10⁻⁴'],
  [null, '–'],
])('the number %s is %s', (value, text) => {
  expect(number(value)).toBe(text);
});
