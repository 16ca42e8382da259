// The frame around every view: name, navigation, theme and language.

import type { ReactNode } from 'react';

import { Link, useAddress } from '../router';
import { choose, useSettings, useWords, type Language, type Theme } from '../settings';
import { KeyDialog } from './KeyDialog';

const VIEWS = ['ask', 'runs', 'compare', 'reports', 'training', 'spend'] as const;
export type View = (typeof VIEWS)[number];

const THEMES: Theme[] = ['auto', 'light', 'dark'];
const LANGUAGES: [Language, string][] = [
  ['en', 'EN'],
  ['ko', '한'],
];

/** Which view an address belongs to; null: none. */
export function viewOf(parts: string[]): View | null {
  if (parts.length === 0) return 'ask';
  return VIEWS.find((view) => view === parts[0]) ?? null;
}

export function Shell({ children }: { children: ReactNode }) {
  const words = useWords();
  const { parts } = useAddress();
  const current = viewOf(parts);

  return (
    <>
      <a className="skip" href="#content">
        {words.nav.skip}
      </a>
      <header className="masthead">
        <Link to="/" className="wordmark" aria-label={words.nav.home}>
          Partbook
        </Link>
        <nav aria-label={words.nav.label}>
          <ul>
            {VIEWS.map((view) => (
              <li key={view}>
                <Link
                  to={view === 'ask' ? '/' : `/${view}`}
                  aria-current={view === current ? 'page' : undefined}
                >
                  {words.nav[view]}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        <Choices />
      </header>
      <main id="content" tabIndex={-1}>
        {children}
      </main>
      <footer className="colophon">
        <a href="/assets/licences.txt">{words.nav.licences}</a>
      </footer>
      <KeyDialog />
    </>
  );
}

function Choices() {
  const words = useWords();
  const { theme, language } = useSettings();
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length]!;

  return (
    <div className="choices" role="group" aria-label={words.nav.settings}>
      <button
        type="button"
        className="plain"
        aria-label={`${words.nav.theme}: ${words.nav[theme]}`}
        title={`${words.nav.theme}: ${words.nav[theme]}`}
        onClick={() => choose({ theme: next })}
      >
        <ThemeMark theme={theme} />
      </button>
      {LANGUAGES.map(([name, mark]) => (
        <button
          key={name}
          type="button"
          className="plain"
          lang={name}
          aria-pressed={name === language}
          aria-label={name === 'en' ? 'English' : '한국어'}
          onClick={() => choose({ language: name })}
        >
          {mark}
        </button>
      ))}
    </div>
  );
}

/** A disc: empty for light, full for dark, half for the system's choice. */
function ThemeMark({ theme }: { theme: Theme }) {
  return (
    <svg viewBox="0 0 16 16" width="15" height="15" aria-hidden="true">
      <circle cx="8" cy="8" r="6.2" fill="none" stroke="currentColor" strokeWidth="1.3" />
      {theme === 'dark' && <circle cx="8" cy="8" r="6.2" fill="currentColor" />}
      {theme === 'auto' && <path d="M8 1.8a6.2 6.2 0 0 1 0 12.4z" fill="currentColor" />}
    </svg>
  );
}
