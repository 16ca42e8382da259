// Where everything stands in a round's score: a row per worker, a column per wave. Numbers only.

import type { Workflow } from '../contract';

/** Sizes in pixels where a rem has 16; with larger letters they grow as well. */
const STEP_HEIGHT = 152;
const GAP_X = 56;
const GAP_Y = 16;
const ROW_PAD = 22;
const MIN_STEP = 248;
const MAX_STEP = 460;
const TOP = 30;

export interface Row {
  worker: number;
  y: number;
  height: number;
}

export interface Place {
  step: number;
  wave: number;
  x: number;
  y: number;
  width: number;
}

/** One step reads another's answer. */
export interface Read {
  from: number;
  to: number;
  /** The height at which the line runs past the steps between; null: there are none. */
  past: number | null;
}

export interface Layout {
  rows: Row[];
  /** The left edge of each wave. */
  waves: number[];
  places: Place[];
  reads: Read[];
  stepWidth: number;
  stepHeight: number;
  /** Where the first row begins; the numbers of the waves stand above. */
  top: number;
  width: number;
  height: number;
}

type Sizes = [gapX: number, gapY: number, pad: number, top: number];

/** The wave of each step: how long the longest chain of answers is that it waits for. */
export function wavesOf(workflow: Workflow): number[] {
  const waves: number[] = [];
  for (const step of workflow.steps) {
    waves.push(Math.max(-1, ...step.access.map((earlier) => waves[earlier] ?? 0)) + 1);
  }
  return waves;
}

/**
 * Lay a workflow out.
 *
 * `room` is the width there is; a score that needs more is wider than that. `left` is kept free for
 * the names of the workers. `scale` is the size of a rem over 16.
 */
export function layout(workflow: Workflow, room: number, left: number, scale = 1): Layout {
  const [gapX, gapY, pad, top] = [GAP_X, GAP_Y, ROW_PAD, TOP].map((size) => size * scale) as Sizes;
  const stepHeight = Math.round(STEP_HEIGHT * scale);
  const waves = wavesOf(workflow);
  const count = Math.max(...waves) + 1;
  const free = (room - left - gapX / 2) / count - gapX;
  const stepWidth = Math.round(Math.min(MAX_STEP * scale, Math.max(MIN_STEP * scale, free)));
  const workers = [...new Set(workflow.steps.map((step) => step.worker))].sort((a, b) => a - b);

  const places: Place[] = [];
  const rows: Row[] = [];
  let y = top;
  for (const worker of workers) {
    const lanes = new Map<number, number>();
    workflow.steps.forEach((step, i) => {
      if (step.worker !== worker) return;
      const wave = waves[i]!;
      const lane = lanes.get(wave) ?? 0;
      lanes.set(wave, lane + 1);
      const x = left + gapX / 2 + wave * (stepWidth + gapX);
      places.push({ step: i, wave, x, y: y + pad + lane * (stepHeight + gapY), width: stepWidth });
    });
    const deep = Math.max(...lanes.values());
    const height = 2 * pad + deep * stepHeight + (deep - 1) * gapY;
    rows.push({ worker, y, height });
    y += height;
  }
  places.sort((a, b) => a.step - b.step);

  return {
    rows,
    waves: Array.from({ length: count }, (_, i) => left + i * (stepWidth + gapX)),
    places,
    reads: readsOf(workflow, places, stepHeight, pad),
    stepWidth,
    stepHeight,
    top,
    width: left + count * (stepWidth + gapX),
    height: y + 8,
  };
}

function readsOf(workflow: Workflow, places: Place[], height: number, pad: number): Read[] {
  return workflow.steps.flatMap((step, to) =>
    step.access.map((from) => {
      const [source, target] = [places[from]!, places[to]!];
      if (target.wave - source.wave < 2) return { from, to, past: null };
      // Between the rows: below their step, or above it on the way up; apart from one another.
      const apart = pad * 0.55 + (from % 3) * 5;
      const isUp = target.y < source.y;
      return { from, to, past: isUp ? source.y - apart : source.y + height + apart };
    }),
  );
}
