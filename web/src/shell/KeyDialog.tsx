// Asks for the API key, where the server wants one; whoever asked goes on with it.

import { useEffect, useRef, useSyncExternalStore, type FormEvent } from 'react';

import { giveKey, isKeyWanted, onKeyWanted } from '../key';
import { useWords } from '../settings';

export function KeyDialog() {
  const words = useWords().key;
  const isWanted = useSyncExternalStore(onKeyWanted, isKeyWanted);
  const dialog = useRef<HTMLDialogElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const given = useRef(0);

  useEffect(() => {
    if (isWanted) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isWanted]);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const key = field.current?.value.trim() ?? '';
    if (key === '') return;
    given.current += 1;
    field.current!.value = '';
    giveKey(key);
  };

  return (
    <dialog ref={dialog} aria-labelledby="key-title" onCancel={() => giveKey(null)}>
      <form onSubmit={submit}>
        <h2 id="key-title">{words.title}</h2>
        {isWanted && given.current > 0 && <p role="alert">{words.refused}</p>}
        <p className="quiet">{words.about}</p>
        <label>
          {words.label}
          <input ref={field} type="password" autoComplete="off" spellCheck={false} required />
        </label>
        <div className="row end">
          <button type="button" onClick={() => giveKey(null)}>
            {words.cancel}
          </button>
          <button type="submit" className="primary">
            {words.use}
          </button>
        </div>
      </form>
    </dialog>
  );
}
