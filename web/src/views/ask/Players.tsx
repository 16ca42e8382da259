// The pool: who may play, as the page of a score that lists its instruments.

import type { About, AboutWorker, Asking } from '../../api';
import { usd } from '../../format';
import { useWords } from '../../settings';

interface Props {
  about: About;
  asking: Asking;
  change: (part: Partial<Asking>) => void;
  system: string;
}

export function Players({ about, asking, change, system }: Props) {
  const words = useWords().ask;
  const out = new Set(asking.exclude ?? []);
  const alone = system.startsWith('worker:') ? system.slice('worker:'.length) : null;

  const toggle = (name: string) => {
    const next = new Set(out);
    if (!next.delete(name)) next.add(name);
    change({ exclude: next.size > 0 ? [...next] : undefined });
  };

  return (
    <fieldset className="players">
      <legend>
        {words.pool} <i>{about.pool.name}</i>
      </legend>
      {about.pool.about && <p className="quiet">{about.pool.about}</p>}
      <ul>
        {about.workers.map((worker) => {
          const plays = alone === null ? !out.has(worker.name) : worker.name === alone;
          const isLast = plays && alone === null && out.size === about.workers.length - 1;
          return (
            <li key={worker.name} className={plays ? undefined : 'tacet'}>
              <label>
                <input
                  type="checkbox"
                  checked={plays}
                  disabled={alone !== null || isLast}
                  onChange={() => toggle(worker.name)}
                />
                <span className="player-name">{worker.name}</span>
                {!plays && <i className="player-tacet">tacet</i>}
              </label>
              <p className="player-card">{worker.card}</p>
              <p className="player-facts">{facts(worker, words).join(' · ')}</p>
            </li>
          );
        })}
      </ul>
    </fieldset>
  );
}

function facts(worker: AboutWorker, words: ReturnType<typeof useWords>['ask']): string[] {
  const all: string[] = [];
  if (worker.model) all.push(worker.model);
  if (worker.place !== null) all.push(words.places[worker.place]);
  if (worker.price !== null) {
    const { input_usd, output_usd } = worker.price;
    const isFree = Number(input_usd) === 0 && Number(output_usd) === 0;
    all.push(isFree ? words.free : words.price(usd(input_usd), usd(output_usd)));
  } else all.push(words.noPrice);
  return all;
}
