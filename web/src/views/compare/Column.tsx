// One system's run: how it stands, what it takes, its small plan, its answer.

import { memo } from 'react';

import { count, duration } from '../../format';
import { Link } from '../../router';
import { useSeconds } from '../../score/clock';
import { costText, figuresOf } from '../../score/figures';
import { answerOf, type Run, type StepRun } from '../../score/run';
import { usePart } from '../../score/store';
import { useWords } from '../../settings';
import { Problem } from '../../shell/Boundary';
import { Prose } from '../../text/Prose';
import { SmallPlan } from './SmallPlan';
import type { Player } from './fleet';

export const Column = memo(function Column({ player }: { player: Player }) {
  const words = useWords().more.compare;
  const run = usePart(player.store, (one) => one);
  const [kind, name] = named(player.asked.system);
  const state = player.line === 'lost' ? 'lost' : run.status;
  return (
    <article className="compare-column" aria-label={player.asked.system}>
      <header>
        <h2>{name}</h2>
        <span className={`compare-state ${state}`}>
          <i aria-hidden="true" />
          {words.states[state]}
        </span>
        <span className="caps compare-kind">{words.kinds[kind ?? ''] ?? kind}</span>
      </header>
      <Spent player={player} run={run} />
      <Plan run={run} />
      <div className="compare-said-by">
        <Answer player={player} run={run} />
      </div>
      <footer>
        {run.id !== '' && (
          <Link to={`/runs/${encodeURIComponent(player.asked.id)}`}>{words.run}</Link>
        )}
      </footer>
    </article>
  );
});

function named(system: string): [string | null, string] {
  const at = system.indexOf(':');
  return at < 0 ? [null, system] : [system.slice(0, at), system.slice(at + 1)];
}

function Spent({ player, run }: { player: Player; run: Run }) {
  const words = useWords().more.compare;
  const seconds = useSeconds(player.clock, player.isRunning && run.id !== '');
  const figures = figuresOf(run);
  const shown: [string, string][] = [
    [words.calls, count(figures.calls)],
    [words.tokens, count(figures.tokens)],
    [words.money, costText(figures)],
    [words.seconds, duration(run.seconds ?? seconds)],
  ];
  return (
    <dl className="compare-figures">
      {shown.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** The plan of each round that the run itself began. */
function Plan({ run }: { run: Run }) {
  const words = useWords().more.compare;
  const rounds = run.rounds.filter((round) => round.parent === null);
  return (
    <div className="compare-plan">
      {rounds.map((round) =>
        round.workflow === null ? (
          round.isWriting && (
            <p key={round.index} className="quiet">
              {words.writing}
            </p>
          )
        ) : (
          <SmallPlan key={round.index} round={round} workers={run.workers} />
        ),
      )}
    </div>
  );
}

function Answer({ player, run }: { player: Player; run: Run }) {
  const words = useWords().more.compare;
  if (player.line === 'lost') return <p className="quiet">{words.lost}</p>;
  if (player.error !== null) return <Problem error={player.error} />;
  if (run.status === 'running') {
    const step = speaking(run);
    return step === null ? null : (
      <p className="compare-tail told" dir="auto">
        {step.tail}
      </p>
    );
  }
  const answer = answerOf(run);
  return (
    <div className="compare-answer" role="group" aria-label={words.answer} tabIndex={0}>
      {answer === null ? <p className="fault">{words.failed}</p> : <Prose text={answer} />}
      {run.detail !== '' && (
        <p className="quiet told" dir="auto">
          {run.detail}
        </p>
      )}
    </div>
  );
}

/** The step whose text is shown while the run plays: the last one that has begun. */
function speaking(run: Run): StepRun | null {
  const steps = run.rounds.at(-1)?.steps ?? [];
  return steps.filter((step) => step.state !== 'waiting' && step.tail !== '').at(-1) ?? null;
}
