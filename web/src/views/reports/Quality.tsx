// Right answers against what a problem costs, in tokens, calls or money.

import { useState } from 'react';

import { number, percent, percentTick, range } from '../../charts/figures';
import { Frontier } from '../../charts/frontier';
import { Choice, Section } from '../../charts/panel';
import { frontierOf, type Spot } from '../../charts/shapes';
import { usd } from '../../format';
import { useWords } from '../../settings';
import { axesOf, costOf, type CostAxis, type Report } from './report';

/** The frontier plot, with the choice of its axis where there is one. */
export function Quality({ report }: { report: Report }) {
  const words = useWords().more.reports;
  const axes = axesOf(report);
  const [axis, setAxis] = useState<CostAxis>(axes[0]!);
  const judged = report.systems.filter((one) => one.judged > 0);
  const spots = judged.flatMap((one): Spot[] => {
    const spent = costOf(one, axis);
    if (spent === null) return [];
    const cost = axis === 'usd' ? 1000 * spent : spent;
    const kind = one.system === report.focus ? 'focus' : one.alone !== '' ? 'alone' : 'other';
    return [{ name: one.system, cost, right: one.accuracy, interval: one.interval, kind }];
  });
  const front = new Set(frontierOf(spots).map((one) => one.name));
  const show = (cost: number) => (axis === 'usd' ? usd(String(cost)) : number(cost));
  const focus = spots.find((one) => one.kind === 'focus');
  return (
    <Section
      title={words.frontier}
      lead={words.frontierLead}
      aside={
        axes.length > 1 && (
          <Choice
            label={words.against}
            value={axis}
            onChange={setAxis}
            options={axes.map((one) => [one, words.axes[one]] as const)}
          />
        )
      }
    >
      <Frontier
        title={words.frontier}
        desc={words.description(report.focus, percent(focus?.right), spots.length)}
        shareWords={words.rightShare}
        costWords={words.axisWords[axis]}
        freeWords={axis === 'usd' ? words.free : '0'}
        spots={spots}
        showCost={show}
        showShare={percentTick}
        behind={() => ({
          head: [
            words.columns.system,
            words.axisWords[axis],
            words.rightShare,
            '95 %',
            words.frontierHead,
          ],
          rows: [...spots]
            .sort((a, b) => a.cost - b.cost)
            .map((one) => [
              one.name,
              show(one.cost),
              percent(one.right),
              range(one.interval),
              front.has(one.name) ? words.onFrontier : '',
            ]),
        })}
      />
      {spots.length < judged.length && (
        <p className="quiet">{words.leftOut(judged.length - spots.length)}</p>
      )}
    </Section>
  );
}
