// Figures as charts and tables write them: shares, differences, chances, numbers of any size.

export const MISSING = '–';

/** A share from 0 to 1 in per cent: 51.0 %. */
export function percent(share: number | null | undefined, digits = 1): string {
  if (share === null || share === undefined || !Number.isFinite(share)) return MISSING;
  return `${minus((100 * share).toFixed(digits))} %`;
}

/** A share without the tail that says nothing, for axes: 0 %, 20 %, 2.5 %. */
export function percentTick(share: number): string {
  return `${minus(String(Number((100 * share).toPrecision(6))))} %`;
}

/** An interval of shares in per cent: 44.1 – 57.8; where a minus is near, −40.8 … −32.4. */
export function range([low, high]: readonly [number, number]): string {
  const [from, to] = [minus((100 * low).toFixed(1)), minus((100 * high).toFixed(1))];
  return `${from} ${from.startsWith('−') ? '…' : '–'} ${to}`;
}

/** A difference of shares in percentage points, with its sign: +29.5. */
export function points(difference: number): string {
  const text = (100 * difference).toFixed(1);
  return Number(text) > 0 ? `+${text}` : minus(text);
}

/** The chance of a test: 0.034, or < 0.001. */
export function chance(p: number): string {
  return p < 0.001 ? '< 0.001' : p.toFixed(3);
}

/** A number with three digits that say something, in full up to 99,999. */
export function number(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return MISSING;
  const size = Math.abs(value);
  if (value === 0) return '0';
  if (size >= 100) return minus(Math.round(value).toLocaleString('en-US'));
  if (size >= 0.001) {
    return minus(trimmed(size >= 1 ? value.toFixed(size >= 10 ? 1 : 2) : value.toPrecision(3)));
  }
  const [digits = '', power = ''] = value.toExponential(1).split('e');
  return `${minus(digits)} · 10${raised(power)}`;
}

/** A power of ten as it is set: +3 is ³, -12 is ⁻¹². */
function raised(power: string): string {
  const up = [...power.replace(/^[+-]/, '')].map((digit) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(digit)]).join('');
  return power.startsWith('-') ? `⁻${up}` : up;
}

function trimmed(text: string): string {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}

function minus(text: string): string {
  const plain = /^-0(\.0*)?$/.test(text) ? text.slice(1) : text;
  return plain.replace(/^-/, '−');
}
