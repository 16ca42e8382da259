// The runs before this one, under the question box.

import { api } from '../../api';
import { usd, when } from '../../format';
import { useLoad } from '../../load';
import { Link } from '../../router';
import { useLocale, useWords } from '../../settings';

export function Recent() {
  const words = useWords();
  const locale = useLocale();
  const { data } = useLoad((signal) => api.runs({ limit: 5 }, signal), 'recent');
  if (data === null || data.runs.length === 0) return null;

  return (
    <section className="recent" aria-labelledby="recent-title">
      <h2 id="recent-title" className="caps">
        {words.ask.recent}
      </h2>
      <ul>
        {data.runs.map((run) => (
          <li key={run.id}>
            <Link to={`/runs/${encodeURIComponent(run.id)}`}>
              <bdi>{run.question}</bdi>
            </Link>
            <span className="quiet">
              {run.status !== 'answered' && <b>{words.run.states[run.status]} · </b>}
              {usd(run.cost_usd)} · {when(run.started_at, locale)}
            </span>
          </li>
        ))}
      </ul>
      <Link to="/runs" className="quiet">
        {words.ask.allRuns(data.total)}
      </Link>
    </section>
  );
}
