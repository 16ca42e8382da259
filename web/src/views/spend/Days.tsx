// Amounts by day: a column for each day, those without a run too.

import { useRef, useState } from 'react';

import { Drawing, useWidth } from '../../charts/frame';
import { linear, ticks, widened } from '../../charts/scale';
import { count, usd } from '../../format';
import { useLocale, useWords } from '../../settings';
import type { SpendRow } from '../../api';
import { amountOf, everyDay, type Day, type Measure } from './amounts';

const HEIGHT = 190;
const EDGE = { left: 56, right: 4, top: 10, bottom: 26 };

interface DaysProps {
  rows: readonly SpendRow[];
  most: number;
  measure: Measure;
}

export function Days({ rows, most, measure }: DaysProps) {
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const days = everyDay(rows, most);
  const [at, setAt] = useState<number | null>(null);
  const shown = at === null ? null : days[at];
  const show = (value: number) => (measure === 'money' ? usd(String(value)) : count(value));
  const locale = useLocale();
  return (
    <div className="chart spend-days">
      <p className="quiet spend-day" aria-hidden="true">
        {shown && (
          <>
            {dayText(shown.day, locale)} <b>{show(amount(shown, measure))}</b>
          </>
        )}
      </p>
      <div ref={box} className="chart-box">
        {width > 0 && (
          <Columns days={days} measure={measure} width={width} at={at} onAt={setAt} show={show} />
        )}
      </div>
    </div>
  );
}

interface ColumnsProps {
  days: readonly Day[];
  measure: Measure;
  width: number;
  at: number | null;
  onAt: (at: number | null) => void;
  show: (value: number) => string;
}

function Columns({ days, measure, width, at, onAt, show }: ColumnsProps) {
  const words = useWords().more.spend;
  const locale = useLocale();
  const amounts = days.map((day) => amount(day, measure));
  const most = Math.max(...amounts);
  const domain = widened([0, most > 0 ? most : 1], 3);
  const y = linear(domain, [HEIGHT - EDGE.bottom, EDGE.top]);
  const slot = (width - EDGE.left - EDGE.right) / days.length;
  const bar = Math.max(1, Math.min(28, slot * 0.7));
  const x = (i: number) => EDGE.left + (i + 0.5) * slot;
  const every = Math.max(1, Math.ceil(76 / slot));
  const best = amounts.indexOf(most);
  const place = (px: number | null) => {
    const i = px === null ? -1 : Math.floor((px - EDGE.left) / slot);
    onAt(i >= 0 && i < days.length ? i : null);
  };
  return (
    <Drawing
      width={width}
      height={HEIGHT}
      title={words.byTitle(words.bys.day)}
      desc={words.mostOn(dayText(days[best]!.day, locale), show(most))}
      onPlace={place}
    >
      {ticks(domain, 3).map((value) => (
        <g key={value}>
          <line className="rule" x1={EDGE.left} x2={width} y1={y(value)} y2={y(value)} />
          <text className="tick" x={EDGE.left - 8} y={y(value) + 4} textAnchor="end">
            {show(value)}
          </text>
        </g>
      ))}
      {days.map((day, i) => (
        <g key={day.day}>
          <rect
            className={`spend-column ${i === at ? 'at' : ''}`}
            x={x(i) - bar / 2}
            y={y(amounts[i] as number)}
            width={bar}
            height={Math.max(0, y(0) - y(amounts[i] as number))}
          />
          {(days.length - 1 - i) % every === 0 && (
            <text className="tick" x={x(i)} y={HEIGHT - 8} textAnchor="middle">
              {dayText(day.day, locale)}
            </text>
          )}
        </g>
      ))}
    </Drawing>
  );
}

function amount(day: Day, measure: Measure): number {
  return day.row === null ? 0 : (amountOf(day.row, measure) ?? 0);
}

function dayText(day: string, locale: string): string {
  const at = new Date(`${day}T00:00:00Z`);
  return at.toLocaleDateString(locale, { month: 'short', day: 'numeric', timeZone: 'UTC' });
}
