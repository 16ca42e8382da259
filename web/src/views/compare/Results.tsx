// The answers side by side, as they come, and whether they agree.

import { useEffect, useMemo, useState, useSyncExternalStore } from 'react';

import { duration } from '../../format';
import { Link } from '../../router';
import { costText, figuresOf } from '../../score/figures';
import { answerOf } from '../../score/run';
import { useWords } from '../../settings';
import { Section } from '../../charts/panel';
import { Column } from './Column';
import { Refusals, type Refusal } from './Form';
import { groupsOf } from './agreement';
import { Fleet, type Asked, type Player } from './fleet';

interface ResultsProps {
  asked: readonly Asked[];
  refused: readonly Refusal[];
}

export function Results({ asked, refused }: ResultsProps) {
  const words = useWords().more.compare;
  const fleet = useFleet(asked);
  const question = fleet.players.map((one) => one.store.run.question).find(Boolean) ?? '';
  return (
    <>
      <blockquote className="compare-asked told" dir="auto" tabIndex={0}>
        {question}
      </blockquote>
      <Tools fleet={fleet} />
      <Refusals list={refused} />
      <Agreement players={fleet.players} />
      <div className="compare-columns">
        {fleet.players.map((player) => (
          <Column key={player.asked.id} player={player} />
        ))}
      </div>
      <Section title={words.summary}>
        <Summary players={fleet.players} />
      </Section>
    </>
  );
}

/** Follows the runs as long as they are shown; draws anew when any of them changes. */
function useFleet(asked: readonly Asked[]): Fleet {
  const key = asked.map((one) => one.id).join(' ');
  const fleet = useMemo(() => new Fleet(asked), [key]);
  useEffect(() => {
    fleet.start();
    return () => fleet.leave();
  }, [fleet]);
  useSyncExternalStore(fleet.subscribe, fleet.snapshot);
  return fleet;
}

function Tools({ fleet }: { fleet: Fleet }) {
  const words = useWords().more.compare;
  const [isStopping, setStopping] = useState(false);
  const running = fleet.players.filter((one) => one.isRunning).length;
  const stop = () => {
    setStopping(true);
    void fleet.stopAll().finally(() => setStopping(false));
  };
  return (
    <div className="row compare-tools">
      {running > 0 && (
        <button type="button" disabled={isStopping} onClick={stop}>
          {isStopping ? words.stopping : words.stopAll}
        </button>
      )}
      <Link to="/compare" className="button">
        {words.again}
      </Link>
      <span className="quiet" role="status">
        {words.done(fleet.players.length - running, fleet.players.length)}
      </span>
    </div>
  );
}

/** The answers of runs that are over, by what they come to. */
function Agreement({ players }: { players: readonly Player[] }) {
  const words = useWords().more.compare;
  const answers = players
    .filter((one) => !one.isRunning)
    .map((one) => ({ name: one.asked.system, answer: answerOf(one.store.run) }))
    .filter((one) => one.answer !== null);
  const groups = groupsOf(answers);
  const compared = groups.reduce((sum, group) => sum + group.names.length, 0);
  const most = groups[0]?.names.length ?? 0;
  const said =
    compared < 2
      ? words.waiting
      : most === compared
        ? words.allAgree(compared)
        : most === 1
          ? words.noneAgree(compared)
          : words.someAgree(most, compared);
  return (
    <section className="compare-agreement" aria-label={words.agreement}>
      <p className="compare-said">{said}</p>
      {groups.length > 0 && compared > 1 && (
        <ul>
          {groups.map((group) => (
            <li key={group.names[0]}>
              <span className="compare-gist told" dir="auto">
                {group.gist}
              </span>
              <span className="quiet">{group.names.join(', ')}</span>
            </li>
          ))}
        </ul>
      )}
      {answers.length > compared && (
        <p className="quiet">{words.noGist(answers.length - compared)}</p>
      )}
      {compared > 1 && <p className="quiet">{words.how}</p>}
    </section>
  );
}

function Summary({ players }: { players: readonly Player[] }) {
  const words = useWords().more.compare;
  return (
    <div className="scroll-x" role="group" aria-label={words.summary} tabIndex={0}>
      <table className="figures">
        <thead>
          <tr>
            {[
              words.system,
              words.status,
              words.calls,
              words.tokens,
              words.money,
              words.seconds,
            ].map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {players.map((player) => {
            const { run } = player.store;
            const figures = figuresOf(run);
            return (
              <tr key={player.asked.id}>
                <th scope="row">{player.asked.system}</th>
                <td>{words.states[player.line === 'lost' ? 'lost' : run.status]}</td>
                <td>{figures.calls}</td>
                <td>{figures.tokens.toLocaleString('en-US')}</td>
                <td>{costText(figures)}</td>
                <td>{duration(run.seconds)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
