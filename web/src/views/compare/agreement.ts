// Whether answers agree: by what each of them comes to, not by their wording.
//
// What an answer comes to is its last boxed result, or else its last line where that is short. Two
// answers agree where that is the same text, without case, spaces and marks. Nothing here decides
// who is right.

/** Letters of a last line that may still be a result. */
const MOST = 80;

export interface Group {
  /** What the answers come to, as one of them writes it. */
  readonly gist: string;
  /** Who says so. */
  readonly names: readonly string[];
}

/** What an answer comes to, or null where it has no short end. */
export function gistOf(answer: string): string | null {
  const boxed = lastBoxed(answer);
  if (boxed !== null) return boxed.trim() || null;
  const line = answer.trimEnd().split('\n').at(-1)?.trim() ?? '';
  const stated =
    /(?:answer|result|답|정답)\s*(?:is|은|는)?\s*[:=]?\s*(.+)$/iu.exec(line)?.[1] ?? line;
  const bare = stated.replace(/^[\s*_`#>$-]+(?=\S)|[\s*_`$.。]+$/gu, (marks) => keptSign(marks));
  return bare !== '' && [...bare].length <= MOST ? bare : null;
}

/** Answers that come to the same, the largest group first; answers without a gist are in none. */
export function groupsOf(answers: readonly { name: string; answer: string | null }[]): Group[] {
  const found = new Map<string, { gist: string; names: string[] }>();
  for (const { name, answer } of answers) {
    const gist = answer === null ? null : gistOf(answer);
    if (gist === null) continue;
    const key = plain(gist);
    const group = found.get(key);
    if (group === undefined) found.set(key, { gist, names: [name] });
    else group.names.push(name);
  }
  return [...found.values()].sort((a, b) => b.names.length - a.names.length);
}

/** Without what two people write differently who mean the same. */
function plain(gist: string): string {
  return gist
    .normalize('NFKC')
    .toLowerCase()
    .replace(/\\(?:text|mathrm|left|right|,|!|;)\s*/gu, '')
    .replace(/[{}$*_`"'“”‘’]/gu, '')
    .replace(/(?<=\d),(?=\d{3}(?!\d))/gu, '')
    .replace(/\s*([,;:=+/()[\]])\s*/gu, '$1')
    .replace(/\s+/gu, ' ')
    .replace(/^[\s.,;:!?]+(?!\d)|[\s.,;:!?。]+$/gu, '')
    .replace(/(?<=\d)\.0+$/u, '')
    .replace(/(\.\d*?[1-9])0+$/u, '$1');
}

function lastBoxed(answer: string): string | null {
  const at = answer.lastIndexOf('\\boxed{');
  if (at < 0) return null;
  let depth = 1;
  for (let i = at + 7; i < answer.length; i += 1) {
    if (answer[i] === '{') depth += 1;
    else if (answer[i] === '}') depth -= 1;
    if (depth === 0) return answer.slice(at + 7, i);
  }
  return null;
}

/** A dash before a number is its sign, and stays. */
function keptSign(marks: string): string {
  return marks.endsWith('-') ? '-' : '';
}
