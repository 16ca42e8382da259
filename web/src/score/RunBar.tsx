// The line that stays in sight: how the run stands, its clock, calls, tokens and money.

import type { ReactNode } from 'react';

import { count, duration } from '../format';
import { useWords } from '../settings';
import { useSeconds, type Clock } from './clock';
import { costText, figuresOf } from './figures';
import type { Run } from './run';
import { usePart, type RunStore } from './store';

interface Props {
  store: RunStore;
  clock: Clock;
  isRunning: boolean;
  /** Whether events come in; null: they are not awaited. */
  isOnLine: boolean | null;
  children?: ReactNode;
}

export function RunBar({ store, clock, isRunning, isOnLine, children }: Props) {
  const words = useWords();
  const run = usePart(store, (one) => one);
  const seconds = useSeconds(clock, isRunning);
  const figures = figuresOf(run);
  const isPlayed = run.status !== 'running';

  return (
    <div className="run-bar">
      <span className={`run-state ${run.status}`}>
        <i className="mark" aria-hidden="true" />
        {words.run.states[run.status]}
      </span>
      <dl>
        <Figure name={words.run.time}>
          {duration(isPlayed ? (run.seconds ?? seconds) : seconds)}
        </Figure>
        <Figure name={words.run.calls}>{count(figures.calls)}</Figure>
        <Figure name={words.run.tokens}>{count(figures.tokens)}</Figure>
        <Figure name={words.run.cost}>{costText(figures)}</Figure>
      </dl>
      {isOnLine === false && <span className="off-line">{words.run.offLine}</span>}
      {run.isCut && <span className="off-line">{words.run.isCut}</span>}
      <span className="run-tools">{children}</span>
      <span className="hidden" role="status">
        {spoken(run, words)}
      </span>
    </div>
  );
}

function Figure({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** What a reader who cannot see is told as it happens. */
function spoken(run: Run, words: ReturnType<typeof useWords>): string {
  if (run.status !== 'running') return words.run.states[run.status];
  const round = run.rounds.at(-1);
  if (round === undefined) return '';
  if (round.workflow === null) return words.score.writes;
  const done = round.steps.filter((step) => step.finishedAt !== null).length;
  return words.run.progress(done, round.steps.length);
}
