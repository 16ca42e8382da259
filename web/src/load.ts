// Loading: what a view shows while the server is asked, and once it has answered.

import { useCallback, useEffect, useState } from 'react';

export type Loaded<T> =
  | { state: 'loading'; data: T | null; error: null; reload: () => void }
  | { state: 'ready'; data: T; error: null; reload: () => void }
  | { state: 'failed'; data: T | null; error: Error; reload: () => void };

type Kept<T> = { data: T | null; error: Error | null; isLoading: boolean };

/**
 * Ask the server, again whenever `key` changes or `reload` is called.
 *
 * What was there before stays until the answer comes, so that nothing jumps.
 */
export function useLoad<T>(load: (signal: AbortSignal) => Promise<T>, key: string): Loaded<T> {
  const [tries, setTries] = useState(0);
  const [kept, setKept] = useState<Kept<T>>({ data: null, error: null, isLoading: true });
  const reload = useCallback(() => setTries((n) => n + 1), []);

  useEffect(() => {
    const gone = new AbortController();
    setKept((before) => ({ ...before, isLoading: true, error: null }));
    load(gone.signal).then(
      (data) => gone.signal.aborted || setKept({ data, error: null, isLoading: false }),
      (error: Error) =>
        gone.signal.aborted || setKept((before) => ({ ...before, error, isLoading: false })),
    );
    return () => gone.abort();
    // `load` is made anew with every rendering; `key` says when it is another question.
  }, [key, tries]);

  if (kept.error) return { state: 'failed', data: kept.data, error: kept.error, reload };
  if (kept.isLoading || kept.data === null)
    return { state: 'loading', data: kept.data, error: null, reload };
  return { state: 'ready', data: kept.data, error: null, reload };
}
