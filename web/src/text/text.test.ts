import { expect, test } from 'vitest';

import { piecesOf } from './LongText';
import { isReadable } from './readable';
import { delimited } from './delimited';

test('a long text is cut at line ends, or where it must be, and nothing is lost', () => {
  const text = `${'a'.repeat(3000)}\n${'b'.repeat(9000)}${'😀'.repeat(3000)}`;
  const pieces = piecesOf(text);

  expect(pieces.join('')).toBe(text);
  expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThanOrEqual(4000);
  expect(pieces[0]!.endsWith('\n')).toBe(true);
  expect(pieces.every((piece) => piece.isWellFormed())).toBe(true);
});

test('what is written to a text does not change where it was cut before', () => {
  const text = 'word '.repeat(5000);

  expect(piecesOf(`${text}more`).slice(0, 5)).toEqual(piecesOf(text).slice(0, 5));
});

test('a megabyte without a space and a book are shown as they are', () => {
  expect(isReadable('x'.repeat(5000))).toBe(false);
  expect(isReadable('word '.repeat(10_000))).toBe(false);
  expect(isReadable('# An answer\n\nof two lines')).toBe(true);
});

test('mathematics in brackets is found, but not in code', () => {
  expect(delimited('\\(x\\) and `\\(y\\)`')).toBe('$x$ and `\\(y\\)`');
  expect(delimited('\\[x^2\\]')).toBe('\n$$\nx^2\n$$\n');
});
