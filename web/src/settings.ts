// What the reader has chosen: theme and language. Kept in this browser; nothing that was asked is.

import { useSyncExternalStore } from 'react';

import { en, type Words } from './words/en';
import { ko } from './words/ko';

export type Theme = 'light' | 'dark' | 'auto';
export type Language = 'en' | 'ko';

export interface Settings {
  theme: Theme;
  language: Language;
}

const THEME = 'partbook-theme';
const LANGUAGE = 'partbook-language';
const DICTIONARIES: Record<Language, Words> = { en, ko };

const listeners = new Set<() => void>();
let settings: Settings = { theme: storedTheme(), language: storedLanguage() };
apply();

export function useSettings(): Settings {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => settings,
  );
}

/** The words of the page, in the reader's language. */
export function useWords(): Words {
  return DICTIONARIES[useSettings().language];
}

/** What numbers and dates are written by: `en` or `ko`. */
export function useLocale(): string {
  return useSettings().language;
}

export function choose(change: Partial<Settings>): void {
  settings = { ...settings, ...change };
  keep(THEME, settings.theme);
  keep(LANGUAGE, settings.language);
  apply();
  for (const listener of listeners) listener();
}

function apply(): void {
  document.documentElement.dataset['theme'] = settings.theme;
  document.documentElement.lang = settings.language;
}

function storedTheme(): Theme {
  const stored = kept(THEME);
  return stored === 'light' || stored === 'dark' ? stored : 'auto';
}

function storedLanguage(): Language {
  const stored = kept(LANGUAGE);
  if (stored === 'en' || stored === 'ko') return stored;
  return navigator.language.startsWith('ko') ? 'ko' : 'en';
}

function kept(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null; // storage is forbidden: the choice lasts as long as the page
  }
}

function keep(name: string, value: string): void {
  try {
    localStorage.setItem(name, value);
  } catch {
    // as above
  }
}
