// The list of runs: searched and filtered by the server, fetched page by page as it is scrolled,
// and drawn only where it is seen. The filters stand in the address.

import { useEffect, useMemo, useState } from 'react';

import { api, type About, type RunFilter } from '../../api';
import { useLoad } from '../../load';
import { navigate, useAddress } from '../../router';
import { useWords } from '../../settings';
import { Problem } from '../../shell/Boundary';
import { Filters } from './Filters';
import { RunRows } from './RunRows';
import { usePages } from './pages';

const NAMES = [
  'text',
  'status',
  'worker',
  'task',
  'verdict',
  'min_usd',
  'max_usd',
  'since',
  'until',
] as const;

export type Wanted = Partial<Record<(typeof NAMES)[number], string>>;

export function RunList() {
  const words = useWords().runs;
  const { query } = useAddress();
  const search = query.toString();
  const wanted = useMemo(() => wantedOf(new URLSearchParams(search)), [search]);
  const about = useLoad((signal) => api.about(signal), 'about').data as About | null;
  const pages = usePages(asked(wanted));
  const [picked, setPicked] = useState<string | null>(null);
  const isFiltered = Object.keys(wanted).length > 0;

  useEffect(() => setPicked(null), [search]);

  const change = (part: Wanted) => {
    const next = new URLSearchParams();
    for (const [name, value] of Object.entries({ ...wanted, ...part })) {
      if (value) next.set(name, value);
    }
    navigate(next.size > 0 ? `/runs?${next}` : '/runs', 'replace');
  };

  const pick = (id: string) => {
    if (picked === null) setPicked(id);
    else if (picked === id) setPicked(null);
    else navigate(`/runs/${encodeURIComponent(picked)}?with=${encodeURIComponent(id)}`);
  };

  return (
    <div className="page runs-page">
      <header className="runs-head">
        <h1>{words.title}</h1>
        <p className="quiet" role="status">
          {pages.total === null ? '' : words.total(pages.total)}
        </p>
      </header>
      <Filters wanted={wanted} about={about} change={change} />
      {picked !== null && (
        <p className="runs-picked">
          {words.pickOne}{' '}
          <button type="button" onClick={() => setPicked(null)}>
            {words.unpick}
          </button>
        </p>
      )}
      {pages.error && <Problem error={pages.error} onAgain={pages.reload} />}
      {pages.total === 0 && <p className="runs-none">{isFiltered ? words.none : words.noneYet}</p>}
      <RunRows
        runs={pages.runs}
        total={pages.total ?? 0}
        onMore={pages.more}
        picked={picked}
        onPick={pick}
      />
      {pages.isLoading && pages.runs.length > 0 && (
        <p className="quiet runs-more">{words.loadingMore}</p>
      )}
    </div>
  );
}

function wantedOf(query: URLSearchParams): Wanted {
  const found: Wanted = {};
  for (const name of NAMES) {
    const value = query.get(name);
    if (value) found[name] = value;
  }
  return found;
}

/** Days, as they stand in the address, as the seconds that the server takes. */
function asked(wanted: Wanted): RunFilter {
  const { since, until, ...rest } = wanted;
  return {
    ...rest,
    since: dayStart(since, 0),
    until: dayStart(until, 1),
  };
}

function dayStart(day: string | undefined, plusDays: number): string | undefined {
  if (day === undefined) return undefined;
  const [year, month, date] = day.split('-').map(Number);
  const at = new Date(year ?? NaN, (month ?? NaN) - 1, (date ?? NaN) + plusDays).getTime();
  return Number.isFinite(at) ? String(at / 1000) : undefined;
}
