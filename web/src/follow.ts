// Following a run: its events in order, each once, however often the connection breaks. fetch and
// not EventSource, which cannot send a key.

import { ApiError, request } from './api';
import type { Numbered, RunEvent } from './contract';

/** Longest silence before the connection counts as broken; the server says something every 10 s. */
const SILENCE_MS = 25_000;
const FIRST_WAIT_MS = 400;
const LONGEST_WAIT_MS = 8_000;

export interface Following {
  /** Several at once, as they arrive. */
  onEvents: (events: Numbered[]) => void;
  /** Whether the connection stands. */
  onLine: (isConnected: boolean) => void;
}

/**
 * Follow a run until its last event.
 *
 * Rejects with an ApiError where the server knows no such run or refuses; a connection that breaks
 * is made again, after the event that was seen last.
 */
export async function follow(ask: string, on: Following, signal: AbortSignal): Promise<void> {
  let last = 0;
  let wait = FIRST_WAIT_MS;
  while (!signal.aborted) {
    try {
      for await (const events of connection(ask, last, signal, () => on.onLine(true))) {
        const fresh = events.filter((one) => one.seq > last);
        if (fresh.length === 0) continue;
        last = fresh[fresh.length - 1]!.seq;
        wait = FIRST_WAIT_MS;
        on.onEvents(fresh);
        if (fresh.some((one) => one.event.type === 'ended')) return;
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof ApiError && !mayPass(error.status)) throw error;
    }
    on.onLine(false);
    await pause(wait, signal);
    wait = Math.min(wait * 2, LONGEST_WAIT_MS);
  }
}

function mayPass(status: number): boolean {
  return status === 0 || status === 429 || status >= 500;
}

async function* connection(
  ask: string,
  after: number,
  signal: AbortSignal,
  onOpen: () => void,
): AsyncGenerator<Numbered[]> {
  const broken = new AbortController();
  const stop = () => broken.abort();
  signal.addEventListener('abort', stop);
  let timer = setTimeout(stop, SILENCE_MS);
  try {
    const path = `/page/asks/${encodeURIComponent(ask)}/events?after=${after}`;
    const response = await request(path, { signal: broken.signal });
    onOpen();
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    const parse = eventParser();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      clearTimeout(timer);
      timer = setTimeout(stop, SILENCE_MS);
      const events = parse(value);
      if (events.length > 0) yield events;
    }
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
    broken.abort();
  }
}

/** Server-sent events out of pieces of text, wherever they are cut. */
export function eventParser(): (piece: string) => Numbered[] {
  let parts: string[] = [];
  return (piece) => {
    // Joined only once an event is whole: a long one must not be searched again with every piece.
    parts.push(piece);
    const joint = (parts.at(-2)?.slice(-1) ?? '') + piece;
    if (!joint.includes('\n\n')) return [];
    const blocks = parts.join('').split('\n\n');
    parts = [blocks.pop()!];
    return blocks.flatMap((block) => parsed(block));
  };
}

function parsed(block: string): Numbered[] {
  let seq = 0;
  const data: string[] = [];
  for (const line of block.split('\n')) {
    if (line.startsWith('id:')) seq = Number(line.slice(3));
    else if (line.startsWith('data:')) data.push(line.slice(line[5] === ' ' ? 6 : 5));
  }
  return data.length === 0 ? [] : [{ seq, event: JSON.parse(data.join('\n')) as RunEvent }];
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
    window.addEventListener('online', done);
    function done() {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      window.removeEventListener('online', done);
      resolve();
    }
  });
}
