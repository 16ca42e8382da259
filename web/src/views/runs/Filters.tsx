// The filters of the list; each change is another address.

import { useEffect, useState } from 'react';

import type { About } from '../../api';
import { useWords } from '../../settings';
import type { Wanted } from './RunList';

/** How long typing rests before the list is fetched. */
const REST_MS = 250;

interface Props {
  wanted: Wanted;
  about: About | null;
  change: (part: Wanted) => void;
}

export function Filters({ wanted, about, change }: Props) {
  const words = useWords();
  const { text, ...others } = wanted;
  const set = Object.keys(others).length;

  return (
    <search className="filters">
      <Typed
        name={words.runs.search}
        value={text ?? ''}
        onTyped={(v) => change({ text: v })}
        isSearch
      />
      <details open={set > 0 ? true : undefined}>
        <summary>
          {words.runs.filters}
          {set > 0 && ` (${set})`}
        </summary>
        <div className="filters-fields">
          <Chosen
            name={words.runs.status}
            value={wanted.status}
            onChosen={(status) => change({ status })}
            options={['answered', 'stopped', 'failed', 'unfinished'].map((status) => [
              status,
              words.run.states[status as 'answered'],
            ])}
          />
          <Chosen
            name={words.runs.worker}
            value={wanted.worker}
            onChosen={(worker) => change({ worker })}
            options={(about?.workers ?? []).map(({ name }) => [name, name])}
          />
          <Chosen
            name={words.runs.verdict}
            value={wanted.verdict}
            onChosen={(verdict) => change({ verdict })}
            options={['right', 'wrong', 'not judged'].map((verdict) => [
              verdict,
              words.runs.verdicts[verdict as 'right'],
            ])}
          />
          <Typed
            name={words.runs.task}
            value={wanted.task ?? ''}
            onTyped={(task) => change({ task })}
          />
          <Typed
            name={words.runs.minUsd}
            value={wanted.min_usd ?? ''}
            onTyped={(v) => change({ min_usd: v })}
            isMoney
          />
          <Typed
            name={words.runs.maxUsd}
            value={wanted.max_usd ?? ''}
            onTyped={(v) => change({ max_usd: v })}
            isMoney
          />
          <label>
            {words.runs.since}
            <input
              type="date"
              value={wanted.since ?? ''}
              onChange={(event) => change({ since: event.target.value })}
            />
          </label>
          <label>
            {words.runs.until}
            <input
              type="date"
              value={wanted.until ?? ''}
              onChange={(event) => change({ until: event.target.value })}
            />
          </label>
        </div>
        {set > 0 && (
          <button
            type="button"
            className="plain"
            onClick={() =>
              change(Object.fromEntries(Object.keys(others).map((name) => [name, ''])))
            }
          >
            {words.runs.clear}
          </button>
        )}
      </details>
    </search>
  );
}

type ChosenProps = {
  name: string;
  value: string | undefined;
  onChosen: (value: string) => void;
  options: [string, string][];
};

function Chosen({ name, value, onChosen, options }: ChosenProps) {
  const words = useWords().common;
  return (
    <label>
      {name}
      <select value={value ?? ''} onChange={(event) => onChosen(event.target.value)}>
        <option value="">{words.all}</option>
        {options.map(([id, shown]) => (
          <option key={id} value={id}>
            {shown}
          </option>
        ))}
      </select>
    </label>
  );
}

type TypedProps = {
  name: string;
  value: string;
  onTyped: (value: string) => void;
  isSearch?: boolean;
  isMoney?: boolean;
};

/** A field whose value counts once typing rests. */
function Typed({ name, value, onTyped, isSearch, isMoney }: TypedProps) {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  useEffect(() => {
    const said = isMoney && !/^\d*\.?\d*$/.test(typed) ? value : typed.trim();
    if (said === value) return;
    const timer = setTimeout(() => onTyped(said), REST_MS);
    return () => clearTimeout(timer);
    // `onTyped` is made anew with every rendering of the list.
  }, [typed, value]);

  return (
    <label className={isSearch ? 'filters-search' : undefined}>
      <span className={isSearch ? 'hidden' : undefined}>{name}</span>
      <input
        type={isSearch ? 'search' : 'text'}
        inputMode={isMoney ? 'decimal' : undefined}
        placeholder={isSearch ? name : undefined}
        dir="auto"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
    </label>
  );
}
