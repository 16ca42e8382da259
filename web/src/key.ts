// The API key, where the server needs one: kept for this tab alone, and asked for once, whoever
// finds out first that it is missing.

const NAME = 'partbook-key';

let waiting: ((key: string | null) => void)[] = [];
const listeners = new Set<() => void>();

export function currentKey(): string | null {
  return sessionStorage.getItem(NAME);
}

/** Wait until somebody gives a key; null: they would not. Forgets the one before. */
export function askForKey(refused: string | null): Promise<string | null> {
  if (refused !== null && currentKey() !== refused) return Promise.resolve(currentKey());
  sessionStorage.removeItem(NAME);
  return new Promise((resolve) => {
    waiting.push(resolve);
    tell();
  });
}

/** Go on with a key, or without. */
export function giveKey(key: string | null): void {
  if (key !== null) sessionStorage.setItem(NAME, key);
  const all = waiting;
  waiting = [];
  for (const resolve of all) resolve(key);
  tell();
}

export function isKeyWanted(): boolean {
  return waiting.length > 0;
}

export function onKeyWanted(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function tell(): void {
  for (const listener of listeners) listener();
}
