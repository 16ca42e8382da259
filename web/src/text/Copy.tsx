// A button that copies a text, and says that it has.

import { useEffect, useState } from 'react';

import { useWords } from '../settings';

export function Copy({ text, label }: { text: string | (() => string); label?: string }) {
  const words = useWords().common;
  const [isDone, setDone] = useState(false);

  useEffect(() => {
    if (!isDone) return;
    const timer = setTimeout(() => setDone(false), 1_600);
    return () => clearTimeout(timer);
  }, [isDone]);

  const copy = async () => {
    await navigator.clipboard.writeText(typeof text === 'string' ? text : text());
    setDone(true);
  };

  return (
    <button type="button" className="plain" onClick={() => void copy()}>
      <span aria-live="polite">{isDone ? words.copied : (label ?? words.copy)}</span>
    </button>
  );
}
