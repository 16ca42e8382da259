import { expect, test } from 'vitest';

import { count, duration, usd } from './format';

test('money has as many digits as say something, and unknown is not 0', () => {
  expect(['0', '12.4', '1234.5', '0.0031', '0.00000042', '0.5', '0.996'].map(usd)).toEqual([
    '$0', '$12.40', '$1,234.50', '$0.0031', '$0.00000042', '$0.50', '$1.00',
  ]);
  expect(usd(null)).toBe('—');
});

test('large counts are short', () => {
  expect([0, 9999, 10_000, 123_456, 999_600, 4_500_000].map(count)).toEqual([
    '0', '9,999', '10.0k', '123k', '1.0M', '4.5M',
  ]);
});

test('durations are read as on a clock from a minute on', () => {
  expect([0.04, 12.44, 59.94, 60, 3725].map(duration)).toEqual(['0.0 s', '12.4 s', '59.9 s', '1:00', '1:02:05']);
});
