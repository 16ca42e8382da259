// A training followed: loaded once, then asked again every few seconds as long as it is shown.

import { useEffect, useRef, useState } from 'react';

import { api, type Sample } from '../../api';
import { askedAfter, joined, type Line } from './metrics';

const EVERY_MS = 4_000;
/** How often a training is asked for that has ended; it may be taken up again. */
const ENDED_MS = 30_000;

export interface Live {
  readonly resolved: Record<string, unknown> | null;
  readonly lines: readonly Line[];
  readonly samples: readonly Sample[];
  readonly isRunning: boolean;
  readonly error: Error | null;
  readonly again: () => void;
}

type State = Omit<Live, 'again'>;

const EMPTY: State = { resolved: null, lines: [], samples: [], isRunning: false, error: null };

/** Follow one training. After an error nothing is asked until `again`, unless figures are there. */
export function useTraining(id: string): Live {
  const [state, setState] = useState<State>(EMPTY);
  const [tries, setTries] = useState(0);
  const lines = useRef<readonly Line[]>([]);

  useEffect(() => {
    const gone = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const ask = async () => {
      const isFirst = lines.current.length === 0;
      let pause = EVERY_MS;
      try {
        const after = isFirst ? undefined : askedAfter(lines.current);
        const found = await api.training(id, after, gone.signal);
        lines.current = joined(lines.current, found.metrics);
        setState({
          resolved: found.resolved,
          lines: lines.current,
          samples: found.samples,
          isRunning: found.training?.is_running ?? false,
          error: null,
        });
        if (found.training?.is_running === false) pause = ENDED_MS;
      } catch (error) {
        if (gone.signal.aborted) return;
        setState((before) => ({ ...before, error: error as Error }));
        if (isFirst) return;
      }
      timer = setTimeout(whenSeen, pause);
    };
    // A page that nobody looks at asks for nothing.
    const whenSeen = () => {
      if (document.hidden) timer = setTimeout(whenSeen, EVERY_MS);
      else void ask();
    };
    void ask();
    return () => {
      gone.abort();
      clearTimeout(timer);
    };
  }, [id, tries]);

  return { ...state, again: () => setTries((n) => n + 1) };
}
