// What is drawn, and the arithmetic of it: curves, the frontier, shares, the tables behind them.
//
// Nothing here touches the page, so that all of it can be checked without a browser.

import { extent, nearest } from './scale';
import type { Range, Scale } from './scale';

export type Cell = string | number | null;

/** The figures of a chart. The first column names the row. */
export interface Behind {
  readonly head: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}

export interface Series {
  readonly name: string;
  /** Number of the colour, from 0. */
  readonly tone: number;
  /** Ascending in x. */
  readonly points: readonly (readonly [number, number])[];
  /** Points with no line between them, as of an examination every few steps. */
  readonly isDotted?: boolean;
}

export interface SharesRow {
  readonly name: string;
  /** By part; what is missing is 0. */
  readonly shares: Readonly<Record<string, number>>;
  readonly isFocus?: boolean;
  readonly note?: string;
}

export interface Spot {
  readonly name: string;
  /** What it costs, 0 or more. */
  readonly cost: number;
  /** Share of right answers, 0 to 1. */
  readonly right: number;
  readonly interval: Range;
  /** The system in question, a single worker, or another. */
  readonly kind: 'focus' | 'alone' | 'other';
}

/** Whatever is better than all that cost as little or less, from the cheapest on. */
export function frontierOf(spots: readonly Spot[]): Spot[] {
  const found: Spot[] = [];
  for (const spot of [...spots].sort((a, b) => a.cost - b.cost || b.right - a.right)) {
    if (spot.right > (found.at(-1)?.right ?? -1)) found.push(spot);
  }
  return found;
}

/** Along the frontier: what its cost buys, until the next one is paid for. */
export function staircase(points: readonly (readonly [number, number])[], end: number): string {
  return points
    .map(([x, y], i) =>
      i === 0 ? `M${x.toFixed(1)},${y.toFixed(1)}` : `H${x.toFixed(1)}V${y.toFixed(1)}`,
    )
    .concat(`H${end.toFixed(1)}`)
    .join('');
}

/** The ends of the axis of costs: all that is above 0, with a little room on both sides. */
export function costRange(spots: readonly Spot[]): Range {
  const [low, high] = extent(spots.map((one) => one.cost).filter((cost) => cost > 0)) ?? [1, 1];
  const pad = 10 ** Math.max(0.15, 0.08 * Math.log10(high / low));
  return [low / pad, high * pad];
}

/** A path through points, one tenth of a pixel exact. */
export function pathOf(points: readonly (readonly [number, number])[], x: Scale, y: Scale): string {
  return points
    .map(([step, value], i) => `${i ? 'L' : 'M'}${x(step).toFixed(1)},${y(value).toFixed(1)}`)
    .join('');
}

/** The point at the cursor or, for points that are far between, the last one up to it. */
export function pointAt(one: Series, at: number | null): readonly [number, number] | null {
  if (at === null) return one.points.at(-1) ?? null;
  if (one.isDotted) return one.points.filter(([step]) => step <= at).at(-1) ?? null;
  return one.points[nearest(one.points, at, ([step]) => step)] ?? null;
}

/** The figures behind the curves: a row for each step that any of them has. */
export function behindOf(
  series: readonly Series[],
  stepWord: string,
  show: (value: number) => string,
): Behind {
  const steps = [...new Set(series.flatMap((one) => one.points.map(([step]) => step)))];
  const maps = series.map((one) => new Map(one.points));
  return {
    head: [stepWord, ...series.map((one) => one.name)],
    rows: steps
      .sort((a, b) => a - b)
      .map((step) => [
        String(step),
        ...maps.map((found) => {
          const value = found.get(step);
          return value === undefined ? null : show(value);
        }),
      ]),
  };
}

/** All parts by name, so that a part has the same colour in every row and every chart. */
export function partsOf(rows: readonly SharesRow[]): string[] {
  return [...new Set(rows.flatMap((row) => Object.keys(row.shares)))].sort();
}
