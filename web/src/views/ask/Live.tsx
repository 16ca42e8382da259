// A question while it is answered. Loaded anew, it begins from the first event and goes on; where
// the server no longer knows it, what was kept is shown and asking again is offered.

import { useEffect, useMemo, useRef, useState } from 'react';

import { api, ApiError, type RunEvent } from '../../api';
import { follow } from '../../follow';
import { navigate } from '../../router';
import { LiveClock } from '../../score/clock';
import { Rounds } from '../../score/Rounds';
import { RunBar } from '../../score/RunBar';
import { RunStore, usePart } from '../../score/store';
import { useWords } from '../../settings';
import { Problem } from '../../shell/Boundary';
import { Answer } from './Answer';
import { currentDraft, keepDraft, whatWasAsked } from './asked';
import { Question } from './Question';

type Lost = 'kept' | 'forgotten';

interface Watched {
  store: RunStore;
  clock: LiveClock;
  isOnLine: boolean;
  /** The server has forgotten the question: whether its run was kept. */
  lost: Lost | null;
  error: Error | null;
}

export function Live({ id }: { id: string }) {
  const words = useWords();
  const { store, clock, isOnLine, lost, error } = useWatched(id);
  const status = usePart(store, (run) => run.status);
  const question = usePart(store, (run) => run.question) || whatWasAsked(id)?.question || '';
  const isRunning = status === 'running' && lost === null && error === null;

  const again = () => {
    keepDraft({ ...currentDraft(), ...whatWasAsked(id), question });
    navigate('/');
  };

  return (
    <div className="page run-page">
      <Question text={question} isPending={question === '' && isRunning} />
      <RunBar store={store} clock={clock} isRunning={isRunning} isOnLine={isRunning ? isOnLine : null}>
        {isRunning ? <Stop id={id} /> : <button onClick={again}>{words.ask.again}</button>}
      </RunBar>
      {lost !== null && (
        <div className="problem" role="alert">
          <strong>{words.ask.restarted}</strong>
          <p>{lost === 'kept' ? words.ask.restartedKept : words.ask.restartedForgotten}</p>
          <button type="button" onClick={again}>
            {words.ask.again}
          </button>
        </div>
      )}
      {error && <Problem error={error} onAgain={() => location.reload()} />}
      <Rounds store={store} clock={clock} isRunning={isRunning} />
      <Answer store={store} isRunning={isRunning} />
    </div>
  );
}

function useWatched(id: string): Watched {
  const store = useMemo(() => new RunStore(), [id]);
  const clock = useMemo(() => new LiveClock(), [id]);
  const [isOnLine, setOnLine] = useState(true);
  const [lost, setLost] = useState<Lost | null>(null);
  const [error, setError] = useState<Error | null>(null);

  useEffect(() => {
    const gone = new AbortController();
    const heard = (event: RunEvent) => {
      if (event.type === 'run_finished') clock.stop(event.seconds);
      else clock.heard(event.at_s);
    };
    const watch = async () => {
      try {
        await follow(
          id,
          {
            onEvents: (events) => {
              events.forEach(({ event }) => heard(event));
              store.push(events.map(({ event }) => event));
            },
            onLine: setOnLine,
          },
          gone.signal,
        );
      } catch (problem) {
        if (gone.signal.aborted) return;
        if (!(problem instanceof ApiError) || problem.status !== 404) throw problem;
        setLost((await showKept(id, store, clock, gone.signal)) ? 'kept' : 'forgotten');
      }
    };
    watch().catch((problem: Error) => gone.signal.aborted || setError(problem));
    return () => {
      gone.abort();
      store.forget();
    };
  }, [id, store, clock]);

  return { store, clock, isOnLine, lost, error };
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

function Stop({ id }: { id: string }) {
  const words = useWords().ask;
  const [state, setState] = useState<'idle' | 'asked' | 'failed'>('idle');
  const isGone = useRef(false);
  useEffect(() => () => void (isGone.current = true), []);

  const stop = async () => {
    setState('asked');
    try {
      await api.stop(id);
    } catch {
      if (!isGone.current) setState('failed');
    }
  };

  return (
    <button type="button" onClick={() => void stop()} disabled={state === 'asked'}>
      {state === 'asked' ? words.stopping : state === 'failed' ? words.stopAgain : words.stop}
    </button>
  );
}
