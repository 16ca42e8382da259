// A report as `partbook evaluate` writes it, and the arithmetic of the views on it.
//
// Shares are 0 to 1; calls, tokens and money are per problem; money is a decimal string or null.

import type { Range } from '../../charts/scale';

export interface Share {
  readonly right: number;
  readonly count: number;
  /** Mean steps per problem. */
  readonly steps: number;
}

export interface SystemFigures {
  readonly system: string;
  readonly asked: number;
  readonly judged: number;
  readonly not_judged: number;
  readonly accuracy: number;
  readonly interval: Range;
  readonly valid: number | null;
  readonly accuracy_given_valid: number | null;
  readonly steps: number;
  readonly calls: number;
  readonly conductor_calls: number;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly usd: string | null;
  readonly seconds: number;
  readonly workers: Readonly<Record<string, number>>;
  readonly worker_bits: number;
  readonly plans: number;
  readonly by_task: Readonly<Record<string, Share>>;
  readonly by_difficulty: Readonly<Record<string, Share>>;
  readonly by_steps: Readonly<Record<string, Share>>;
  readonly regret: number | null;
  readonly frontier: boolean;
  readonly conducts: boolean;
  /** The worker's name, where all that the system does is to ask one worker once. */
  readonly alone: string;
}

export interface Comparison {
  readonly other: string;
  readonly problems: number;
  readonly better: number;
  readonly worse: number;
  readonly difference: number;
  readonly interval: Range;
  readonly p: number;
  readonly corrected: number;
  readonly significant: boolean;
}

export interface Published {
  readonly system: string;
  readonly column: string;
  readonly value: number;
  readonly source: string;
  readonly error: number | null;
}

export interface Report {
  readonly title: string;
  readonly identity: Readonly<Record<string, string>>;
  readonly problems: number;
  readonly repeats: number;
  readonly focus: string;
  readonly rival: string;
  readonly findings: readonly string[];
  readonly systems: readonly SystemFigures[];
  readonly comparisons: readonly Comparison[];
  readonly oracle: {
    readonly best_worker: string;
    readonly best_single: number;
    readonly measured: number;
    readonly corrected: number | null;
  } | null;
  readonly frontier: readonly string[];
  readonly published: readonly Published[];
}

/** What the frontier is drawn against. */
export type CostAxis = 'tokens' | 'calls' | 'usd';

/** What a problem costs on an axis; null: unknown. */
export function costOf(one: SystemFigures, axis: CostAxis): number | null {
  if (axis === 'calls') return one.calls;
  if (axis === 'tokens') return one.prompt_tokens + one.completion_tokens;
  return one.usd === null ? null : Number(one.usd);
}

/** The axes on which the systems differ, the most telling first. */
export function axesOf(report: Report): CostAxis[] {
  const differs = (axis: CostAxis) => {
    const found = new Set(report.systems.filter((s) => s.judged).map((s) => costOf(s, axis)));
    found.delete(null);
    return found.size > 1;
  };
  const found = (['usd', 'tokens', 'calls'] as const).filter(differs);
  return found.length > 0 ? found : ['tokens'];
}

/** Which split of the right answers a table shows. */
export type Split = 'by_task' | 'by_difficulty' | 'by_steps';

/** The columns of a split: numbers in their order, then words in theirs. */
export function columnsOf(report: Report, split: Split): string[] {
  const found = new Set(report.systems.flatMap((one) => Object.keys(one[split])));
  return [...found].sort((a, b) => {
    const [x, y] = [Number(a), Number(b)];
    if (Number.isNaN(x) !== Number.isNaN(y)) return Number.isNaN(x) ? 1 : -1;
    return Number.isNaN(x) ? a.localeCompare(b, 'en') : x - y;
  });
}

/** The columns by which the table of systems can be ordered. */
export type Column =
  | 'system'
  | 'accuracy'
  | 'valid'
  | 'accuracy_given_valid'
  | 'steps'
  | 'calls'
  | 'tokens'
  | 'usd'
  | 'worker_bits'
  | 'regret'
  | 'seconds'
  | 'not_judged';

/** The systems in the order of a column; what is unknown comes last whichever way. */
export function ordered(
  systems: readonly SystemFigures[],
  column: Column,
  isDescending: boolean,
): SystemFigures[] {
  const sign = isDescending ? -1 : 1;
  return [...systems].sort((a, b) => {
    if (column === 'system') return sign * a.system.localeCompare(b.system, 'en');
    const [x, y] = [figure(a, column), figure(b, column)];
    if (x === null || y === null) return x === y ? 0 : x === null ? 1 : -1;
    return sign * (x - y);
  });
}

function figure(one: SystemFigures, column: Exclude<Column, 'system'>): number | null {
  if (column === 'tokens' || column === 'usd') return costOf(one, column);
  return one.judged ? one[column] : null;
}

/** A comparison's kind: what chance may explain is neither ahead nor behind. */
export function kindOf(one: Comparison): 'ahead' | 'behind' | 'unsure' {
  if (!one.significant) return 'unsure';
  return one.difference > 0 ? 'ahead' : 'behind';
}

/** Facts that fit one line, and those that do not; without what is not set and the workers. */
export function factsOf(report: Report): { short: [string, string][]; long: [string, string][] } {
  const all = Object.entries(report.identity).filter(([, text]) => text !== 'none');
  const isShort = ([name, text]: [string, string]) =>
    text.length <= 60 && !name.startsWith('worker ');
  return { short: all.filter(isShort), long: all.filter((one) => !isShort(one)) };
}
