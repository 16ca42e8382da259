// Curves over steps: the raw values thin, their running mean strong, examinations as points.
//
// Several charts may share one cursor: the step that a pointer or a slider is at.

import { useCallback, useMemo } from 'react';

import { useWords } from '../settings';
import { Drawing, Frame } from './frame';
import { width as widthOf } from './labels';
import { extent, linear, smooth, thinned, ticks, wholeTicks, widened } from './scale';
import type { Point, Range, Scale } from './scale';
import { behindOf, pathOf, pointAt } from './shapes';
import type { Series } from './shapes';

export interface LinesProps {
  readonly title: string;
  /** What the vertical axis counts. */
  readonly unit: string;
  readonly series: readonly Series[];
  readonly show: (value: number) => string;
  /** Both ends of the vertical axis; left out: as the values are. */
  readonly domain?: Range;
  /** Both ends of the steps, so that charts side by side agree. */
  readonly steps: Range;
  /** The shared cursor; null: none. */
  readonly at: number | null;
  readonly onAt: (step: number | null) => void;
  readonly height?: number;
}

/** Into how many parts a curve is cut at most; each is less than two pixels wide. */
const MOST_PARTS = 250;
const EDGE = { right: 10, top: 10, bottom: 24 };

/** One chart of curves, with its legend, which shows the values at the cursor or the last ones. */
export function Lines(props: LinesProps) {
  const stepWord = useWords().more.chart.step;
  const shown = useMemo(() => props.series.filter((one) => one.points.length > 0), [props.series]);
  const { show } = props;
  const behind = useCallback(() => behindOf(shown, stepWord, show), [shown, stepWord, show]);
  return (
    <Frame
      className="chart-lines"
      caption={
        <span className="chart-name">
          {props.title} <span className="chart-unit">{props.unit}</span>
        </span>
      }
      aside={<Legend shown={shown} at={props.at} show={props.show} />}
      behind={behind}
    >
      {(width) => <Plot {...props} series={shown} width={width} stepWord={stepWord} />}
    </Frame>
  );
}

interface LegendProps {
  readonly shown: readonly Series[];
  readonly at: number | null;
  readonly show: (value: number) => string;
}

function Legend({ shown, at, show }: LegendProps) {
  return (
    <span className="chart-legend">
      {shown.map((one) => {
        const value = valueAt(one, at);
        return (
          <span key={one.name} className={`key tone-${one.tone} ${one.isDotted ? 'dotted' : ''}`}>
            <i aria-hidden="true" />
            {one.name} <b>{value === null ? '–' : show(value)}</b>
          </span>
        );
      })}
    </span>
  );
}

function Plot(props: LinesProps & { readonly width: number; readonly stepWord: string }) {
  const { width, series, steps, show, domain: given } = props;
  const height = props.height ?? 168;
  const [plot, still] = useMemo(() => {
    const made = planOf(series, steps, given, width, height, show);
    return [made, <Still key="still" plot={made} series={series} />] as const;
  }, [series, steps, given, width, height, show]);
  const toStep = linear([plot.left, width - EDGE.right], steps);
  const place = (px: number | null) =>
    props.onAt(px === null ? null : Math.round(Math.min(steps[1], Math.max(steps[0], toStep(px)))));
  return (
    <Drawing
      width={width}
      height={height}
      title={props.title}
      desc={descOf(series, props.stepWord, show)}
      onPlace={place}
    >
      {still}
      {props.at !== null && <Marks plot={plot} series={series} at={props.at} />}
    </Drawing>
  );
}

/** Where everything stands in one plot. */
interface Plan {
  readonly left: number;
  readonly right: number;
  readonly floor: number;
  readonly x: Scale;
  readonly y: Scale;
  readonly marks: readonly (readonly [number, string])[];
  readonly stepMarks: readonly number[];
}

function planOf(
  series: readonly Series[],
  steps: Range,
  given: Range | undefined,
  width: number,
  height: number,
  show: (value: number) => string,
): Plan {
  const domain = given ?? domainOf(series);
  const marks = ticks(domain, 3).map((value) => [value, show(value)] as const);
  const left = 14 + Math.ceil(Math.max(...marks.map(([, text]) => 0.9 * widthOf(text))));
  const right = width - EDGE.right;
  return {
    left,
    right,
    floor: height - EDGE.bottom,
    x: linear(steps, [left, right]),
    y: linear(domain, [height - EDGE.bottom, EDGE.top]),
    marks,
    stepMarks: wholeTicks(steps, Math.max(2, Math.floor(width / 60))),
  };
}

/** All that a moving cursor leaves as it is. */
function Still({ plot, series }: { plot: Plan; series: readonly Series[] }) {
  const { left, right, floor, x, y } = plot;
  return (
    <>
      {plot.marks.map(([value, text]) => (
        <g key={value}>
          <line className="rule" x1={left} x2={right} y1={y(value)} y2={y(value)} />
          <text className="tick" x={left - 8} y={y(value) + 4} textAnchor="end">
            {text}
          </text>
        </g>
      ))}
      {plot.stepMarks.map((step) => (
        <text key={step} className="tick" x={x(step)} y={floor + 18} textAnchor="middle">
          {step}
        </text>
      ))}
      {series.map((one) => (
        <Curve key={one.name} one={one} x={x} y={y} />
      ))}
    </>
  );
}

function Marks({ plot, series, at }: { plot: Plan; series: readonly Series[]; at: number }) {
  const { x, y } = plot;
  return (
    <>
      <line className="cursor" x1={x(at)} x2={x(at)} y1={EDGE.top} y2={plot.floor} />
      {series.map((one) => {
        const point = one.isDotted ? null : pointAt(one, at);
        return (
          point && (
            <g key={one.name} className={`tone-${one.tone}`}>
              <circle className="mark" cx={x(point[0])} cy={y(point[1])} r={3.5} />
            </g>
          )
        );
      })}
    </>
  );
}

interface CurveProps {
  readonly one: Series;
  readonly x: Scale;
  readonly y: Scale;
}

function Curve({ one, x, y }: CurveProps) {
  if (one.isDotted) {
    return (
      <g className={`tone-${one.tone}`}>
        {one.points.map(([step, value]) => (
          <circle key={step} className="dot" cx={x(step)} cy={y(value)} r={4.5} />
        ))}
      </g>
    );
  }
  const values = one.points.map(([, value]) => value);
  const mean = smooth(values, Math.floor(values.length / 20));
  const means = one.points.map(([step], i) => [step, mean[i] as number] as const);
  const drawn = (points: Series['points']) => pathOf(thinned(points, MOST_PARTS), x, y);
  const only = one.points.length === 1 ? one.points[0] : undefined;
  return (
    <g className={`tone-${one.tone}`}>
      {values.length > 20 && <path className="raw" d={drawn(one.points)} />}
      <path className="curve" d={drawn(means)} />
      {only && <circle className="dot" cx={x(only[0])} cy={y(only[1])} r={3} />}
    </g>
  );
}

function valueAt(one: Series, at: number | null): number | null {
  return pointAt(one, at)?.[1] ?? null;
}

function domainOf(series: readonly Series[]): Range {
  const found = extent(series.flatMap((one) => one.points.map(([, value]) => value))) ?? [0, 1];
  return widened(found[0] > 0 && found[0] < 0.6 * found[1] ? [0, found[1]] : found, 3);
}

function descOf(series: readonly Series[], stepWord: string, show: (v: number) => string): string {
  return series
    .map((one) => {
      const first = one.points[0]!;
      const last = one.points.at(-1)!;
      const said = ([step, value]: Point) => `${show(value)} (${stepWord} ${step})`;
      return `${one.name}: ${said(first)} → ${said(last)}.`;
    })
    .join(' ');
}
