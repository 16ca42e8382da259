// Runs, page by page: those that fit a filter, as many as were scrolled to.

import { useCallback, useEffect, useRef, useState } from 'react';

import { api, type RunFilter, type RunSummary } from '../../api';

const PAGE = 100;

export interface Pages {
  runs: RunSummary[];
  total: number | null;
  isLoading: boolean;
  error: Error | null;
  /** Fetch the next page, if there is one and none is on its way. */
  more: () => void;
  reload: () => void;
}

type Kept = { runs: RunSummary[]; total: number | null; next: string | null };

const NONE: Kept = { runs: [], total: null, next: null };

export function usePages(filter: RunFilter): Pages {
  const key = JSON.stringify(filter);
  const [kept, setKept] = useState<Kept>(NONE);
  const [isLoading, setLoading] = useState(true);
  const [error, setError] = useState<Error | null>(null);
  const [tries, setTries] = useState(0);
  const now = useRef({ key, kept, isLoading: false });
  now.current.kept = kept;

  const fetchPage = useCallback(async (of: string, before: string | null, signal: AbortSignal) => {
    now.current.isLoading = true;
    setLoading(true);
    setError(null);
    try {
      const wanted = { ...(JSON.parse(of) as RunFilter), limit: PAGE, before: before ?? undefined };
      const page = await api.runs(wanted, signal);
      if (signal.aborted || now.current.key !== of) return;
      setKept((all) => ({
        runs: before === null ? page.runs : [...all.runs, ...page.runs],
        total: page.total,
        next: page.next,
      }));
    } catch (problem) {
      if (!signal.aborted) setError(problem as Error);
    } finally {
      if (!signal.aborted) {
        now.current.isLoading = false;
        setLoading(false);
      }
    }
  }, []);

  const gone = useRef(new AbortController());
  useEffect(() => {
    now.current.key = key;
    gone.current = new AbortController();
    void fetchPage(key, null, gone.current.signal);
    return () => gone.current.abort();
  }, [key, tries, fetchPage]);

  const more = useCallback(() => {
    const { key: of, kept: have, isLoading: busy } = now.current;
    if (!busy && have.next !== null) void fetchPage(of, have.next, gone.current.signal);
  }, [fetchPage]);

  const reload = useCallback(() => setTries((n) => n + 1), []);
  return { ...kept, isLoading, error, more, reload };
}
