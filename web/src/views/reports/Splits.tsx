// Right answers by task, by difficulty or by steps: a shade for each cell, and the steps in it.

import { useState } from 'react';

import { number, percentTick } from '../../charts/figures';
import { Choice, Section } from '../../charts/panel';
import { useWords } from '../../settings';
import { columnsOf, type Report, type Share, type Split } from './report';

const SPLITS: readonly Split[] = ['by_difficulty', 'by_task', 'by_steps'];

export function Splits({ report }: { report: Report }) {
  const words = useWords().more.reports;
  const splits = SPLITS.filter((split) => columnsOf(report, split).length > 1);
  const [chosen, setSplit] = useState<Split | undefined>(widest(report, splits));
  if (chosen === undefined) return null;
  return (
    <Section
      title={words.splits}
      lead={words.splitsLead}
      aside={
        splits.length > 1 && (
          <Choice
            label={words.by}
            value={chosen}
            onChange={setSplit}
            options={splits.map((split) => [split, words.splitNames[split]] as const)}
          />
        )
      }
    >
      <Heat report={report} split={chosen} />
    </Section>
  );
}

/** The split that most problems are in; the first of those that are even. */
function widest(report: Report, splits: readonly Split[]): Split | undefined {
  const sizes = splits.map((split) =>
    report.systems
      .flatMap((one) => Object.values(one[split]))
      .reduce((sum, share) => sum + share.count, 0),
  );
  return splits[sizes.indexOf(Math.max(...sizes))];
}

function Heat({ report, split }: { report: Report; split: Split }) {
  const words = useWords().more.reports;
  const columns = columnsOf(report, split);
  const shown = report.systems.filter((one) => Object.keys(one[split]).length > 0);
  const prefix = commonPrefix(columns);
  return (
    <div className="scroll-x" role="group" aria-label={words.splits} tabIndex={0}>
      <table className="figures report-heat">
        <thead>
          <tr>
            <th scope="col">{words.columns.system}</th>
            {columns.map((column) => (
              <th key={column} scope="col" title={column}>
                {(column.startsWith(prefix) ? column.slice(prefix.length) : column).replace(
                  /_/g,
                  ' ',
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((one) => (
            <tr key={one.system} className={one.system === report.focus ? 'focus' : undefined}>
              <th scope="row">{one.system}</th>
              {columns.map((column) => (
                <HeatCell
                  key={column}
                  share={one[split][column]}
                  showSteps={split !== 'by_steps'}
                />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** What most columns begin with up to a slash, which need not be said in each. */
function commonPrefix(columns: string[]): string {
  const prefixes = columns.map((one) => one.slice(0, one.indexOf('/') + 1)).filter(Boolean);
  return prefixes.length > 1 && new Set(prefixes).size === 1 ? prefixes[0]! : '';
}

function HeatCell({ share, showSteps }: { share: Share | undefined; showSteps: boolean }) {
  const words = useWords().more.reports;
  if (share === undefined) return <td>–</td>;
  const right = share.right / share.count;
  const text = percentTick(Math.round(100 * right) / 100);
  const full = words.cell(text, share.right, share.count, number(share.steps));
  return (
    <td title={full}>
      <span className="report-shade" aria-hidden="true" style={{ opacity: 0.3 * right }} />
      <span className="report-cell">
        {text}
        <small>{showSteps ? number(share.steps) : share.count}</small>
      </span>
    </td>
  );
}
