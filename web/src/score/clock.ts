// The time of a run: its own seconds, which stand still, pass, or pass faster in a replay.

import { useSyncExternalStore } from 'react';

export interface Clock {
  /** Seconds of the run, now. */
  now: () => number;
}

/** A clock that shows one moment. */
export function stopped(at: number): Clock {
  return { now: () => at };
}

/** The clock of a run that goes on. Set by each event; never goes back. */
export class LiveClock implements Clock {
  private begun = Infinity;
  private end: number | null = null;

  /** An event has arrived that happened then. */
  heard(at: number): void {
    this.begun = Math.min(this.begun, performance.now() / 1000 - at);
  }

  stop(at: number): void {
    this.end = at;
  }

  readonly now = (): number => {
    if (this.end !== null) return this.end;
    return this.begun === Infinity ? 0 : performance.now() / 1000 - this.begun;
  };
}

/** How often running clocks are drawn. */
const TICK_MS = 100;
const ticking = new Set<() => void>();
let timer = 0;

function subscribe(listener: () => void): () => void {
  ticking.add(listener);
  if (timer === 0) timer = window.setInterval(() => ticking.forEach((tell) => tell()), TICK_MS);
  return () => {
    ticking.delete(listener);
    if (ticking.size > 0) return;
    clearInterval(timer);
    timer = 0;
  };
}

const never = () => () => {};

/** Seconds of the run in tenths; ticks only while `isRunning`. */
export function useSeconds(clock: Clock, isRunning: boolean): number {
  return useSyncExternalStore(isRunning ? subscribe : never, () =>
    Math.floor(clock.now() * 10) / 10,
  );
}
