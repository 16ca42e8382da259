// A run in full: its rounds one under the other, each with what the Conductor wrote and its score.

import { memo, useEffect, useMemo, useRef, useState, type ReactNode } from 'react';

import { duration, usd } from '../format';
import { useWords } from '../settings';
import { LongText } from '../text/LongText';
import type { Clock } from './clock';
import { PlayingProvider, type Playing } from './context';
import { layout } from './layout';
import type { Proposal, RoundRun } from './run';
import { Score } from './Score';
import { StepPanel } from './StepPanel';
import { usePart, useRound, type RunStore } from './store';

interface Props {
  store: RunStore;
  clock: Clock;
  isRunning: boolean;
  /** A step to open at once, as `round.step` from 1. */
  opened?: string | null;
  onOpened?: (opened: string | null) => void;
}

export function Rounds({ store, clock, isRunning, opened, onOpened }: Props) {
  const [own, setOwn] = useState<string | null>(null);
  const shown = onOpened ? (opened ?? null) : own;
  const open = useRef(onOpened ?? setOwn);
  open.current = onOpened ?? setOwn;
  const count = usePart(store, (run) => run.rounds.length);
  const indices = usePart(store, (run) => run.rounds.map((round) => round.index).join(' '));
  const playing: Playing = useMemo(
    () => ({
      store,
      clock,
      isRunning,
      onOpen: (round, step) => open.current(`${round + 1}.${step + 1}`),
    }),
    [store, clock, isRunning],
  );
  const [, round, step] = /^(\d+)\.(\d+)$/.exec(shown ?? '') ?? [];

  return (
    <PlayingProvider value={playing}>
      {(count === 0 ? [] : indices.split(' ')).map((index) => (
        <Round key={index} index={Number(index)} store={store} isAlone={count === 1} />
      ))}
      {round !== undefined && step !== undefined && (
        <StepPanel
          round={Number(round) - 1}
          step={Number(step) - 1}
          onClose={() => open.current(null)}
        />
      )}
    </PlayingProvider>
  );
}

type RoundProps = { index: number; store: RunStore; isAlone: boolean };

const Round = memo(function Round({ index, store, isAlone }: RoundProps) {
  const words = useWords().score;
  const round = useRound(store, index);
  const workers = usePart(store, (run) => run.workers);
  if (round === undefined) return null;
  const parent = round.parent;
  const isPlain = isAlone && parent === null;

  return (
    <div className="round" role="group" aria-label={words.round(index + 1)}>
      {!isPlain && (
        <h2 className="round-name">
          {words.round(index + 1)}
          {parent && <small>{words.carriesOut(parent[0] + 1, parent[1] + 1)}</small>}
        </h2>
      )}
      <Plan round={round} workers={workers} />
      {round.workflow && (
        <Near round={round}>
          <Score round={index} workflow={round.workflow} workers={workers} />
        </Near>
      )}
      <Outcome round={round} />
    </div>
  );
});

/** What the Conductor writes, and has written. */
function Plan({ round, workers }: { round: RoundRun; workers: string[] }) {
  const words = useWords().score;
  const source = sourceOf(round, words);
  const last = round.proposals.at(-1);

  if ((round.workflow === null || round.isDraft) && round.isWriting) {
    return (
      <div className="conductor">
        <p className="caps live">{words.writes}</p>
        {round.proposals.map((proposal, i) => (
          <Refused key={i} proposal={proposal} />
        ))}
        <div className="conductor-text" dir="auto">
          <pre className="told">{round.writing.slice(-3_000) || ' '}</pre>
        </div>
        <p className="quiet conductor-pool">
          {words.toChooseFrom} <bdi>{workers.join(' · ')}</bdi>
        </p>
      </div>
    );
  }
  if (round.proposals.length === 0) {
    return round.workflow ? <p className="plan-line quiet">{source}</p> : null;
  }
  return (
    <details className="plan-line">
      <summary>
        <span className="quiet">
          {source}
          {last && (
            <span className="plan-facts">
              <bdi>{last.model}</bdi> · {duration(last.seconds)} · {usd(last.cost)}
            </span>
          )}
        </span>
      </summary>
      {round.proposals.map((proposal, i) => (
        <div key={i} className="card plan-text">
          {proposal.error !== null && <Refused proposal={proposal} />}
          <LongText text={proposal.text} />
        </div>
      ))}
    </details>
  );
}

function Refused({ proposal }: { proposal: Proposal }) {
  const words = useWords().score;
  if (proposal.error === null) return null;
  return (
    <p className="small told">
      <span className="fault">{words.noWorkflow}</span> <bdi>{proposal.error}</bdi>
    </p>
  );
}

function sourceOf(round: RoundRun, words: ReturnType<typeof useWords>['score']): string {
  switch (round.source) {
    case 'conductor':
      return words.bySource.conductor;
    case 'retry':
      return words.bySource.retry;
    case 'fallback':
      return words.bySource.fallback(round.name);
    case 'fixed':
      return round.name === '' ? words.bySource.alone : words.bySource.fixed(round.name);
    default:
      return words.bySource.none;
  }
}

/** What a round came to, where its score does not say it. */
function Outcome({ round }: { round: RoundRun }) {
  const words = useWords().score;
  return (
    <>
      {round.checks.map((check, i) => (
        <p key={i} className="quiet round-note">
          <strong>{words.checked(check.worker)}</strong>{' '}
          {check.agrees === null ? words.saysNothing : check.agrees ? words.agrees : words.disagrees}{' '}
          <bdi className="told">{(check.error ?? check.text).slice(0, 400)}</bdi>
        </p>
      ))}
      {round.unanswered && (
        <p className="round-note">
          <strong>{round.unanswered.reason === 'kept' ? words.kept : words.unanswered}</strong>{' '}
          <bdi className="told quiet">{round.unanswered.detail}</bdi>
        </p>
      )}
    </>
  );
}

/** Draws a round only while it is near what is seen: a run may have dozens. */
function Near({ round, children }: { round: RoundRun; children: ReactNode }) {
  const place = useRef<HTMLDivElement>(null);
  const [isNear, setNear] = useState(round.index < 3);
  const height = useMemo(
    () => (round.workflow ? layout(round.workflow, 1200, 0).height : 0),
    [round.workflow],
  );

  useEffect(() => {
    const seen = new IntersectionObserver((entries) => setNear(entries.at(-1)!.isIntersecting), {
      rootMargin: '600px',
    });
    seen.observe(place.current!);
    return () => seen.disconnect();
  }, []);

  return (
    <div ref={place} style={{ minHeight: height }}>
      {isNear && children}
    </div>
  );
}
