import { expect, test } from 'vitest';

import { gistOf, groupsOf } from './agreement';

test.each([
  ['So it is \\boxed{\\frac{1}{2}}.', '\\frac{1}{2}'],
  ['Step by step.\n\nThe answer is 42.', '42'],
  ['**42**', '42'],
  ['-7', '-7'],
  ['정답: 서울', '서울'],
  ['first \\boxed{1}, then \\boxed{2}', '2'],
])('%j comes to %j', (answer, gist) => {
  expect(gistOf(answer)).toBe(gist);
});

test('an answer without a short end comes to nothing that can be compared', () => {
  expect(gistOf('word '.repeat(40))).toBeNull();
  expect(gistOf('')).toBeNull();
  expect(gistOf('\\boxed{never closed')).not.toBe('never closed');
});

test('answers that mean the same are in one group, the largest first', () => {
  const answers = [
    { name: 'a', answer: 'It is 1,234' },
    { name: 'b', answer: '1234.0' },
    { name: 'c', answer: '\\boxed{1234}' },
    { name: 'd', answer: '\\boxed{ 1,234 }' },
    { name: 'e', answer: null },
  ];

  expect(groupsOf(answers).map((group) => group.names)).toEqual([['b', 'c', 'd'], ['a']]);
});

test('case, spaces and marks make no difference, digits do', () => {
  const same = groupsOf([
    { name: 'a', answer: 'Paris.' },
    { name: 'b', answer: '**paris**' },
  ]);
  const other = groupsOf(
    ['1.5', '15', '(1, 5)', '-15', '1 5'].map((answer) => ({ name: answer, answer })),
  );

  expect(same).toHaveLength(1);
  expect(other).toHaveLength(5);
});
