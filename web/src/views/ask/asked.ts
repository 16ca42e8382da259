// What was asked in this page, for as long as it is open: to fill the box again, and to offer to
// ask once more where the server has forgotten. In memory alone; nothing of it is stored.

import type { Asking } from '../../contract';

let draft: Asking = { question: '' };
const asked = new Map<string, Asking>();

export function currentDraft(): Asking {
  return draft;
}

export function keepDraft(asking: Asking): void {
  draft = asking;
}

export function remember(ask: string, asking: Asking): void {
  asked.set(ask, asking);
}

export function whatWasAsked(ask: string): Asking | null {
  return asked.get(ask) ?? null;
}
