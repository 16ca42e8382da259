// Scales: from values to places in a drawing, and the round values that stand on an axis.
//
// Nothing here draws; every function is plain arithmetic, so that it can be checked by hand.

export type Range = readonly [number, number];

/** From a value to a place. */
export type Scale = (value: number) => number;

/** A scale on which equal differences are equally long. An empty domain maps to the middle. */
export function linear([low, high]: Range, [from, to]: Range): Scale {
  if (high <= low) return () => (from + to) / 2;
  return (value) => from + ((value - low) / (high - low)) * (to - from);
}

/** A scale on which equal ratios are equally long; what is 0 or less stands at the start. */
export function logarithmic([low, high]: Range, [from, to]: Range): Scale {
  const inner = linear([Math.log10(low), Math.log10(high)], [from, to]);
  return (value) => (value > low ? inner(Math.log10(value)) : from);
}

/** The least and the greatest finite value, or undefined where there is none. */
export function extent(values: Iterable<number | null | undefined>): Range | undefined {
  let low = Infinity;
  let high = -Infinity;
  for (const value of values) {
    if (value === null || value === undefined || !Number.isFinite(value)) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return low <= high ? [low, high] : undefined;
}

/** The smallest of 1, 2, 2.5 and 5 times a power of ten that is at least `least`. */
export function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  for (const times of [1, 2, 2.5, 5, 10]) {
    if (times * power >= least * (1 - 1e-9)) return times * power;
  }
  return 10 * power;
}

/** Round values from `low` to `high`, both included where they are round; at most `most`. */
export function ticks([low, high]: Range, most = 5): number[] {
  if (!(high > low)) return [low];
  const step = roundStep((high - low) / most);
  const found: number[] = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i += 1) {
    found.push(exact(i * step));
  }
  return found;
}

/** Whole values, for steps and counts. */
export function wholeTicks(range: Range, most = 5): number[] {
  return ticks(range, most).filter((value) => Number.isInteger(value));
}

/** Round values of a logarithmic axis: 1, 2 and 5 of each decade; fewer where those are many. */
export function decades([low, high]: Range, most = 7): number[] {
  for (const times of [[1, 2, 5], [1, 3], [1]]) {
    const found: number[] = [];
    for (let e = Math.floor(Math.log10(low)); e <= Math.ceil(Math.log10(high)); e += 1) {
      for (const m of times) {
        const value = exact(m * 10 ** e);
        if (value >= low && value <= high) found.push(value);
      }
    }
    if (found.length <= most || times.length === 1) return found;
  }
  return [];
}

/** The range made so much wider that it begins and ends at round values. */
export function widened([low, high]: Range, most = 4): Range {
  if (!(high > low)) {
    const half = low === 0 ? 0.5 : Math.abs(low) / 2;
    return [low - half, high + half];
  }
  const step = roundStep((high - low) / most);
  return [exact(Math.floor(low / step + 1e-9) * step), exact(Math.ceil(high / step - 1e-9) * step)];
}

/** The mean of each value and those up to `reach` away on either side. */
export function smooth(values: readonly number[], reach: number): number[] {
  const sums = [0];
  for (const value of values) sums.push((sums.at(-1) as number) + value);
  return values.map((_, i) => {
    const [from, to] = [Math.max(0, i - reach), Math.min(values.length, i + reach + 1)];
    return ((sums[to] as number) - (sums[from] as number)) / (to - from);
  });
}

/** The index of the item nearest to `wanted`, where `of` ascends; -1 in an empty list. */
export function nearest<T>(items: readonly T[], wanted: number, of: (item: T) => number): number {
  let low = 0;
  let high = items.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (of(items[middle] as T) < wanted) low = middle + 1;
    else high = middle;
  }
  const before = items[low - 1];
  const at = items[low];
  if (at === undefined) return -1;
  return before !== undefined && wanted - of(before) <= of(at) - wanted ? low - 1 : low;
}

/** Step and value. */
export type Point = readonly [number, number];

/** Few points that look like many: of each part of the line the lowest and the highest one. */
export function thinned(points: readonly Point[], parts: number): readonly Point[] {
  if (points.length <= 2 * parts) return points;
  const found: Point[] = [];
  const size = points.length / parts;
  for (let i = 0; i < parts; i += 1) {
    const part = points.slice(Math.round(i * size), Math.round((i + 1) * size));
    const least = part.reduce((a, b) => (b[1] < a[1] ? b : a));
    const most = part.reduce((a, b) => (b[1] > a[1] ? b : a));
    if (least === most) found.push(least);
    else found.push(...(least[0] < most[0] ? [least, most] : [most, least]));
  }
  // Both ends stand where they are.
  found[0] = points[0] as Point;
  found[found.length - 1] = points.at(-1) as Point;
  return found;
}

/** Without the tail that binary fractions have: 0.30000000000000004 is 0.3. */
function exact(value: number): number {
  return Number(value.toPrecision(12));
}
