// A round's plan in little: a line per worker, a note per step, ties from each answer to whoever
// reads it.

import { useId } from 'react';

import { wavesOf } from '../../score/layout';
import type { RoundRun, StepRun } from '../../score/run';
import { useWords } from '../../settings';
import { short, width as widthOf } from '../../charts/labels';

const ROW = 20;
const WAVE = 30;
const LONGEST = 16;
const MOST_STEPS = 60;

interface Note {
  readonly step: StepRun;
  readonly x: number;
  readonly y: number;
}

/** Where each step's note stands: its worker's line, its wave. */
function notesOf(round: RoundRun, left: number, rows: number[]): Note[] {
  const steps = round.steps.slice(0, MOST_STEPS);
  const waves = wavesOf(round.workflow!);
  const taken = new Map<string, number>();
  return steps.map((step, i) => {
    const place = `${step.worker} ${waves[i]}`;
    const nth = taken.get(place) ?? 0;
    taken.set(place, nth + 1);
    const x = left + 16 + (waves[i] ?? 0) * WAVE + nth * 11;
    return { step, x, y: ROW / 2 + rows.indexOf(step.worker) * ROW };
  });
}

export function SmallPlan({ round, workers }: { round: RoundRun; workers: readonly string[] }) {
  const words = useWords().more.compare;
  const id = useId();
  const rows = [...new Set(round.steps.map((step) => step.worker))].sort((a, b) => a - b);
  const names = rows.map((worker) => short(workers[worker] ?? '?', LONGEST));
  const left = Math.max(...names.map(widthOf));
  const notes = notesOf(round, left, rows);
  const width = Math.max(160, ...notes.map((note) => note.x + 20));
  const stateOf = (step: StepRun) =>
    words.stepStates[step.state === 'stopped' ? 'failed' : step.state];
  const said = notes.map(({ step }) =>
    words.step(step.index + 1, workers[step.worker] ?? '?', stateOf(step)),
  );
  return (
    <div className="scroll-x" role="group" aria-label={words.plan} tabIndex={0}>
      <svg
        className="compare-score"
        role="img"
        aria-labelledby={id}
        width={width}
        height={rows.length * ROW}
      >
        <title id={id}>{said.join('. ')}</title>
        {rows.map((worker, i) => (
          <g key={worker}>
            <text x={0} y={i * ROW + ROW / 2 + 4}>
              {names[i]}
            </text>
            <line
              className="stave"
              x1={left + 6}
              x2={width}
              y1={i * ROW + ROW / 2}
              y2={i * ROW + ROW / 2}
            />
          </g>
        ))}
        {notes.flatMap((to) =>
          to.step.access.map((j) => {
            const from = notes[j];
            return from && <path key={`${j}-${to.step.index}`} className="tie" d={tie(from, to)} />;
          }),
        )}
        {notes.map(({ step, x, y }) => (
          <ellipse
            key={step.index}
            className={`note ${step.state}`}
            cx={x}
            cy={y}
            rx={5.2}
            ry={4.2}
          />
        ))}
      </svg>
    </div>
  );
}

/** A curve from one note to another, like a tie. */
function tie(from: Note, to: Note): string {
  const middle = (from.x + to.x) / 2;
  const bend = from.y === to.y ? -9 : 0;
  const [above, below] = [from.y + bend, to.y + bend];
  return `M${from.x + 5},${from.y}C${middle},${above} ${middle},${below} ${to.x - 5},${to.y}`;
}
