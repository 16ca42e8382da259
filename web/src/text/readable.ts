// Whether a text is read as Markdown, or shown as it is.

/** Longest text that is read as Markdown. */
const MOST_CHARS = 24_000;
/** Longest run of characters without a space in such a text. */
const LONGEST_WORD = 4_000;

const ENDLESS = new RegExp(`\\S{${LONGEST_WORD}}`);

export function isReadable(text: string): boolean {
  return text.length <= MOST_CHARS && !ENDLESS.test(text);
}
