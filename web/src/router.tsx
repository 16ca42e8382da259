// Addresses: which view is shown, and links that do not load the page anew.

import { useSyncExternalStore, type AnchorHTMLAttributes, type MouseEvent } from 'react';

const CHANGED = 'partbook:moved';

/** Go to an address of the page. */
export function navigate(to: string, how: 'push' | 'replace' = 'push'): void {
  if (to === location.pathname + location.search) return;
  if (how === 'push') history.pushState(null, '', to);
  else history.replaceState(null, '', to);
  dispatchEvent(new Event(CHANGED));
}

function subscribe(listener: () => void): () => void {
  addEventListener('popstate', listener);
  addEventListener(CHANGED, listener);
  return () => {
    removeEventListener('popstate', listener);
    removeEventListener(CHANGED, listener);
  };
}

export interface Address {
  /** The path's parts: /runs/a-b gives ['runs', 'a-b']. */
  parts: string[];
  query: URLSearchParams;
}

export function useAddress(): Address {
  const href = useSyncExternalStore(subscribe, () => location.pathname + location.search);
  const url = new URL(href, location.origin);
  return {
    parts: url.pathname.split('/').filter(Boolean).map(decoded),
    query: url.searchParams,
  };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // an address typed by hand, with a lone %
  }
}

type LinkProps = AnchorHTMLAttributes<HTMLAnchorElement> & { to: string };

export function Link({ to, onClick, ...rest }: LinkProps) {
  const go = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event);
    const elsewhere = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
    if (event.defaultPrevented || elsewhere || event.button !== 0) return;
    event.preventDefault();
    navigate(to);
  };
  return <a href={to} onClick={go} {...rest} />;
}
