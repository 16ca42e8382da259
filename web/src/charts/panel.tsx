// Small parts that several views share: a head, a section, tiles, a choice among a few, a list.

import { useId } from 'react';
import type { ReactNode } from 'react';

import type { Loaded } from '../load';
import { useWords } from '../settings';
import { Problem } from '../shell/Boundary';
import './charts.css';
import './panel.css';

interface HeadProps {
  /** What kind of thing this is, above the title. */
  readonly kicker?: ReactNode;
  readonly title: ReactNode;
  readonly children?: ReactNode;
}

/** The head of a view. */
export function Head({ kicker, title, children }: HeadProps) {
  return (
    <header className="panel-head">
      {kicker && <p className="caps">{kicker}</p>}
      <h1>{title}</h1>
      {children && <div className="panel-lead">{children}</div>}
    </header>
  );
}

interface SectionProps {
  readonly title: ReactNode;
  readonly lead?: ReactNode;
  /** What stands at the right of the title, as a choice. */
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}

/** A part of a view with its own heading. */
export function Section({ title, lead, aside, children }: SectionProps) {
  const id = useId();
  return (
    <section className="panel" aria-labelledby={id}>
      <div className="panel-top">
        <h2 id={id}>{title}</h2>
        {aside}
      </div>
      {lead && <p className="quiet panel-lead">{lead}</p>}
      {children}
    </section>
  );
}

export interface TileProps {
  readonly name: ReactNode;
  readonly figure: ReactNode;
  readonly note?: ReactNode;
  readonly kind?: 'good' | 'fault' | '';
}

/** Figures that matter most, in a row. */
export function Tiles({ tiles }: { tiles: readonly TileProps[] }) {
  return (
    <dl className="tiles">
      {tiles.map((tile, i) => (
        <div key={i} className={`tile ${tile.kind ?? ''}`}>
          <dt>{tile.name}</dt>
          <dd className="tile-figure">{tile.figure}</dd>
          {tile.note && <dd className="tile-note">{tile.note}</dd>}
        </div>
      ))}
    </dl>
  );
}

interface ChoiceProps<T extends string> {
  readonly label: string;
  readonly options: readonly (readonly [T, string])[];
  readonly value: T;
  readonly onChange: (value: T) => void;
}

/** One of a few, all in sight: radio buttons, moved among by the arrow keys. */
export function Choice<T extends string>({ label, options, value, onChange }: ChoiceProps<T>) {
  const name = useId();
  return (
    <fieldset className="choice">
      <legend>{label}</legend>
      {options.map(([option, words]) => (
        <label key={option}>
          <input
            type="radio"
            name={name}
            checked={option === value}
            onChange={() => onChange(option)}
          />
          <span>{words}</span>
        </label>
      ))}
    </fieldset>
  );
}

/** What there is to say where nothing is. */
export function Nothing({ said, how }: { said: string; how?: string }) {
  return (
    <div className="nothing">
      <p>{said}</p>
      {how && <p className="quiet">{how}</p>}
    </div>
  );
}

interface EntriesProps<T> {
  readonly words: Record<'title' | 'lead' | 'none' | 'noneHow', string>;
  readonly loaded: Loaded<readonly T[]>;
  /** An `li` with a key. */
  readonly children: (one: T) => ReactNode;
}

/** A view that is a list of things that each have a page of their own. */
export function Entries<T>({ words, loaded, children }: EntriesProps<T>) {
  const { common } = useWords();
  const { data } = loaded;
  return (
    <>
      <Head title={words.title}>{words.lead}</Head>
      {loaded.state === 'failed' && <Problem error={loaded.error} onAgain={loaded.reload} />}
      {loaded.state === 'loading' && data === null && <p className="quiet">{common.loading}</p>}
      {data?.length === 0 && <Nothing said={words.none} how={words.noneHow} />}
      {data !== null && data.length > 0 && <ul className="entries">{data.map(children)}</ul>}
    </>
  );
}
