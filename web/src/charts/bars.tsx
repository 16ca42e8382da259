// Horizontal bars with intervals, differences around zero, and stacked shares.
//
// All three are lists of rows with a name at the left and a figure at the right, so that they read
// like a table and fit a narrow screen.

import type { CSSProperties } from 'react';

import './charts.css';
import './bars.css';

import { linear, ticks, widened } from './scale';
import type { Range } from './scale';
import { partsOf } from './shapes';
import type { SharesRow } from './shapes';

export interface BarRow {
  readonly name: string;
  readonly value: number;
  /** The ends of the interval, where there is one. */
  readonly interval?: Range | null;
  readonly text: string;
  readonly note?: string;
  readonly isFocus?: boolean;
}

const share = (value: number): string => `${(100 * value).toFixed(2)}%`;

/** Bars from 0 to `most`, each with its interval as a thin line. */
export function Bars({
  rows,
  most,
  label,
}: {
  rows: readonly BarRow[];
  most: number;
  label: string;
}) {
  const at = linear([0, most], [0, 1]);
  return (
    <ul className="bars" aria-label={label}>
      {rows.map((row) => (
        <li key={row.name} className={row.isFocus ? 'focus' : ''}>
          <span className="bar-name" title={row.name}>
            {row.name}
          </span>
          <span className="bar-track" aria-hidden="true">
            <i style={{ width: share(at(row.value)) }} />
            {row.interval && <b style={between(at(row.interval[0]), at(row.interval[1]))} />}
          </span>
          <span className="bar-value">
            {row.text}
            {row.note && <small>{row.note}</small>}
          </span>
        </li>
      ))}
    </ul>
  );
}

export interface DifferenceRow {
  readonly name: string;
  readonly value: number;
  readonly interval: Range;
  readonly text: string;
  readonly note: string;
  /** Ahead, behind, or what chance may explain. */
  readonly kind: 'ahead' | 'behind' | 'unsure';
}

interface DifferencesProps {
  readonly rows: readonly DifferenceRow[];
  readonly label: string;
  readonly show: (value: number) => string;
}

/** A point for each difference on its interval, all on one axis with 0 marked. */
export function Differences({ rows, label, show }: DifferencesProps) {
  const low = Math.min(-0.02, ...rows.map((row) => row.interval[0]));
  const high = Math.max(0.02, ...rows.map((row) => row.interval[1]));
  const domain = widened([low, high], 6);
  const at = linear(domain, [0, 1]);
  const marks = ticks(domain, 6);
  return (
    <div className="differences">
      <ul className="bars" aria-label={label}>
        {rows.map((row) => (
          <li key={row.name} className={row.kind}>
            <span className="bar-name" title={row.name}>
              {row.name}
            </span>
            <span className="bar-track line" aria-hidden="true">
              {marks.map((mark) => (
                <em
                  key={mark}
                  className={mark === 0 ? 'zero' : ''}
                  style={{ left: share(at(mark)) }}
                />
              ))}
              <b style={between(at(row.interval[0]), at(row.interval[1]))} />
              <i style={{ left: share(at(row.value)) }} />
            </span>
            <span className="bar-value">
              {row.text}
              <small>{row.note}</small>
            </span>
          </li>
        ))}
      </ul>
      <div className="bar-axis" aria-hidden="true">
        <span />
        <span className="bar-marks">
          {marks.map((mark) => (
            <span key={mark} style={{ left: share(at(mark)) }}>
              {show(mark)}
            </span>
          ))}
        </span>
        <span />
      </div>
    </div>
  );
}

interface SharesProps {
  readonly rows: readonly SharesRow[];
  readonly label: string;
  readonly show: (value: number) => string;
}

/** Stacked shares, one colour for each part, with a legend. */
export function Shares({ rows, label, show }: SharesProps) {
  const parts = partsOf(rows);
  return (
    <div className="shares">
      <p className="chart-legend" aria-hidden="true">
        {parts.map((part, i) => (
          <span key={part} className={`key filled tone-${i % 8}`}>
            <i />
            {part}
          </span>
        ))}
      </p>
      <ul className="bars" aria-label={label}>
        {rows.map((row) => (
          <li key={row.name} className={row.isFocus ? 'focus' : ''}>
            <span className="bar-name" title={row.name}>
              {row.name}
            </span>
            <span className="bar-track stack" aria-hidden="true">
              {parts.map((part, i) => {
                const value = row.shares[part] ?? 0;
                if (!(value > 0)) return null;
                return (
                  <i
                    key={part}
                    className={`tone-${i % 8}`}
                    style={{ width: share(value) }}
                    title={`${part} ${show(value)}`}
                  />
                );
              })}
            </span>
            <span className="bar-value">{row.note ?? ''}</span>
            <span className="hidden">
              {parts
                .filter((part) => (row.shares[part] ?? 0) > 0)
                .map((part) => `${part} ${show(row.shares[part] as number)}`)
                .join(', ')}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function between(low: number, high: number): CSSProperties {
  return { left: share(low), width: share(Math.max(0, high - low)) };
}
