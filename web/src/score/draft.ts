// The workflow in a text that the Conductor is still writing, as far as it can be seen: what is
// drawn until the server says what the plan is. A guess, and shown as one.

import type { Workflow } from '../contract';

const MOST_STEPS = 5;
const MOST_CHARS = 20_000;

/** The steps whose subtasks have begun; null: there is none yet. */
export function draftOf(text: string, workers: number): Workflow | null {
  if (text.length > MOST_CHARS) return null;
  const from = text.lastIndexOf('model_id');
  if (from === -1) return null;
  const plan = text.slice(from);
  const ids = [...listAfter(plan, 'model_id').matchAll(/(\d+)\s*(?=[,\]])/g)].map((m) => Number(m[1]));
  const subtasks = stringsIn(listAfter(plan, 'subtasks'));
  const access = accessIn(listAfter(plan, 'access_list'));
  const length = Math.min(ids.length, subtasks.length, MOST_STEPS);
  if (length === 0 || ids.some((id) => id >= workers)) return null;
  const steps = subtasks.slice(0, length).map((subtask, i) => ({
    subtask,
    worker: ids[i]!,
    access: (access[i] ?? []).flatMap((j) => (j === 'all' ? range(i) : j < i ? [j] : [])),
  }));
  return { steps };
}

/** What follows `name = [`, without the bracket. */
function listAfter(text: string, name: string): string {
  const found = new RegExp(`${name}\\s*=\\s*\\[`).exec(text);
  return found === null ? '' : text.slice(found.index + found[0].length);
}

/** The strings of a Python list, the last of which may still be open. */
function stringsIn(list: string): string[] {
  const found: string[] = [];
  const next = /\s*,?\s*(?:'((?:[^'\\]|\\.)*)('|$)|"((?:[^"\\]|\\.)*)("|$))/y;
  for (let match; found.length < MOST_STEPS && (match = next.exec(list)) !== null; ) {
    const said = (match[1] ?? match[3] ?? '').replace(/\\(['"\\])/g, '$1').replace(/\\n/g, '\n');
    if (said !== '') found.push(said);
    if ((match[2] ?? match[4]) === '') break;
  }
  return found;
}

/** The access lists that are whole. */
function accessIn(list: string): (number | 'all')[][] {
  const found: (number | 'all')[][] = [];
  const next = /\s*,?\s*(?:\[([\s\d,]*)\]|["']all["']|\[["']all["']\])/y;
  for (let match; found.length < MOST_STEPS && (match = next.exec(list)) !== null; ) {
    found.push(match[1] === undefined ? ['all'] : (match[1].match(/\d+/g) ?? []).map(Number));
  }
  return found;
}

function range(length: number): number[] {
  return Array.from({ length }, (_, i) => i);
}
