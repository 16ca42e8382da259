import { expect, test } from 'vitest';

import { axesOf, columnsOf, costOf, factsOf, kindOf, ordered } from './report';
import type { Comparison, Report, SystemFigures } from './report';

const system = (name: string, more: Partial<SystemFigures> = {}): SystemFigures => ({
  system: name,
  asked: 10,
  judged: 10,
  not_judged: 0,
  accuracy: 0.5,
  interval: [0.3, 0.7],
  valid: null,
  accuracy_given_valid: null,
  steps: 1,
  calls: 1,
  conductor_calls: 0,
  prompt_tokens: 20,
  completion_tokens: 10,
  usd: '0',
  seconds: 1,
  workers: {},
  worker_bits: 0,
  plans: 1,
  by_task: {},
  by_difficulty: {},
  by_steps: {},
  regret: null,
  frontier: false,
  conducts: false,
  alone: '',
  ...more,
});

const report = (systems: SystemFigures[], identity: Record<string, string> = {}): Report => ({
  title: 't',
  identity,
  problems: 10,
  repeats: 1,
  focus: 'a',
  rival: 'b',
  findings: [],
  systems,
  comparisons: [],
  oracle: null,
  frontier: [],
  published: [],
});

test('a cost is per problem, and an unknown price stays unknown', () => {
  expect(costOf(system('a'), 'tokens')).toBe(30);
  expect(costOf(system('a', { usd: null }), 'usd')).toBeNull();
});

test('an axis on which no system differs is not offered', () => {
  const both = [system('a'), system('b', { prompt_tokens: 100 })];

  expect(axesOf(report(both))).toEqual(['tokens']);
  expect(axesOf(report([system('a', { usd: '0.1', calls: 3 }), system('b')]))).toEqual([
    'usd',
    'calls',
  ]);
});

test('difficulties are ordered as numbers', () => {
  const share = { right: 1, count: 2, steps: 1 };
  const one = system('a', { by_difficulty: { '10': share, '2': share, hard: share } });

  expect(columnsOf(report([one]), 'by_difficulty')).toEqual(['2', '10', 'hard']);
});

test('what is unknown comes last whichever way the table is ordered', () => {
  const all = [system('none'), system('low', { valid: 0.2 }), system('high', { valid: 0.9 })];

  expect(ordered(all, 'valid', true).map((one) => one.system)).toEqual(['high', 'low', 'none']);
  expect(ordered(all, 'valid', false).map((one) => one.system)).toEqual(['low', 'high', 'none']);
});

test('what chance may explain is neither ahead nor behind', () => {
  const one = { difference: 0.2, significant: false } as Comparison;

  expect(kindOf(one)).toBe('unsure');
  expect(kindOf({ ...one, significant: true })).toBe('ahead');
  expect(kindOf({ ...one, significant: true, difference: -0.1 })).toBe('behind');
});

test('a fact that is not set is not shown, and a worker stands with the long ones', () => {
  const facts = factsOf(
    report([], { pool: 'p', policy: 'none', 'worker p/a': 'local', task: 'x'.repeat(99) }),
  );

  expect(facts.short).toEqual([['pool', 'p']]);
  expect(facts.long.map(([name]) => name)).toEqual(['worker p/a', 'task']);
});
