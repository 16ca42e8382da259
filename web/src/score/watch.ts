// A run of the server, shown as it goes on: from its first event, over broken connections, to its
// end. Where the server no longer plays it, what was kept is shown.

import { api, ApiError } from '../api';
import type { RunEvent } from '../contract';
import { follow } from '../follow';
import type { LiveClock } from './clock';
import type { RunStore } from './store';

/** `whole`: it was followed to its end; the server has forgotten it, and its run was kept or not. */
export type Seen = 'whole' | 'kept' | 'forgotten';

/** Show a run until it is over or the signal comes; rejects where the server would not say. */
export async function watch(
  id: string,
  store: RunStore,
  clock: LiveClock,
  onLine: (isConnected: boolean) => void,
  signal: AbortSignal,
): Promise<Seen> {
  const heard = (event: RunEvent) => {
    if (event.type === 'run_finished') clock.stop(event.seconds);
    else clock.heard(event.at_s);
  };
  const onEvents = (numbered: { event: RunEvent }[]) => {
    const events = numbered.map(({ event }) => event);
    events.forEach(heard);
    store.push(events);
  };
  try {
    await follow(id, { onEvents, onLine }, signal);
    return 'whole';
  } catch (problem) {
    if (!(problem instanceof ApiError) || problem.status !== 404) throw problem;
    return (await showKept(id, store, clock, signal)) ? 'kept' : 'forgotten';
  }
}

/** Show what was kept of a run; false: nothing was. */
async function showKept(
  id: string,
  store: RunStore,
  clock: LiveClock,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const kept = await api.run(id, signal);
    store.set([...kept.events, { type: 'ended', at_s: kept.run.seconds, run: kept.run }]);
    clock.stop(kept.run.seconds);
    return true;
  } catch (problem) {
    if (signal.aborted || !(problem instanceof ApiError)) throw problem;
    store.flush();
    clock.stop(store.run.at);
    return false;
  }
}
