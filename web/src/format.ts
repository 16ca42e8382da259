// Numbers as they are read: money, tokens, durations, times. Unknown is an em dash, never 0.

import type { Money } from './contract';

export const UNKNOWN = '—';

/** US dollars with as many digits as say something: $12.40, $0.0031, $0. */
export function usd(money: Money | undefined): string {
  if (money === null || money === undefined) return UNKNOWN;
  const value = Number(money);
  if (!Number.isFinite(value)) return UNKNOWN;
  if (value === 0) return '$0';
  const size = Math.abs(value);
  const digits = size >= 0.995 ? 2 : Math.min(9, Math.max(2, 1 - Math.floor(Math.log10(size))));
  return `${value < 0 ? '−' : ''}$${grouped(size.toFixed(digits))}`;
}

function grouped(text: string): string {
  const [whole = '', rest] = text.split('.');
  const spaced = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return rest === undefined ? spaced : `${spaced}.${rest}`;
}

/** A count in full up to 9999, then 12.3k, 4.5M. */
export function count(n: number | null | undefined): string {
  if (n === null || n === undefined || !Number.isFinite(n)) return UNKNOWN;
  if (Math.abs(n) < 10_000) return grouped(String(Math.round(n)));
  const [size, unit] = Math.abs(n) < 999_500 ? [n / 1e3, 'k'] : [n / 1e6, 'M'];
  return `${Math.abs(size) < 100 ? size.toFixed(1) : Math.round(size)}${unit}`;
}

/** 0.8 s, 12.4 s, 3:05, 1:02:03. */
export function duration(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined || !Number.isFinite(seconds)) return UNKNOWN;
  if (seconds < 59.95) return `${Math.max(0, seconds).toFixed(1)} s`;
  const whole = Math.round(seconds);
  const [h, m, s] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const two = (n: number) => String(n).padStart(2, '0');
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}

const KINDS: Record<string, Intl.DateTimeFormatOptions> = {
  short: { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  full: { dateStyle: 'long', timeStyle: 'medium' },
};
const formats = new Map<string, Intl.DateTimeFormat>();

/** Seconds since the epoch as a date and time in the reader's language and zone. */
export function when(at: number | null, locale: string, kind: 'short' | 'full' = 'short'): string {
  if (at === null) return UNKNOWN;
  const name = `${kind} ${locale}`;
  let format = formats.get(name);
  if (!format) formats.set(name, (format = new Intl.DateTimeFormat(locale, KINDS[kind])));
  return format.format(at * 1000);
}
