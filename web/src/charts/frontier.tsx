// Quality against cost: a point for each system, and the frontier along the best ones.
//
// What costs nothing stands at the left edge of the logarithmic axis.

import { Drawing, Frame } from './frame';
import { placed } from './labels';
import { decades, linear, logarithmic, ticks } from './scale';
import type { Range, Scale } from './scale';
import { costRange, frontierOf, staircase } from './shapes';
import type { Behind, Spot } from './shapes';

interface FrontierProps {
  readonly title: string;
  readonly desc: string;
  readonly costWords: string;
  readonly freeWords: string;
  /** What the vertical axis counts. */
  readonly shareWords: string;
  readonly spots: readonly Spot[];
  readonly behind: () => Behind;
  readonly showCost: (value: number) => string;
  readonly showShare: (value: number) => string;
}

const EDGE = { left: 46, right: 18, top: 14, bottom: 46 };

/** The plot with its table. */
export function Frontier(props: FrontierProps) {
  return (
    <Frame
      className="chart-frontier"
      caption={<span className="chart-unit">{props.shareWords}</span>}
      behind={props.behind}
    >
      {(width) => <Plot {...props} width={width} />}
    </Frame>
  );
}

function Plot(props: FrontierProps & { readonly width: number }) {
  const { spots, width } = props;
  const height = Math.round(Math.min(480, Math.max(300, width * 0.5)));
  const costs = costRange(spots);
  const hasFree = spots.some((one) => one.cost === 0);
  const left = EDGE.left + (hasFree ? 18 : 0);
  const inner = logarithmic(costs, [left + (hasFree ? 34 : 0), width - EDGE.right]);
  const x: Scale = (cost) => (cost > 0 ? inner(cost) : left);
  const best = Math.max(0.1, ...spots.map((one) => one.interval[1]));
  const top = Math.min(1, Math.ceil(10 * best + 0.2) / 10);
  const y = linear([0, top], [height - EDGE.bottom, EDGE.top]);
  const front = frontierOf(spots);
  return (
    <Drawing width={width} height={height} title={props.title} desc={props.desc}>
      <Grid
        {...props}
        height={height}
        top={top}
        x={x}
        y={y}
        costs={costs}
        left={left}
        hasFree={hasFree}
      />
      {front.length > 1 && (
        <path
          className="front"
          d={staircase(
            front.map((one) => [x(one.cost), y(one.right)]),
            width - EDGE.right,
          )}
        />
      )}
      {spots.map((one) => (
        <line
          key={one.name}
          className="whisker"
          x1={x(one.cost)}
          x2={x(one.cost)}
          y1={y(one.interval[0])}
          y2={y(one.interval[1])}
        />
      ))}
      {spots.map((one) => (
        <circle
          key={one.name}
          className={`spot ${one.kind}`}
          cx={x(one.cost)}
          cy={y(one.right)}
          r={one.kind === 'focus' ? 7 : 5}
        >
          <title>{`${one.name}: ${props.showShare(one.right)}, ${props.showCost(one.cost)}`}</title>
        </circle>
      ))}
      <Names spots={spots} front={front} x={x} y={y} width={width} height={height} />
    </Drawing>
  );
}

interface GridProps extends FrontierProps {
  readonly width: number;
  readonly height: number;
  readonly top: number;
  readonly x: Scale;
  readonly y: Scale;
  readonly costs: Range;
  readonly left: number;
  readonly hasFree: boolean;
}

function Grid(props: GridProps) {
  const { width, height, x, y } = props;
  const floor = height - EDGE.bottom;
  return (
    <g>
      {ticks([0, props.top], 6).map((value) => (
        <g key={value}>
          <line
            className="rule"
            x1={EDGE.left}
            x2={width - EDGE.right}
            y1={y(value)}
            y2={y(value)}
          />
          <text className="tick" x={EDGE.left - 8} y={y(value) + 4} textAnchor="end">
            {props.showShare(value)}
          </text>
        </g>
      ))}
      {props.hasFree && (
        <text className="tick" x={props.left} y={floor + 18} textAnchor="middle">
          {props.freeWords}
        </text>
      )}
      {decades(props.costs, Math.max(2, Math.floor(width / 110))).map((value) => (
        <g key={value}>
          <line className="rule" x1={x(value)} x2={x(value)} y1={EDGE.top} y2={floor} />
          <text className="tick" x={x(value)} y={floor + 18} textAnchor="middle">
            {props.showCost(value)}
          </text>
        </g>
      ))}
      <text className="axis" x={width - EDGE.right} y={height - 4} textAnchor="end">
        {props.costWords} →
      </text>
    </g>
  );
}

interface NamesProps {
  readonly spots: readonly Spot[];
  readonly front: readonly Spot[];
  readonly x: Scale;
  readonly y: Scale;
  readonly width: number;
  readonly height: number;
}

function Names({ spots, front, x, y, width, height }: NamesProps) {
  const kinds = new Map(spots.map((one) => [one.name, one.kind]));
  const rank = (one: Spot) => (one.kind === 'focus' ? 0 : front.includes(one) ? 1 : 2);
  const labels = placed(
    spots.map((one) => ({ name: one.name, x: x(one.cost), y: y(one.right), rank: rank(one) })),
    { x0: EDGE.left, y0: 0, x1: width, y1: height - EDGE.bottom },
    width < 520 ? 20 : 30,
  );
  return (
    <g aria-hidden="true">
      {labels.map((one) => (
        <g key={one.name}>
          {one.leader && (
            <line
              className="leader"
              x1={one.leader[0]}
              y1={one.leader[1]}
              x2={one.leader[2]}
              y2={one.leader[3]}
            />
          )}
          <text
            className={`label ${kinds.get(one.name)}`}
            x={one.x}
            y={one.y}
            textAnchor={one.anchor}
          >
            {one.text}
          </text>
        </g>
      ))}
    </g>
  );
}
