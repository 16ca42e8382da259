// The list of evaluations, and one of them where the address names it.

import { Link, useAddress } from '../../router';
import { api, type ReportSummary } from '../../api';
import { Head, Nothing } from '../../charts/panel';
import { when } from '../../format';
import { useLoad } from '../../load';
import { useLocale, useWords } from '../../settings';
import { Problem } from '../../shell/Boundary';
import { OneReport } from './OneReport';
import './reports.css';

export default function Reports() {
  const { parts } = useAddress();
  const id = parts.slice(1).join('/');
  return <div className="page">{id === '' ? <List /> : <OneReport key={id} id={id} />}</div>;
}

function List() {
  const { more, common } = useWords();
  const words = more.reports;
  const loaded = useLoad((signal) => api.reports(signal), 'reports');
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
