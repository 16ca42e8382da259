// One evaluation: what matters most first, then whether it may be chance, then who did the work.

import { useState } from 'react';

import { Link } from '../../router';
import { api, ApiError } from '../../api';
import { Differences, Shares } from '../../charts/bars';
import { chance, number, percent, percentTick, points, range } from '../../charts/figures';
import { PlainTable, TableBehind } from '../../charts/frame';
import { Head, Nothing, Section, Tiles, type TileProps } from '../../charts/panel';
import { usd } from '../../format';
import { useLoad } from '../../load';
import { useWords } from '../../settings';
import { Problem } from '../../shell/Boundary';
import { Quality } from './Quality';
import { Splits } from './Splits';
import { SystemsTable } from './SystemsTable';
import { costOf, factsOf, kindOf, type Report, type SystemFigures } from './report';

export function OneReport({ id }: { id: string }) {
  const { more, common } = useWords();
  const loaded = useLoad((signal) => api.report(id, signal), id);
  const isGone = loaded.error instanceof ApiError && loaded.error.status === 404;
  return (
    <>
      <p className="small">
        <Link to="/reports">← {more.reports.title}</Link>
      </p>
      {isGone && <Nothing said={more.seen.notFound} />}
      {loaded.state === 'failed' && !isGone && (
        <Problem error={loaded.error} onAgain={loaded.reload} />
      )}
      {loaded.state === 'loading' && loaded.data === null && (
        <p className="quiet">{common.loading}</p>
      )}
      {loaded.data !== null && <Whole report={loaded.data} />}
    </>
  );
}

function Whole({ report }: { report: Report }) {
  const words = useWords().more.reports;
  const facts = factsOf(report);
  const missing = report.systems.reduce((sum, one) => sum + one.not_judged, 0);
  const asked = report.systems.reduce((sum, one) => sum + one.asked, 0);
  return (
    <article className="report">
      <Head kicker={words.kicker} title={words.heading(report.systems.length, report.problems)}>
        <Facts facts={facts.short} repeats={report.repeats} />
      </Head>
      <Summary report={report} />
      {missing > 0 && <p className="problem">{words.missing(missing, asked)}</p>}
      <Section title={words.findings}>
        <ul className="report-findings" lang="en">
          {report.findings.map((said) => (
            <li key={said}>{said}</li>
          ))}
        </ul>
      </Section>
      <Quality report={report} />
      {report.comparisons.length > 0 && <Beside report={report} />}
      <SystemsTable report={report} />
      <Splits report={report} />
      <Work report={report} />
      {report.published.length > 0 && <PublishedTable report={report} />}
      <Method report={report} facts={facts.long} />
    </article>
  );
}

function Facts({ facts, repeats }: { facts: [string, string][]; repeats: number }) {
  const words = useWords().more.reports;
  return (
    <p className="quiet report-facts">
      {facts.map(([name, text]) => (
        <span key={name}>
          {name} <b>{text}</b>
        </span>
      ))}
      <span>{words.repeats(repeats)}</span>
    </p>
  );
}

function Summary({ report }: { report: Report }) {
  const words = useWords().more.reports;
  const focus = report.systems.find((one) => one.system === report.focus);
  if (focus === undefined) return null;
  const rival = report.comparisons.find((one) => one.other === report.rival);
  const tiles: TileProps[] = [
    {
      name: words.isRight(focus.system),
      figure: percent(focus.accuracy),
      note: words.interval(range(focus.interval)),
    },
  ];
  if (rival !== undefined) {
    const kind = kindOf(rival);
    const said = kind === 'unsure' ? words.unsure : words.significant;
    tiles.push({
      name: words.beside(rival.other),
      figure: words.points(points(rival.difference)),
      note: `${said} · ${words.interval(range(rival.interval))}`,
      kind: kind === 'ahead' ? 'good' : kind === 'behind' ? 'fault' : '',
    });
  }
  tiles.push(costTile(focus, words));
  if (focus.valid !== null) {
    tiles.push({
      name: words.holdsPlan,
      figure: percent(focus.valid),
      note: words.rightIfValid(percent(focus.accuracy_given_valid)),
    });
  }
  return <Tiles tiles={tiles} />;
}

function costTile(focus: SystemFigures, words: ReturnType<typeof useWords>['more']['reports']) {
  const tokens = number(costOf(focus, 'tokens'));
  const free = Number(focus.usd) === 0;
  const isPriced = focus.usd !== null && !free;
  return {
    name: isPriced ? words.perThousand : words.perProblem,
    figure: isPriced ? usd(String(1000 * Number(focus.usd))) : words.someCalls(number(focus.calls)),
    note: isPriced
      ? `${words.perProblem}: ${words.someCalls(number(focus.calls))}, ${words.someTokens(tokens)}`
      : `${words.someTokens(tokens)} · ${free ? words.free : words.unknownPrice}`,
  };
}

function Beside({ report }: { report: Report }) {
  const words = useWords().more.reports;
  const rows = [...report.comparisons].sort((a, b) => b.difference - a.difference);
  return (
    <Section title={words.comparisons(report.focus)} lead={words.comparisonsLead}>
      <Differences
        label={words.comparisons(report.focus)}
        show={(value) => points(value).replace('.0', '')}
        rows={rows.map((one) => ({
          name: one.other,
          value: one.difference,
          interval: one.interval,
          text: points(one.difference),
          note: `${words.winsLosses(one.better, one.worse)} · p ${chance(one.corrected)}`,
          kind: kindOf(one),
        }))}
      />
      <TableBehind
        behind={() => ({
          head: [
            words.columns.system,
            words.difference,
            '95 %',
            words.better,
            words.worse,
            words.p,
            words.corrected,
          ],
          rows: rows.map((one) => [
            one.other,
            points(one.difference),
            range(one.interval),
            one.better,
            one.worse,
            chance(one.p),
            chance(one.corrected),
          ]),
        })}
      />
    </Section>
  );
}

function Work({ report }: { report: Report }) {
  const words = useWords().more.reports;
  const shown = report.systems.filter((one) => one.judged > 0 && one.worker_bits > 0);
  if (shown.length === 0) return null;
  return (
    <Section title={words.shares} lead={words.sharesLead}>
      <Shares
        label={words.shares}
        show={percentTick}
        rows={shown.map((one) => ({
          name: one.system,
          shares: one.workers,
          isFocus: one.system === report.focus,
          note: `${number(one.worker_bits)} ${words.columns.worker_bits.toLowerCase()}`,
        }))}
      />
    </Section>
  );
}

function PublishedTable({ report }: { report: Report }) {
  const words = useWords().more.reports;
  const columns = [...new Set(report.published.map((one) => one.column))];
  const systems = [...new Set(report.published.map((one) => one.system))];
  const cell = (system: string, column: string) => {
    const one = report.published.find((p) => p.system === system && p.column === column);
    if (one === undefined) return null;
    return one.error === null ? String(one.value) : `${one.value} ± ${one.error}`;
  };
  return (
    <Section title={words.published} lead={words.publishedLead(report.published[0]!.source)}>
      <PlainTable
        name={words.published}
        behind={{
          head: [words.columns.system, ...columns],
          rows: systems.map((system) => [system, ...columns.map((column) => cell(system, column))]),
        }}
      />
    </Section>
  );
}

function Method({ report, facts }: { report: Report; facts: [string, string][] }) {
  const [isOpen, setOpen] = useState(false);
  const { more, common } = useWords();
  const words = more.reports;
  return (
    <Section title={words.method}>
      {report.oracle && <p>{words.oracle(percent(report.oracle.measured))}</p>}
      <details className="report-facts-long" onToggle={(e) => setOpen(e.currentTarget.open)}>
        <summary>{common.more}</summary>
        {isOpen && (
          <dl lang="en">
            {facts.map(([name, text]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd className="told">{text}</dd>
              </div>
            ))}
          </dl>
        )}
      </details>
    </Section>
  );
}
