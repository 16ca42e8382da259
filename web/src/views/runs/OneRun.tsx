// One run in full: question, answer, score, every message, and the run played again.

import type { WholeRun } from '../../api';
import { api, ApiError } from '../../api';
import { when } from '../../format';
import { useLoad } from '../../load';
import { Link, navigate } from '../../router';
import { usePlayer, usePlaying, type Player } from '../../score/replay';
import { Rounds } from '../../score/Rounds';
import { RunBar } from '../../score/RunBar';
import { useLocale, useWords } from '../../settings';
import { Problem } from '../../shell/Boundary';
import { Copy } from '../../text/Copy';
import { Answer } from '../ask/Answer';
import { currentDraft, keepDraft } from '../ask/asked';
import { Question } from '../ask/Question';
import { verdictOf } from './RunRows';
import { Transport } from './Transport';

interface Props {
  id: string;
  opened: string | null;
  onOpened: (step: string | null) => void;
}

export function OneRun({ id, opened, onOpened }: Props) {
  const words = useWords();
  const { data, error, reload } = useLoad((signal) => api.run(id, signal), id);

  return (
    <div className="page run-page">
      <p className="small">
        <Link to="/runs">← {words.runs.back}</Link>
      </p>
      {error && isMissing(error) ? (
        <p>{words.runs.notFound}</p>
      ) : error ? (
        <Problem error={error} onAgain={reload} />
      ) : data === null ? (
        <p className="quiet">{words.common.loading}</p>
      ) : (
        <Whole whole={data} opened={opened} onOpened={onOpened} />
      )}
    </div>
  );
}

function isMissing(error: Error): boolean {
  return error instanceof ApiError && error.status === 404;
}

type WholeProps = { whole: WholeRun; opened: string | null; onOpened: (s: string | null) => void };

function Whole({ whole, opened, onOpened }: WholeProps) {
  const words = useWords();
  const locale = useLocale();
  const { run, trace } = whole;
  const player = usePlayer(whole.events);
  const question = whole.events[0]?.type === 'run_started' ? whole.events[0].question : run.question;

  const again = () => {
    keepDraft({ ...currentDraft(), question });
    navigate('/');
  };

  return (
    <>
      <Question text={question} isPending={false} />
      <p className="quiet run-when">
        {when(run.started_at, locale, 'full')} · <bdi>{run.pool}</bdi>
        {run.workflow ? (
          <>
            {' '}
            · <bdi>{run.workflow}</bdi>
          </>
        ) : null}
        {run.verdict !== null && (
          <>
            {' '}
            · {words.runs.verdict}: <bdi>{verdictOf(run.verdict, words.runs.verdicts)}</bdi>
          </>
        )}
      </p>
      <Played player={player} opened={opened} onOpened={onOpened}>
        <button type="button" onClick={again}>
          {words.ask.again}
        </button>
      </Played>
      <footer className="run-foot">
        <Copy text={() => `${location.origin}/runs/${run.id}`} label={words.runs.copyLink} />
        <Copy text={() => JSON.stringify(trace, null, 2)} label={words.runs.copyJson} />
        <button type="button" className="plain" onClick={() => save(`${run.id}.json`, trace)}>
          {words.runs.saveJson}
        </button>
        <span className="quiet run-id">{run.id}</span>
      </footer>
    </>
  );
}

type PlayedProps = {
  player: Player;
  opened?: string | null;
  onOpened?: (step: string | null) => void;
  children?: React.ReactNode;
};

/** A run with its transport, bar, score and answer. */
export function Played({ player, opened, onOpened, children }: PlayedProps) {
  usePlaying(player);
  const { store } = player;

  return (
    <>
      <Transport player={player} />
      <RunBar store={store} clock={player} isRunning={player.isPlaying} isOnLine={null}>
        {children}
      </RunBar>
      <Rounds
        store={store}
        clock={player}
        isRunning={player.isPlaying}
        opened={opened}
        onOpened={onOpened}
      />
      <Answer store={store} isRunning={!player.isOver} />
    </>
  );
}

function save(name: string, value: unknown): void {
  const url = URL.createObjectURL(
    new Blob([JSON.stringify(value, null, 2)], { type: 'application/json' }),
  );
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
