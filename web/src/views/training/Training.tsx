// The list of trainings, and one of them where the address names it.

import { api, type TrainingSummary } from '../../api';
import { Head, Nothing } from '../../charts/panel';
import { when } from '../../format';
import { useLoad } from '../../load';
import { Link, useAddress } from '../../router';
import { useLocale, useWords } from '../../settings';
import { Problem } from '../../shell/Boundary';
import { Bar } from './Bar';
import { OneTraining } from './OneTraining';
import './training.css';

export default function Training() {
  const { parts } = useAddress();
  const id = parts.slice(1).join('/');
  return <div className="page">{id === '' ? <List /> : <OneTraining key={id} id={id} />}</div>;
}

function List() {
  const { more, common } = useWords();
  const words = more.training;
  const loaded = useLoad((signal) => api.trainings(signal), 'trainings');
  return (
    <>
      <Head title={words.title}>{words.lead}</Head>
      {loaded.state === 'failed' && <Problem error={loaded.error} onAgain={loaded.reload} />}
      {loaded.state === 'loading' && loaded.data === null && (
        <p className="quiet">{common.loading}</p>
      )}
      {loaded.data?.length === 0 && <Nothing said={words.none} how={words.noneHow} />}
      {loaded.data !== null && loaded.data.length > 0 && (
        <ul className="entries">
          {loaded.data.map((one) => (
            <Entry key={one.id} one={one} />
          ))}
        </ul>
      )}
    </>
  );
}

function Entry({ one }: { one: TrainingSummary }) {
  const words = useWords().more.training;
  const locale = useLocale();
  return (
    <li>
      <Link to={`/training/${encodeURIComponent(one.id)}`}>{one.name}</Link>
      <span className="entry-about">
        {one.id}
        {one.steps < (one.planned_steps ?? 0) && (
          <Bar steps={one.steps} planned={one.planned_steps} />
        )}
      </span>
      <span className="entry-side">
        {one.is_running && <span className="training-live">{words.running} · </span>}
        {one.preset !== null && `${words.preset} ${one.preset} · `}
        {words.steps(one.steps, one.planned_steps)}
        <br />
        {when(one.at, locale)}
      </span>
    </li>
  );
}
