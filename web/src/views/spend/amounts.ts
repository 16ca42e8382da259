// What the bars of Spend show, and how days without a run are filled in.

import type { SpendBy, SpendRow } from '../../api';
import { usd } from '../../format';

export type Measure = 'money' | 'calls' | 'tokens';

/** The amount that a bar shows; null: unknown. */
export function amountOf(row: SpendRow, measure: Measure): number | null {
  if (measure === 'calls') return row.calls;
  if (measure === 'tokens') {
    const { prompt_tokens: read, completion_tokens: written } = row;
    return read === null || written === null ? null : read + written;
  }
  const known = row.cost_usd ?? row.known_usd ?? null;
  return known === null ? null : Number(known);
}

/** Money as it is written; a sum in which some calls are missing is at least so much. */
export function moneyText(row: SpendRow): string {
  if (row.cost_usd !== null) return usd(row.cost_usd);
  return Number(row.known_usd ?? 0) > 0 ? `≥ ${usd(row.known_usd)}` : usd(null);
}

/** What is shown first: money, unless nothing has cost any. */
export function usualMeasure(total: SpendRow): Measure {
  return (amountOf(total, 'money') ?? 0) > 0 ? 'money' : 'calls';
}

/** Rows in the order of a report: days as they passed, others by what they took. */
export function inOrder(rows: readonly SpendRow[], by: SpendBy, measure: Measure): SpendRow[] {
  if (by === 'day') return [...rows].sort((a, b) => (a.what ?? '').localeCompare(b.what ?? ''));
  return [...rows].sort((a, b) => (amountOf(b, measure) ?? -1) - (amountOf(a, measure) ?? -1));
}

export interface Day {
  /** As 2026-11-30. */
  readonly day: string;
  readonly row: SpendRow | null;
}

const DAY_MS = 86_400_000;

/** Every day from the first to the last, those without a run too; at most `most`, the last ones. */
export function everyDay(rows: readonly SpendRow[], most: number): Day[] {
  const found = new Map(rows.map((row) => [row.what, row]));
  const times = rows.map((row) => Date.parse(`${row.what}T00:00:00Z`)).filter(Number.isFinite);
  if (times.length === 0) return [];
  const last = Math.max(...times);
  const first = Math.max(Math.min(...times), last - (most - 1) * DAY_MS);
  const days: Day[] = [];
  for (let at = first; at <= last; at += DAY_MS) {
    const day = new Date(at).toISOString().slice(0, 10);
    days.push({ day, row: found.get(day) ?? null });
  }
  return days;
}

/** The share of a limit that is used, 0 to 1. */
export function usedShare(spent: string, limit: string): number {
  const of = Number(limit);
  if (!(of > 0)) return 1;
  return Math.min(1, Math.max(0, Number(spent) / of));
}
