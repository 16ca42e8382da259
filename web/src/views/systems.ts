// The systems that a question can be put to, by their kind.

import type { About, AboutSystem } from '../contract';

export type Kind = 'conductor' | 'workflow' | 'worker';

export const KINDS: readonly Kind[] = ['conductor', 'workflow', 'worker'];

/** Those of one kind: an id is `conductor`, `workflow:NAME` or `worker:NAME`. */
export function systemsOf(about: About | null, kind: Kind): AboutSystem[] {
  return (about?.systems ?? []).filter((one) => one.id.split(':')[0] === kind);
}
