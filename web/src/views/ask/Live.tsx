// A question while it is answered. Loaded anew, it begins from the first event and goes on; where
// the server no longer knows it, what was kept is shown and asking again is offered.

import { useEffect, useMemo, useRef, useState } from 'react';

import { api } from '../../api';
import { navigate } from '../../router';
import { LiveClock } from '../../score/clock';
import { Rounds } from '../../score/Rounds';
import { RunBar } from '../../score/RunBar';
import { RunStore, usePart } from '../../score/store';
import { watch, type Seen } from '../../score/watch';
import { useWords } from '../../settings';
import { Problem } from '../../shell/Boundary';
import { Answer } from './Answer';
import { currentDraft, keepDraft, whatWasAsked } from './asked';
import { Question } from './Question';

interface Watched {
  store: RunStore;
  clock: LiveClock;
  isOnLine: boolean;
  /** The server has forgotten the question: whether its run was kept. */
  lost: Exclude<Seen, 'whole'> | null;
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
  const [lost, setLost] = useState<Watched['lost']>(null);
  const [error, setError] = useState<Error | null>(null);

  useEffect(() => {
    const gone = new AbortController();
    watch(id, store, clock, setOnLine, gone.signal).then(
      (seen) => gone.signal.aborted || setLost(seen === 'whole' ? null : seen),
      (problem: Error) => gone.signal.aborted || setError(problem),
    );
    return () => {
      gone.abort();
      store.forget();
    };
  }, [id, store, clock]);

  return { store, clock, isOnLine, lost, error };
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
