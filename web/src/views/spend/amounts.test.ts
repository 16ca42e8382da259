import { expect, test } from 'vitest';

import type { SpendRow } from '../../api';
import { amountOf, everyDay, inOrder, moneyText, usedShare, usualMeasure } from './amounts';

const row = (what: string, more: Partial<SpendRow> = {}): SpendRow => ({
  what,
  calls: 1,
  prompt_tokens: 10,
  completion_tokens: 5,
  cost_usd: '0',
  unknown_calls: 0,
  ...more,
});

test('an unknown cost is not nothing', () => {
  expect(amountOf(row('a', { cost_usd: null }), 'money')).toBeNull();
  expect(amountOf(row('a', { cost_usd: '0.25' }), 'money')).toBe(0.25);
  expect(amountOf(row('a'), 'tokens')).toBe(15);
});

test('a sum in which calls of unknown price are missing is at least so much', () => {
  expect(moneyText(row('a', { cost_usd: null, known_usd: '1.5' }))).toBe('≥ $1.50');
  expect(moneyText(row('a', { cost_usd: null, known_usd: '0' }))).toBe('—');
  expect(moneyText(row('a', { cost_usd: '1.5' }))).toBe('$1.50');
});

test('an account of a key knows no calls', () => {
  expect(amountOf(row('a', { calls: null }), 'calls')).toBeNull();
  expect(amountOf(row('a', { prompt_tokens: null }), 'tokens')).toBeNull();
});

test('bars show calls where nothing has cost money', () => {
  expect(usualMeasure(row('', { cost_usd: '0' }))).toBe('calls');
  expect(usualMeasure(row('', { cost_usd: null }))).toBe('calls');
  expect(usualMeasure(row('', { cost_usd: '0.01' }))).toBe('money');
});

test('days without a run are there, so that gaps are seen', () => {
  const days = everyDay([row('2026-02-27'), row('2026-03-02')], 30);

  expect(days.map((one) => one.day)).toEqual([
    '2026-02-27',
    '2026-02-28',
    '2026-03-01',
    '2026-03-02',
  ]);
  expect(days.map((one) => one.row !== null)).toEqual([true, false, false, true]);
});

test('of many days the last ones are shown', () => {
  expect(everyDay([row('2025-01-01'), row('2026-01-02')], 2).map((one) => one.day)).toEqual([
    '2026-01-01',
    '2026-01-02',
  ]);
  expect(everyDay([], 5)).toEqual([]);
});

test('days are in order, other rows by what they took with the unknown last', () => {
  expect(inOrder([row('2'), row('1')], 'day', 'money').map((one) => one.what)).toEqual(['1', '2']);
  const rows = [
    row('none', { cost_usd: null }),
    row('low', { cost_usd: '1' }),
    row('high', { cost_usd: '9' }),
  ];
  expect(inOrder(rows, 'worker', 'money').map((one) => one.what)).toEqual(['high', 'low', 'none']);
});

test('a limit is used up to the whole of it and no further', () => {
  expect([usedShare('1', '4'), usedShare('9', '4'), usedShare('0', '0')]).toEqual([0.25, 1, 1]);
});
