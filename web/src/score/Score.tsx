// One round as a score: a stave per worker, a bar per wave, steps where they are played and the
// answers that they read as lines. React Flow draws steps and lines; the page scrolls, not it.

import { ReactFlow, type Edge, type EdgeTypes, type Node, type NodeTypes } from '@xyflow/react';
import { Position } from '@xyflow/react';
import { memo, useEffect, useMemo, useRef, useState } from 'react';

import type { Workflow } from '../contract';
import { useWords } from '../settings';
import { layout, type Layout } from './layout';
import { ReadLine, type ReadEdge } from './ReadLine';
import { Staves } from './Staves';
import { StepNode, type StepFlowNode } from './StepNode';

import '@xyflow/react/dist/base.css';
import './score.css';

const NODES: NodeTypes = { step: StepNode };
const EDGES: EdgeTypes = { read: ReadLine };

/** Below this width, names stand above their staves. */
const NARROW = 680;
const NAMES = 148;

interface Props {
  round: number;
  workflow: Workflow;
  workers: string[];
}

export const Score = memo(function Score({ round, workflow, workers }: Props) {
  const words = useWords().score;
  const [frame, room] = useRoom();
  const scale = remPixels() / 16;
  const isNarrow = room < NARROW;
  const left = isNarrow ? 0 : NAMES * scale;
  const placed = useMemo(
    () => layout(workflow, room, left, scale),
    [workflow, room, left, scale],
  );
  const nodes = useMemo(() => nodesOf(round, workflow, placed), [round, workflow, placed]);
  const edges = useMemo(() => edgesOf(round, placed), [round, placed]);

  return (
    <div className="score" ref={frame} role="group" aria-label={words.label(round + 1)}>
      {room > 0 && (
        <div className="score-sheet" style={{ width: placed.width, height: placed.height }}>
          <Staves placed={placed} left={left} />
          <div className={isNarrow ? 'score-names narrow' : 'score-names'} aria-hidden="true">
            {placed.rows.map((row) => (
              <span key={row.worker} style={{ top: isNarrow ? row.y : row.y + row.height / 2 }}>
                <bdi>{workers[row.worker] ?? `${row.worker}`}</bdi>
              </span>
            ))}
          </div>
          <ReactFlow
            id={`round-${round}`}
            nodes={nodes}
            edges={edges}
            nodeTypes={NODES}
            edgeTypes={EDGES}
            defaultViewport={{ x: 0, y: 0, zoom: 1 }}
            minZoom={1}
            maxZoom={1}
            nodesDraggable={false}
            nodesConnectable={false}
            nodesFocusable={false}
            edgesFocusable={false}
            elementsSelectable={false}
            panOnDrag={false}
            panOnScroll={false}
            zoomOnScroll={false}
            zoomOnPinch={false}
            zoomOnDoubleClick={false}
            preventScrolling={false}
            disableKeyboardA11y
            proOptions={{ hideAttribution: true }}
          />
        </div>
      )}
    </div>
  );
});

/** How large a rem is here: wide screens have larger letters. */
function remPixels(): number {
  return parseFloat(getComputedStyle(document.documentElement).fontSize);
}

/** The width that there is, and whose. */
function useRoom(): [(element: HTMLDivElement | null) => void, number] {
  const [room, setRoom] = useState(0);
  const observer = useRef<ResizeObserver | null>(null);
  useEffect(() => () => observer.current?.disconnect(), []);
  const [frame] = useState(() => (element: HTMLDivElement | null) => {
    observer.current?.disconnect();
    if (element === null) return;
    setRoom(element.clientWidth);
    observer.current = new ResizeObserver(() => setRoom(element.clientWidth));
    observer.current.observe(element);
  });
  return [frame, room];
}

function nodesOf(round: number, workflow: Workflow, placed: Layout): Node[] {
  const last = workflow.steps.length - 1;
  return placed.places.map(
    ({ step, x, y, width }): StepFlowNode => ({
      id: `${step}`,
      type: 'step',
      position: { x, y },
      width,
      height: placed.stepHeight,
      // Known beforehand, so that nothing is measured and lines are there at once.
      handles: [
        { type: 'target', position: Position.Left, x: 0, y: placed.stepHeight / 2, width: 1, height: 1 },
        { type: 'source', position: Position.Right, x: width, y: placed.stepHeight / 2, width: 1, height: 1 },
      ],
      data: { round, step, isLast: step === last },
    }),
  );
}

function edgesOf(round: number, placed: Layout): Edge[] {
  return placed.reads.map(
    ({ from, to, past }): ReadEdge => ({
      id: `${from}-${to}`,
      type: 'read',
      source: `${from}`,
      target: `${to}`,
      data: { round, from, to, past },
    }),
  );
}
