// Which view stands at which address. Each is loaded when it is first shown.

import { lazy, Suspense, useEffect, useRef, type ComponentType } from 'react';

import { useAddress } from './router';
import { useWords } from './settings';
import { Boundary } from './shell/Boundary';
import { Shell, viewOf, type View } from './shell/Shell';

const VIEWS: Record<View, ComponentType> = {
  ask: lazy(() => import('./views/ask/Ask')),
  runs: lazy(() => import('./views/runs/Runs')),
  compare: lazy(() => import('./views/compare/Compare')),
  reports: lazy(() => import('./views/reports/Reports')),
  training: lazy(() => import('./views/training/Training')),
  spend: lazy(() => import('./views/spend/Spend')),
};

export function App() {
  const words = useWords();
  const view = viewOf(useAddress().parts);
  const before = useRef(view);
  const Shown = view === null ? null : VIEWS[view];

  useEffect(() => {
    document.title = view === null ? 'Partbook' : `${words.nav[view]} · Partbook`;
    // A reader who cannot see that the view has changed is taken to it.
    if (before.current !== view) document.getElementById('content')?.focus();
    before.current = view;
  }, [view, words]);

  return (
    <Shell>
      <Boundary name={view ?? ''}>
        <Suspense fallback={<p className="quiet page-loading">{words.common.loading}</p>}>
          {Shown === null ? (
            <div className="page">
              <h1>404</h1>
              <p>{words.common.notFound}</p>
            </div>
          ) : (
            <Shown />
          )}
        </Suspense>
      </Boundary>
    </Shell>
  );
}
