// The list of evaluations, and one of them where the address names it.

import { Link, useAddress } from '../../router';
import { api, type ReportSummary } from '../../api';
import { Entries } from '../../charts/panel';
import { when } from '../../format';
import { useLoad } from '../../load';
import { useLocale, useWords } from '../../settings';
import { OneReport } from './OneReport';
import './reports.css';

export default function Reports() {
  const { parts } = useAddress();
  const id = parts.slice(1).join('/');
  return <div className="page">{id === '' ? <List /> : <OneReport key={id} id={id} />}</div>;
}

function List() {
  const loaded = useLoad((signal) => api.reports(signal), 'reports');
  return (
    <Entries words={useWords().more.reports} loaded={loaded}>
      {(one) => <Entry key={one.id} one={one} />}
    </Entries>
  );
}

function Entry({ one }: { one: ReportSummary }) {
  const words = useWords().more.reports;
  const locale = useLocale();
  const systems = typeof one.systems === 'number' ? one.systems : one.systems.length;
  return (
    <li>
      <Link to={`/reports/${encodeURIComponent(one.id)}`}>{one.name}</Link>
      <span className="entry-about" dir="auto">
        {one.about} · {one.id}
      </span>
      <span className="entry-side">
        {words.systems(systems)}
        {one.problems !== null && <> · {words.problems(one.problems)}</>}
        <br />
        {when(one.at, locale)}
      </span>
    </li>
  );
}
