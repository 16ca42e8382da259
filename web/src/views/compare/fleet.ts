// Several runs followed at once. Each has its store and its clock; whoever needs all of them is
// told when any of them changes.

import { api, ApiError, type RunEvent } from '../../api';
import { follow } from '../../follow';
import { LiveClock } from '../../score/clock';
import type { Run } from '../../score/run';
import { RunStore } from '../../score/store';

/** A run that was asked for: its id and the system that was asked. */
export interface Asked {
  readonly id: string;
  readonly system: string;
}

/** `lost`: neither played nor kept; `broken`: the server would not say. */
export type Line = 'on' | 'off' | 'lost' | 'broken';

export class Player {
  readonly store = new RunStore();
  readonly clock = new LiveClock();
  line: Line = 'on';
  error: Error | null = null;

  constructor(readonly asked: Asked) {}

  get isRunning(): boolean {
    return this.store.run.status === 'running' && this.line !== 'lost' && this.line !== 'broken';
  }
}

export class Fleet {
  readonly players: readonly Player[];
  /** Grows with every change, so that a change is seen. */
  version = 0;
  private readonly gone = new AbortController();
  private readonly listeners = new Set<() => void>();

  constructor(asked: readonly Asked[]) {
    this.players = asked.map((one) => new Player(one));
  }

  /** Follow all of them until they end or `leave` is called. */
  start(): void {
    for (const player of this.players) {
      player.store.subscribe(this.tell);
      void this.watch(player);
    }
  }

  leave(): void {
    this.gone.abort();
    for (const player of this.players) player.store.forget();
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly snapshot = (): number => this.version;

  /** Stop every run that still plays. */
  async stopAll(): Promise<void> {
    const running = this.players.filter((one) => one.isRunning);
    await Promise.allSettled(running.map((one) => api.stop(one.asked.id)));
  }

  private readonly tell = (): void => {
    this.version += 1;
    for (const listener of this.listeners) listener();
  };

  private async watch(player: Player): Promise<void> {
    const { id } = player.asked;
    const on = {
      onEvents: (events: { event: RunEvent }[]) => {
        for (const { event } of events) {
          if (event.type === 'run_finished') player.clock.stop(event.seconds);
          else player.clock.heard(event.at_s);
        }
        player.store.push(events.map(({ event }) => event));
      },
      onLine: (isConnected: boolean) => this.set(player, isConnected ? 'on' : 'off'),
    };
    try {
      await follow(id, on, this.gone.signal);
    } catch (problem) {
      if (this.gone.signal.aborted) return;
      if (problem instanceof ApiError && problem.status === 404) await this.recall(player);
      else this.set(player, 'broken', problem as Error);
    }
  }

  /** Show what was kept of a run that the server no longer plays. */
  private async recall(player: Player): Promise<void> {
    try {
      const kept = await api.run(player.asked.id, this.gone.signal);
      player.store.set([...kept.events, { type: 'ended', at_s: kept.run.seconds, run: kept.run }]);
      player.clock.stop(kept.run.seconds);
    } catch {
      if (!this.gone.signal.aborted) this.set(player, 'lost');
    }
  }

  private set(player: Player, line: Line, error: Error | null = null): void {
    if (player.line === line) return;
    player.line = line;
    player.error = error;
    this.tell();
  }
}

/** What a run took so far, or in all once it is over. */
export interface Figures {
  readonly calls: number;
  readonly tokens: number;
  /** null: unknown. */
  readonly usd: string | null;
  /** Whether calls of unknown price are missing in `usd`. */
  readonly isLeast: boolean;
}

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

/** The runs as an address writes them: ID~SYSTEM, one after the other. */
export function readAsked(text: string | null): Asked[] {
  return (text ?? '')
    .split(',')
    .map((one) => one.split('~'))
    .filter((pair) => pair.length === 2 && pair[0] !== '' && pair[1] !== '')
    .slice(0, 24)
    .map(([id, system]) => ({ id: id as string, system: system as string }));
}

export function writtenAsked(asked: readonly Asked[]): string {
  return asked.map((one) => `${one.id}~${one.system}`).join(',');
}
