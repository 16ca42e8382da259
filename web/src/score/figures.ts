// What a run took, as every view writes it: so far, or in all once it is over.

import type { Money } from '../contract';
import { usd } from '../format';
import type { Run } from './run';

export interface Figures {
  readonly calls: number;
  readonly tokens: number;
  /** null: unknown. */
  readonly usd: Money;
  /** Whether calls of unknown price are missing in `usd`. */
  readonly isLeast: boolean;
}

/** Sums so far; once the run is over, those that were kept. */
export function figuresOf(run: Run): Figures {
  const { summary, spent } = run;
  if (summary !== null) {
    const tokens = summary.prompt_tokens + summary.completion_tokens;
    return { calls: summary.calls, tokens, usd: summary.cost_usd, isLeast: false };
  }
  const isUnknown = spent.unknown > 0 && spent.usd === 0;
  return {
    calls: spent.calls,
    tokens: spent.prompt + spent.completion,
    usd: isUnknown ? null : String(spent.usd),
    isLeast: spent.unknown > 0 && !isUnknown,
  };
}

export function costText(figures: Figures): string {
  return `${figures.isLeast ? '≥ ' : ''}${usd(figures.usd)}`;
}
