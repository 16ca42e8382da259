// All figures of all systems, in the order of any column.

import { useState } from 'react';

import { MISSING, number, percent, range } from '../../charts/figures';
import { Section } from '../../charts/panel';
import { duration, usd } from '../../format';
import { useWords } from '../../settings';
import { costOf, ordered, type Column, type Report, type SystemFigures } from './report';

const COLUMNS: readonly Column[] = [
  'system',
  'accuracy',
  'valid',
  'accuracy_given_valid',
  'steps',
  'calls',
  'tokens',
  'usd',
  'worker_bits',
  'regret',
  'seconds',
  'not_judged',
];

/** Columns of which only a Conductor has figures are left out where nobody conducts. */
function shownColumns(report: Report): Column[] {
  return COLUMNS.filter((column) => {
    if (column === 'valid' || column === 'accuracy_given_valid')
      return report.systems.some((one) => one[column] !== null);
    return column !== 'not_judged' || report.systems.some((one) => one.not_judged > 0);
  });
}

export function SystemsTable({ report }: { report: Report }) {
  const words = useWords().more.reports;
  const [order, setOrder] = useState<{ column: Column; isDown: boolean }>({
    column: 'accuracy',
    isDown: true,
  });
  const columns = shownColumns(report);
  const choose = (column: Column) =>
    setOrder((before) =>
      before.column === column
        ? { column, isDown: !before.isDown }
        : { column, isDown: column === 'accuracy' || column === 'valid' },
    );
  const best = Math.max(...report.systems.map((one) => one.interval[1]), 0.01);
  return (
    <Section title={words.allSystems} lead={words.allSystemsLead}>
      <div className="scroll-x" role="group" aria-label={words.allSystems} tabIndex={0}>
        <table className="figures report-systems">
          <thead>
            <tr>
              {columns.map((column) => (
                <th
                  key={column}
                  scope="col"
                  aria-sort={
                    order.column === column
                      ? order.isDown
                        ? 'descending'
                        : 'ascending'
                      : undefined
                  }
                >
                  <button type="button" className="plain" onClick={() => choose(column)}>
                    {words.columns[column]}
                    <span aria-hidden="true" className="report-order">
                      {order.column === column ? (order.isDown ? '↓' : '↑') : ''}
                    </span>
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {ordered(report.systems, order.column, order.isDown).map((one) => (
              <Row key={one.system} one={one} columns={columns} report={report} most={best} />
            ))}
          </tbody>
        </table>
      </div>
    </Section>
  );
}

interface RowProps {
  one: SystemFigures;
  columns: Column[];
  report: Report;
  most: number;
}

function Row({ one, columns, report, most }: RowProps) {
  const words = useWords().more.reports;
  const part = (value: number) => `${((100 * value) / most).toFixed(2)}%`;
  return (
    <tr className={one.system === report.focus ? 'focus' : undefined}>
      {columns.map((column) => {
        if (column === 'system')
          return (
            <th key={column} scope="row">
              {one.system}
              {report.frontier.includes(one.system) && (
                <span className="report-mark" title={words.onFrontier}>
                  <span aria-hidden="true"> ◆</span>
                  <span className="hidden"> ({words.onFrontier})</span>
                </span>
              )}
            </th>
          );
        if (column === 'accuracy' && one.judged > 0)
          return (
            <td key={column}>
              <span className="report-bar" aria-hidden="true">
                <i style={{ width: part(one.accuracy) }} />
                <b
                  style={{
                    left: part(one.interval[0]),
                    width: part(one.interval[1] - one.interval[0]),
                  }}
                />
              </span>
              {percent(one.accuracy)}
              <small className="report-range">{range(one.interval)}</small>
            </td>
          );
        return <td key={column}>{textOf(one, column)}</td>;
      })}
    </tr>
  );
}

function textOf(one: SystemFigures, column: Exclude<Column, 'system'>): string {
  if (column === 'not_judged') return String(one.not_judged);
  if (one.judged === 0) return MISSING;
  switch (column) {
    case 'accuracy':
    case 'valid':
    case 'accuracy_given_valid':
    case 'regret':
      return percent(one[column]);
    case 'usd':
      return usd(one.usd);
    case 'seconds':
      return duration(one.seconds);
    case 'tokens':
      return number(costOf(one, 'tokens'));
    default:
      return one[column].toFixed(2);
  }
}
