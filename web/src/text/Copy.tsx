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

  const copy = async (button: HTMLElement) => {
    setDone(await isCopied(typeof text === 'string' ? text : text(), button));
  };

  return (
    <button type="button" className="plain" onClick={(event) => void copy(event.currentTarget)}>
      <span aria-live="polite">{isDone ? words.copied : (label ?? words.copy)}</span>
    </button>
  );
}

/** Copy a text; `near` is where it may stand for a moment. */
async function isCopied(text: string, near: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Only pages by https or of this machine have a clipboard; elsewhere a selection is copied.
    const box = document.createElement('textarea');
    box.className = 'hidden';
    box.value = text;
    near.after(box);
    box.select();
    const isDone = document.execCommand('copy');
    box.remove();
    near.focus();
    return isDone;
  }
}
