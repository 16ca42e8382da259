// Names at the points of a plot, none over another.
//
// Those that matter most get the best places. A name for which there is no room is left out: its
// point has a title, and the table behind the plot has a row for it.

export interface Point {
  readonly name: string;
  readonly x: number;
  readonly y: number;
  /** Lower ones are placed first. */
  readonly rank: number;
}

export interface Box {
  readonly x0: number;
  readonly y0: number;
  readonly x1: number;
  readonly y1: number;
}

export interface Label {
  readonly name: string;
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly anchor: 'start' | 'middle' | 'end';
  /** From the point to the label, where it stands far from its point. */
  readonly leader: readonly [number, number, number, number] | null;
}

const LINE = 15;
const LETTER = 6.9;

/** The text, cut off where it is longer than `most` characters. */
export function short(text: string, most: number): string {
  const letters = [...text];
  return letters.length <= most ? text : `${letters.slice(0, most - 1).join('')}…`;
}

/** Width of a text in pixels, about: Hangul and other full-width letters count twice. */
export function width(text: string): number {
  let sum = 0;
  for (const letter of text) sum += letter > '\u1100' ? 2 * LETTER : LETTER;
  return sum;
}

/** Places for the names of points that are all kept free; `frame` is what no label leaves. */
export function placed(points: readonly Point[], frame: Box, most = 30): Label[] {
  const taken: Box[] = points.map((p) => ({ x0: p.x - 6, y0: p.y - 6, x1: p.x + 6, y1: p.y + 6 }));
  const found: Label[] = [];
  for (const point of [...points].sort((a, b) => a.rank - b.rank || a.y - b.y)) {
    const text = short(point.name, most);
    for (const { anchor, box } of places(point, width(text))) {
      if (!holds(frame, box) || taken.some((other) => meets(box, other))) continue;
      taken.push(box);
      found.push(written(point, text, anchor, box));
      break;
    }
  }
  return found;
}

interface Place {
  readonly anchor: Label['anchor'];
  readonly box: Box;
}

function* places(point: Point, wide: number): Generator<Place> {
  const side = 11 + wide / 2;
  for (const away of [0, 1, 2, 3, 4.5]) {
    const apart = away * LINE;
    const tries: readonly [Label['anchor'], number, number][] = [
      ['start', point.x + side, point.y - apart],
      ['start', point.x + side, point.y + apart],
      ['end', point.x - side, point.y - apart],
      ['end', point.x - side, point.y + apart],
      ['middle', point.x, point.y - 14 - apart],
      ['middle', point.x, point.y + 14 + apart],
    ];
    for (const [anchor, cx, cy] of tries) {
      const half = wide / 2;
      const box = { x0: cx - half, y0: cy - LINE / 2, x1: cx + half, y1: cy + LINE / 2 };
      yield { anchor, box };
    }
  }
}

function written(point: Point, text: string, anchor: Label['anchor'], box: Box): Label {
  const cy = (box.y0 + box.y1) / 2;
  const x = { start: box.x0, end: box.x1, middle: (box.x0 + box.x1) / 2 }[anchor];
  const isNear = Math.abs(cy - point.y) < LINE * 1.6;
  const edge = cy < point.y ? box.y1 : box.y0;
  const leader = isNear ? null : ([point.x, point.y, x, edge] as const);
  return { name: point.name, text, x, y: cy + 4, anchor, leader };
}

function meets(a: Box, b: Box): boolean {
  return a.x0 < b.x1 && b.x0 < a.x1 && a.y0 < b.y1 && b.y0 < a.y1;
}

function holds(outer: Box, inner: Box): boolean {
  return (
    outer.x0 <= inner.x0 && inner.x1 <= outer.x1 && outer.y0 <= inner.y0 && inner.y1 <= outer.y1
  );
}
