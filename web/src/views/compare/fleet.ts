// Several runs followed at once. Each has its store and its clock; whoever needs all of them is
// told when any of them changes.

import { api } from '../../api';
import { LiveClock } from '../../score/clock';
import { RunStore } from '../../score/store';
import { watch } from '../../score/watch';

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
    const onLine = (isConnected: boolean) => this.set(player, isConnected ? 'on' : 'off');
    const { asked, store, clock } = player;
    try {
      const seen = await watch(asked.id, store, clock, onLine, this.gone.signal);
      if (seen === 'forgotten') this.set(player, 'lost');
    } catch (problem) {
      if (!this.gone.signal.aborted) this.set(player, 'broken', problem as Error);
    }
  }

  private set(player: Player, line: Line, error: Error | null = null): void {
    if (player.line === line) return;
    player.line = line;
    player.error = error;
    this.tell();
  }
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
