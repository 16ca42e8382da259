// What a score is drawn on: staves, bar lines, the bracket on the left, the numbers of the bars.

import type { Layout } from './layout';

const LINES = [-2, -1, 0, 1, 2];
const SPACE = 9;

export function Staves({ placed, left }: { placed: Layout; left: number }) {
  const { rows, waves, width, height, stepHeight } = placed;
  const end = width - 12;
  const lanes = placed.places.map((place) => place.y + stepHeight / 2);
  const staves = [...new Set(lanes)].sort((a, b) => a - b);
  const top = (staves[0] ?? placed.top) - 2 * SPACE;
  const bottom = (staves.at(-1) ?? placed.top) + 2 * SPACE;
  const begin = left === 0 ? 2 : left;

  return (
    <svg className="staves" width={width} height={height} aria-hidden="true">
      {staves.map((y) =>
        LINES.map((line) => (
          <line key={`${y} ${line}`} x1={begin} x2={end} y1={y + line * SPACE} y2={y + line * SPACE} />
        )),
      )}
      {waves.map((x, i) => (
        <g key={x}>
          <line className="bar" x1={i === 0 ? begin : x} x2={i === 0 ? begin : x} y1={top} y2={bottom} />
          <text x={(i === 0 ? begin : x) + 5} y={placed.top - 12}>
            {i + 1}
          </text>
        </g>
      ))}
      <line className="bar" x1={end - 6} x2={end - 6} y1={top} y2={bottom} />
      <line className="bar last" x1={end - 1} x2={end - 1} y1={top} y2={bottom} />
      {left > 0 && rows.length > 1 && (
        <path
          className="bracket"
          d={`M${begin + 2} ${top - 9}q-7 2 -9 8V${bottom + 1}q2 6 9 8`}
          fill="none"
        />
      )}
    </svg>
  );
}
