// The rows of the list that are in sight, and a few around them: ten thousand runs are some forty
// elements. All rows have one height, which is how their places are known.

import { memo, useEffect, useLayoutEffect, useRef, useState } from 'react';

import type { RunSummary } from '../../api';
import { count, duration, usd, when } from '../../format';
import { Link } from '../../router';
import { useLocale, useWords } from '../../settings';

const WIDE_ROW = 64;
const NARROW_ROW = 104;
const AROUND = 8;
/** The next page is fetched once so few rows are left below. */
const AHEAD = 40;

interface Props {
  runs: RunSummary[];
  total: number;
  onMore: () => void;
  picked: string | null;
  onPick: (id: string) => void;
}

export function RunRows({ runs, total, onMore, picked, onPick }: Props) {
  const words = useWords().runs;
  const list = useRef<HTMLUListElement>(null);
  const row = useRowHeight();
  const [first, last] = useWindow(list, row, runs.length);

  useEffect(() => {
    if (last + AHEAD >= runs.length) onMore();
  }, [last, runs.length, onMore]);

  return (
    <ul ref={list} className="run-rows" aria-label={words.list} style={{ height: runs.length * row }}>
      {runs.slice(first, last).map((run, i) => (
        <li
          key={run.id}
          aria-setsize={total}
          aria-posinset={first + i + 1}
          style={{ top: (first + i) * row, height: row }}
        >
          <RunRow run={run} isPicked={run.id === picked} onPick={onPick} />
        </li>
      ))}
    </ul>
  );
}

function useRowHeight(): number {
  const query = useRef(matchMedia('(max-width: 46rem)'));
  const [isNarrow, setNarrow] = useState(query.current.matches);
  useEffect(() => {
    const media = query.current;
    const changed = () => setNarrow(media.matches);
    media.addEventListener('change', changed);
    return () => media.removeEventListener('change', changed);
  }, []);
  const scale = parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;
  return Math.round((isNarrow ? NARROW_ROW : WIDE_ROW) * scale);
}

/** Which rows to draw: from, to (exclusive). */
function useWindow(
  list: React.RefObject<HTMLUListElement | null>,
  row: number,
  length: number,
): [number, number] {
  const [range, setRange] = useState<[number, number]>([0, 30]);

  useLayoutEffect(() => {
    let frame = 0;
    const measure = () => {
      frame = 0;
      const top = list.current?.getBoundingClientRect().top ?? 0;
      const first = Math.max(0, Math.floor(-top / row) - AROUND);
      const last = Math.min(length, Math.ceil((innerHeight - top) / row) + AROUND);
      setRange((before) => (before[0] === first && before[1] === last ? before : [first, last]));
    };
    const soon = () => (frame ||= requestAnimationFrame(measure));
    measure();
    addEventListener('scroll', soon, { passive: true });
    addEventListener('resize', soon);
    return () => {
      cancelAnimationFrame(frame);
      removeEventListener('scroll', soon);
      removeEventListener('resize', soon);
    };
  }, [list, row, length]);

  return range;
}

type RowProps = { run: RunSummary; isPicked: boolean; onPick: (id: string) => void };

const RunRow = memo(function RunRow({ run, isPicked, onPick }: RowProps) {
  const words = useWords();
  const locale = useLocale();
  const isPlaying = run.status === 'running';
  const to = `/${isPlaying ? 'ask' : 'runs'}/${encodeURIComponent(run.id)}`;

  return (
    <div className={`run-row ${run.status}`}>
      <input
        type="checkbox"
        checked={isPicked}
        onChange={() => onPick(run.id)}
        aria-label={words.runs.pick(run.question.slice(0, 80))}
      />
      <Link to={to} className="run-row-text">
        <span className="run-row-question" dir="auto">
          {run.question}
        </span>
        <span className="run-row-answer" dir="auto">
          {plainly(run.answer ?? '')}
        </span>
      </Link>
      <span className="run-row-state">
        <i className="mark" aria-hidden="true" />
        {words.run.states[run.status]}
        {run.verdict !== null && <b> · {verdictOf(run.verdict, words.runs.verdicts)}</b>}
      </span>
      <span className="run-row-pool">
        <bdi>{run.task || run.workflow || run.pool}</bdi>
      </span>
      <span className="run-row-figures">
        {words.common.calls(run.calls)} · {count(run.prompt_tokens + run.completion_tokens)} tok ·{' '}
        {duration(run.seconds)}
      </span>
      <span className="run-row-cost">{usd(run.cost_usd)}</span>
      <time className="run-row-time">{when(run.started_at, locale)}</time>
    </div>
  );
});

/** An answer on one line, without the marks of Markdown. */
function plainly(text: string): string {
  return text.replace(/[#*`>|$]+|^[-+] /gm, '').replace(/\s+/g, ' ');
}

/** A verdict in the reader's language. */
export function verdictOf(verdict: string, words: Record<string, string>): string {
  return words[verdict] ?? verdict;
}
