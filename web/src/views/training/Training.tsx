// The list of trainings, and one of them where the address names it.

import { api, type TrainingSummary } from '../../api';
import { Entries } from '../../charts/panel';
import { when } from '../../format';
import { useLoad } from '../../load';
import { Link, useAddress } from '../../router';
import { useLocale, useWords } from '../../settings';
import { Bar } from './Bar';
import { OneTraining } from './OneTraining';
import './training.css';

export default function Training() {
  const { parts } = useAddress();
  const id = parts.slice(1).join('/');
  return <div className="page">{id === '' ? <List /> : <OneTraining key={id} id={id} />}</div>;
}

function List() {
  const loaded = useLoad((signal) => api.trainings(signal), 'trainings');
  return (
    <Entries words={useWords().more.training} loaded={loaded}>
      {(one) => <Entry key={one.id} one={one} />}
    </Entries>
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
