// What every chart has around it: a caption, a drawing as wide as its place, and a table behind.
//
// The drawing is one image to a screen reader, named by the caption and described in a sentence.
// Its figures are in the table, which anybody may open.

import './charts.css';
import { memo, useId, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { ReactNode, RefObject } from 'react';

import { useWords } from '../settings';
import type { Behind } from './shapes';

interface FrameProps {
  /** The chart's name, for everybody. */
  readonly caption: ReactNode;
  /** What is said beside the caption, as a legend or the latest value. */
  readonly aside?: ReactNode;
  /** Makes the figures behind the chart, once they are asked for. */
  readonly behind: () => Behind;
  readonly className?: string;
  /** Draws into a box of this width in pixels. */
  readonly children: (width: number) => ReactNode;
}

/** A chart with its caption and its table. */
export function Frame(props: FrameProps) {
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  return (
    <figure className={`chart ${props.className ?? ''}`}>
      <figcaption>
        {props.caption}
        {props.aside}
      </figcaption>
      <div className="chart-box" ref={box}>
        {width > 0 && props.children(width)}
      </div>
      <TableBehind behind={props.behind} />
    </figure>
  );
}

/** The table of a chart, closed until it is asked for; its rows are made only then. */
export function TableBehind({ behind }: { behind: () => Behind }) {
  const words = useWords().more.chart.table;
  const [isOpen, setOpen] = useState(false);
  const made = useMemo(() => (isOpen ? behind() : null), [isOpen, behind]);
  return (
    <details className="chart-table" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{words}</summary>
      {made && <PlainTable behind={made} name={words} />}
    </details>
  );
}

/** A table of figures in a box that scrolls sideways, by keyboard too. */
export const PlainTable = memo(function PlainTable(props: { behind: Behind; name: string }) {
  const { behind, name } = props;
  return (
    <div className="scroll-x" role="group" aria-label={name} tabIndex={0}>
      <table className="figures">
        <thead>
          <tr>
            {behind.head.map((word, i) => (
              <th key={i} scope="col">
                {word}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {behind.rows.map((row, i) => (
            <tr key={i}>
              {row.map((cell, j) =>
                j === 0 ? (
                  <th key={j} scope="row">
                    {cell}
                  </th>
                ) : (
                  <td key={j}>{cell ?? '–'}</td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
});

interface DrawingProps {
  readonly width: number;
  readonly height: number;
  readonly title: string;
  /** What the drawing shows, in a sentence, with its main figures. */
  readonly desc: string;
  readonly className?: string;
  readonly onPlace?: (x: number | null) => void;
  readonly children: ReactNode;
}

/** The image itself. `onPlace` tells where a pointer is, in pixels from the left. */
export function Drawing(props: DrawingProps) {
  const id = useId();
  const { onPlace } = props;
  return (
    <svg
      role="img"
      aria-labelledby={`${id}t`}
      aria-describedby={`${id}d`}
      className={props.className}
      width={props.width}
      height={props.height}
      viewBox={`0 0 ${props.width} ${props.height}`}
      onPointerMove={
        onPlace &&
        ((event) => onPlace(event.clientX - event.currentTarget.getBoundingClientRect().left))
      }
      onPointerLeave={onPlace && (() => onPlace(null))}
    >
      <title id={`${id}t`}>{props.title}</title>
      <desc id={`${id}d`}>{props.desc}</desc>
      {props.children}
    </svg>
  );
}

/** The width of an element in whole pixels, followed as it changes; 0 before it is known. */
export function useWidth(box: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    setWidth(Math.floor(element.clientWidth));
    const watch = new ResizeObserver(() => setWidth(Math.floor(element.clientWidth)));
    watch.observe(element);
    return () => watch.disconnect();
  }, [box]);
  return width;
}
