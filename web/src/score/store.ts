// The run that is shown, and who is told when it changes. Events are taken in as they come and
// folded once per frame, so that a fast worker costs no more than a slow one.

import { useSyncExternalStore } from 'react';

import type { RunEvent } from '../contract';
import { fold } from './fold';
import { emptyRun, type RoundRun, type Run, type StepRun } from './run';

export class RunStore {
  run: Run = emptyRun();
  private queue: RunEvent[] = [];
  private frame = 0;
  private timer = 0;
  private readonly listeners = new Set<() => void>();

  /** Take events; they are seen with the next frame. */
  push(events: readonly RunEvent[]): void {
    for (const event of events) this.queue.push(event);
    if (this.frame !== 0 || this.queue.length === 0) return;
    this.frame = requestAnimationFrame(this.flush);
    // A page in the background has no frames, and must not pile up events for ever.
    this.timer = window.setTimeout(this.flush, 1_000);
  }

  /** Show a run as it is after these events, now. */
  set(events: readonly RunEvent[]): void {
    this.forget();
    this.run = fold(emptyRun(), events);
    this.tell();
  }

  readonly flush = (): void => {
    const events = this.queue;
    this.forget();
    if (events.length === 0) return;
    this.run = fold(this.run, events);
    this.tell();
  };

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** Let go of what waits for the next frame. */
  forget(): void {
    cancelAnimationFrame(this.frame);
    clearTimeout(this.timer);
    this.frame = 0;
    this.queue = [];
  }

  private tell(): void {
    for (const listener of this.listeners) listener();
  }
}

/** Some part of the run; drawn anew only when that part is another. */
export function usePart<T>(store: RunStore, part: (run: Run) => T): T {
  return useSyncExternalStore(store.subscribe, () => part(store.run));
}

export function useRound(store: RunStore, index: number): RoundRun | undefined {
  return usePart(store, (run) => run.rounds.find((round) => round.index === index));
}

export function useStep(store: RunStore, round: number, step: number): StepRun | undefined {
  return usePart(store, (run) => run.rounds.find((one) => one.index === round)?.steps[step]);
}
