import { expect, test } from 'vitest';

import { costText, figuresOf } from './figures';
import { emptyRun } from './run';

const spent = { calls: 3, prompt: 10, completion: 5, usd: 0.25, unknown: 0 };

test('sums so far are shown until the kept ones are there', () => {
  const run = { ...emptyRun(), spent };

  expect(figuresOf(run)).toEqual({ calls: 3, tokens: 15, usd: '0.25', isLeast: false });
});

test('a sum in which a call of unknown price is missing is at least so much', () => {
  const some = figuresOf({ ...emptyRun(), spent: { ...spent, unknown: 1 } });
  const none = figuresOf({ ...emptyRun(), spent: { ...spent, usd: 0, unknown: 3 } });

  expect([costText(some), costText(none)]).toEqual(['≥ $0.25', '—']);
});
