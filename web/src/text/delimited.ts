// Mathematics as many models write it, brought to the marks that the renderer knows.

/** \( \) and \[ \], as many models write them, as $ and $$; inside of code they stay. */
export function delimited(text: string): string {
  if (!text.includes('\\(') && !text.includes('\\[')) return text;
  return text
    .split(/(```[\s\S]*?(?:```|$)|`[^`\n]*`)/)
    .map((part, i) =>
      i % 2 === 1
        ? part
        : part
            .replace(/\\\[([^\0]{1,2000}?)\\\]/g, (_, tex: string) => `\n$$\n${tex.trim()}\n$$\n`)
            .replace(/\\\(([^\n]{1,500}?)\\\)/g, (_, tex: string) => `$${tex.trim()}$`),
    )
    .join('');
}
