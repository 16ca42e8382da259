// A line of a score: one step reads another's answer. Faint until the answer is there, red while
// it is being read.

import { getBezierPath, type Edge, type EdgeProps } from '@xyflow/react';

import { usePlayingRun } from './context';
import { useStep } from './store';

export type ReadEdge = Edge<
  {
    round: number;
    from: number;
    to: number;
    /** Where the line runs past the steps between, if there are any: its height. */
    past: number | null;
  },
  'read'
>;

/** How far from a step a line turns. */
const TURN = 50;

export function ReadLine(props: EdgeProps<ReadEdge>) {
  const { round, from, to, past } = props.data!;
  const { store } = usePlayingRun();
  const source = useStep(store, round, from)?.state;
  const target = useStep(store, round, to)?.state;
  const [direct] = getBezierPath({ ...props, curvature: 0.35 });
  const { sourceX, sourceY, targetX, targetY } = props;
  const path = past === null ? direct : around(sourceX, sourceY, targetX, targetY, past);
  const isGiven = source === 'done';
  const state = !isGiven ? 'waiting' : target === 'running' ? 'reading' : 'given';

  return (
    <g className={`read ${state}`}>
      <path d={path} fill="none" />
      <circle cx={sourceX} cy={sourceY} r="2.6" />
      <circle cx={targetX} cy={targetY} r="2.6" />
    </g>
  );
}

/** Out of a step, along between the rows, into another, as a slur runs around notes. */
function around(x1: number, y1: number, x2: number, y2: number, y: number): string {
  const [a, b] = [x1 + TURN, x2 - TURN];
  const half = TURN * 0.55;
  return (
    `M${x1} ${y1}C${x1 + half} ${y1} ${a - half} ${y} ${a} ${y}` +
    `L${b} ${y}C${b + half} ${y} ${x2 - half} ${y2} ${x2} ${y2}`
  );
}
