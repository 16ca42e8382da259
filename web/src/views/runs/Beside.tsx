// Two runs side by side, each with its own replay.

import { api } from '../../api';
import { when } from '../../format';
import { useLoad } from '../../load';
import { Link } from '../../router';
import { usePlayer } from '../../score/replay';
import { useLocale, useWords } from '../../settings';
import { Problem } from '../../shell/Boundary';
import type { WholeRun } from '../../api';
import { Question } from '../ask/Question';
import { Played } from './OneRun';

export function Beside({ left, right }: { left: string; right: string }) {
  const words = useWords().runs;
  return (
    <div className="page beside">
      <p className="small row">
        <Link to="/runs">← {words.back}</Link>
        <Link to={`/runs/${encodeURIComponent(left)}`}>{words.closeBeside}</Link>
      </p>
      <div className="beside-columns">
        <Side key={left} id={left} />
        <Side key={`${right} `} id={right} />
      </div>
    </div>
  );
}

function Side({ id }: { id: string }) {
  const words = useWords().common;
  const { data, error, reload } = useLoad((signal) => api.run(id, signal), id);
  return (
    <article className="beside-run run-page">
      {error ? (
        <Problem error={error} onAgain={reload} />
      ) : data === null ? (
        <p className="quiet">{words.loading}</p>
      ) : (
        <SideRun whole={data} />
      )}
    </article>
  );
}

function SideRun({ whole }: { whole: WholeRun }) {
  const locale = useLocale();
  const player = usePlayer(whole.events);
  const { run } = whole;
  return (
    <>
      <Question text={run.question} isPending={false} />
      <p className="quiet run-when">
        <Link to={`/runs/${encodeURIComponent(run.id)}`}>{when(run.started_at, locale, 'full')}</Link>{' '}
        · <bdi>{run.pool}</bdi>
        {run.workflow ? ` · ${run.workflow}` : ''}
      </p>
      <Played player={player} />
    </>
  );
}
