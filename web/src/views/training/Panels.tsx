// The metrics as small charts side by side, which share their steps and their cursor.

import { memo, useMemo, useState } from 'react';

import { number, percentTick } from '../../charts/figures';
import { Lines } from '../../charts/lines';
import { Section } from '../../charts/panel';
import { extent, type Range } from '../../charts/scale';
import type { Series } from '../../charts/shapes';
import { duration, usd } from '../../format';
import { useWords } from '../../settings';
import {
  GROUPS,
  curvesOf,
  lastStep,
  otherPanels,
  type CurveOf,
  type Form,
  type Line,
  type PanelPlan,
} from './metrics';

interface PanelsProps {
  lines: readonly Line[];
  at: number | null;
  onAt: (step: number | null) => void;
}

const SHOW: Record<Form, (value: number) => string> = {
  share: (value) => percentTick(Math.round(1000 * value) / 1000),
  number,
  small: number,
  seconds: duration,
  usd: (value) => usd(String(value)),
};

export function Panels({ lines, at, onAt }: PanelsProps) {
  const words = useWords().more.training;
  const [isOpen, setOpen] = useState(false);
  const steps = useMemo((): Range => [0, Math.max(1, lastStep(lines))], [lines]);
  const others = useMemo(() => filled(lines, otherPanels(lines)), [lines]);
  const groups = useMemo(
    () =>
      GROUPS.map(({ id, panels }) => ({ id, panels: filled(lines, panels) })).filter(
        (group) => group.panels.length > 0,
      ),
    [lines],
  );
  const draw = ({ plan, curves }: Filled) => (
    <Panel key={plan.id} plan={plan} curves={curves} steps={steps} at={at} onAt={onAt} />
  );
  return (
    <>
      {groups.map((group) => {
        const id = group.id as keyof typeof words.groups;
        return (
          <Section key={id} title={words.groups[id]} lead={words.groupLeads[id]}>
            <div className="training-panels chart-row">{group.panels.map(draw)}</div>
          </Section>
        );
      })}
      {others.length > 0 && (
        <details className="training-others" onToggle={(e) => setOpen(e.currentTarget.open)}>
          <summary>{words.groups.other}</summary>
          {isOpen && <div className="training-panels chart-row">{others.map(draw)}</div>}
        </details>
      )}
    </>
  );
}

interface Filled {
  readonly plan: PanelPlan;
  readonly curves: CurveOf[];
}

/** Those of the charts for which there are figures. */
function filled(lines: readonly Line[], plans: readonly PanelPlan[]): Filled[] {
  return plans
    .map((plan) => ({ plan, curves: curvesOf(lines, plan) }))
    .filter((one) => one.curves.length > 0);
}

interface PanelProps extends Filled {
  readonly steps: Range;
  readonly at: number | null;
  readonly onAt: (step: number | null) => void;
}

const Panel = memo(function Panel({ plan, curves, steps, at, onAt }: PanelProps) {
  const words = useWords().more.training;
  const series = useMemo(
    () =>
      curves.map((one, i): Series => {
        const isExam = one.kind !== 'step';
        const name = words.curves[isExam ? one.kind : one.key] ?? one.key;
        const tone = one.kind === 'greedy' ? 1 : one.kind === 'sampled' ? 3 : i === 0 ? 0 : i + 1;
        // A few examinations are points; where nothing else is drawn, a line joins them.
        return { name, tone, points: one.points, isDotted: isExam && plan.steps.length > 0 };
      }),
    [curves, plan, words],
  );
  const domain = useMemo(
    () => (plan.form === 'share' ? shareDomain(series) : undefined),
    [plan, series],
  );
  const [title, unit] = words.panels[plan.id] ?? [plan.id, ''];
  return (
    <Lines
      title={title}
      unit={unit}
      series={series}
      show={SHOW[plan.form]}
      domain={domain}
      steps={steps}
      at={at}
      onAt={onAt}
    />
  );
});

/** Shares stand between 0 and 1, so that charts compare; tiny ones get a scale of theirs. */
function shareDomain(series: readonly Series[]): Range | undefined {
  const [, most] = extent(series.flatMap((one) => one.points.map(([, value]) => value))) ?? [0, 1];
  return most > 0.2 ? [0, 1] : most > 0 ? undefined : [0, 0.1];
}
