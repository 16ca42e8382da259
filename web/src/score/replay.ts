// Replaying a run that is over: its events again, at their time, faster, or one by one.

import { useEffect, useMemo, useSyncExternalStore } from 'react';

import type { RunEvent } from '../contract';
import type { Clock } from './clock';
import { RunStore } from './store';

/** Into how many pieces a text that was kept whole is cut, so that it is seen to be written. */
const PIECES = 60;
const LEAST_PIECE = 24;

/** Events in the order of their times, with whole texts spread over the time that they took. */
export function spread(events: readonly RunEvent[]): RunEvent[] {
  const begun = new Map<string, number>();
  const spreadOut = events.flatMap((event): RunEvent[] => {
    if (event.type === 'step_started') begun.set(`${event.round}.${event.step}`, event.at_s);
    if (event.type === 'step_text') {
      return pieces(event, begun.get(`${event.round}.${event.step}`) ?? event.at_s);
    }
    if (event.type === 'proposed') {
      const { round, text, at_s, seconds } = event;
      return [...pieces({ type: 'proposal_text' as const, at_s, round, text }, at_s - seconds), event];
    }
    return event.type === 'proposal_text' ? [] : [event];
  });
  // Stable: what happened at the same moment stays in its order.
  return spreadOut.sort((a, b) => a.at_s - b.at_s);
}

function pieces<E extends RunEvent & { text: string }>(event: E, from: number): E[] {
  const size = Math.max(LEAST_PIECE, Math.ceil(event.text.length / PIECES));
  const n = Math.max(1, Math.ceil(event.text.length / size));
  return Array.from({ length: n }, (_, i) => ({
    ...event,
    text: event.text.slice(i * size, (i + 1) * size),
    at_s: from + ((event.at_s - from) * (i + 1)) / n,
  }));
}

export type Speed = 1 | 4 | 16;
export const SPEEDS: Speed[] = [1, 4, 16];

/** A silence longer than this, in seconds shown, is cut short. */
const FRAME_S = 0.25;

/** Plays events into a store. */
export class Player implements Clock {
  readonly store = new RunStore();
  readonly length: number;
  isPlaying = false;
  speed: Speed = 4;
  at: number;
  private readonly events: RunEvent[];
  private next = 0;
  private last = 0;
  private frame = 0;
  private version = 0;
  private readonly listeners = new Set<() => void>();

  constructor(events: readonly RunEvent[]) {
    this.events = spread(events);
    this.length = this.events.at(-1)?.at_s ?? 0;
    this.at = this.length;
    this.next = this.events.length;
    this.store.set(this.events);
  }

  readonly now = (): number => this.at;

  get isOver(): boolean {
    return this.next >= this.events.length;
  }

  play(): void {
    if (this.isOver) this.seek(0);
    this.isPlaying = true;
    this.last = performance.now();
    this.frame = requestAnimationFrame(this.step);
    this.tell();
  }

  pause(): void {
    this.isPlaying = false;
    cancelAnimationFrame(this.frame);
    this.tell();
  }

  setSpeed(speed: Speed): void {
    this.speed = speed;
    this.tell();
  }

  /** Show the run as it was then. */
  seek(at: number): void {
    this.at = Math.min(this.length, Math.max(0, at));
    const found = this.events.findIndex((event) => event.at_s > this.at);
    this.next = found === -1 ? this.events.length : found;
    this.store.set(this.events.slice(0, this.next));
    this.tell();
  }

  /** To the next thing that happens; texts count as one thing each. */
  forward(): void {
    this.pause();
    const start = this.next;
    while (this.next < this.events.length) {
      const event = this.events[this.next]!;
      if (isMoment(event) && this.next > start) break;
      this.next += 1;
      if (isMoment(event)) break;
    }
    this.jumped(start);
  }

  /** To the thing before. */
  back(): void {
    this.pause();
    let to = this.next - 1;
    while (to > 0 && !isMoment(this.events[to - 1]!)) to -= 1;
    this.next = Math.max(1, to);
    this.jumped(Infinity);
  }

  private jumped(from: number): void {
    this.at = this.isOver ? this.length : (this.events[this.next - 1]?.at_s ?? 0);
    if (from <= this.next) {
      this.store.push(this.events.slice(from, this.next));
      this.store.flush();
    } else this.store.set(this.events.slice(0, this.next));
    this.tell();
  }

  private readonly step = (time: number): void => {
    const passed = Math.min(FRAME_S, (time - this.last) / 1000);
    this.last = time;
    this.at = Math.min(this.length, this.at + Math.max(0, passed) * this.speed);
    const from = this.next;
    while (!this.isOver && this.events[this.next]!.at_s <= this.at) this.next += 1;
    this.store.push(this.events.slice(from, this.next));
    this.store.flush();
    if (this.isOver) this.isPlaying = false;
    else this.frame = requestAnimationFrame(this.step);
    this.tell();
  };

  dispose(): void {
    cancelAnimationFrame(this.frame);
    this.store.forget();
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly snapshot = (): number => this.version;

  private tell(): void {
    this.version += 1;
    for (const listener of this.listeners) listener();
  }
}

function isMoment(event: RunEvent): boolean {
  return event.type !== 'step_text' && event.type !== 'proposal_text';
}

/** A player of these events; its holder is drawn anew when it is told something. */
export function usePlayer(events: readonly RunEvent[]): Player {
  const player = useMemo(() => new Player(events), [events]);
  useEffect(() => () => player.dispose(), [player]);
  return player;
}

export function usePlaying(player: Player): void {
  useSyncExternalStore(player.subscribe, player.snapshot);
}
