// What steps and lines of a score need to know, wherever they are drawn: the run, its time, and
// who is told when a step is opened.

import { createContext, useContext } from 'react';

import type { Clock } from './clock';
import type { RunStore } from './store';

export interface Playing {
  store: RunStore;
  clock: Clock;
  /** Whether time passes. */
  isRunning: boolean;
  onOpen: (round: number, step: number) => void;
}

const Context = createContext<Playing | null>(null);

export const PlayingProvider = Context.Provider;

export function usePlayingRun(): Playing {
  const playing = useContext(Context);
  if (playing === null) throw new Error('a score is drawn outside of a run');
  return playing;
}
