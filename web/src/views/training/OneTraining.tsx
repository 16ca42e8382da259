// One training: where it stands, what reward did to format and to orchestration, what it wrote.

import { useState } from 'react';

import { ApiError } from '../../api';
import { number, percent } from '../../charts/figures';
import { Head, Nothing, Section, Tiles, type TileProps } from '../../charts/panel';
import { duration, usd } from '../../format';
import { Link } from '../../router';
import { useWords } from '../../settings';
import { Problem } from '../../shell/Boundary';
import { Bar } from './Bar';
import { Exams } from './Exams';
import { Panels } from './Panels';
import { Resolved, Samples } from './Samples';
import { useTraining, type Live } from './live';
import { lastStep, plannedSteps, runUsd, secondsLeft, type Line } from './metrics';

export function OneTraining({ id }: { id: string }) {
  const { more, common } = useWords();
  const live = useTraining(id);
  const isGone = live.error instanceof ApiError && live.error.status === 404;
  return (
    <>
      <p className="small">
        <Link to="/training">← {more.training.title}</Link>
      </p>
      {isGone && <Nothing said={more.seen.notFound} />}
      {live.error !== null && !isGone && <Problem error={live.error} onAgain={live.again} />}
      {live.resolved === null && live.error === null && <p className="quiet">{common.loading}</p>}
      {live.resolved !== null && <Whole id={id} live={live} />}
    </>
  );
}

function Whole({ id, live }: { id: string; live: Live }) {
  const words = useWords().more.training;
  return (
    <article className="training">
      <Head kicker={words.kicker} title={id.split('/').at(-1)}>
        <Facts id={id} live={live} />
      </Head>
      <Summary live={live} />
      {live.lines.length === 0 && <Nothing said={words.quiet} />}
      <Charts lines={live.lines} />
      <Exams lines={live.lines} />
      <Section title={words.samples} lead={live.samples.length > 0 ? words.samplesLead : undefined}>
        <Samples samples={live.samples} />
      </Section>
      <Section title={words.resolved} lead={words.resolvedLead}>
        <Resolved resolved={live.resolved ?? {}} />
      </Section>
    </article>
  );
}

/** The charts and the cursor that they share; nothing else is drawn anew when it moves. */
function Charts({ lines }: { lines: readonly Line[] }) {
  const [at, setAt] = useState<number | null>(null);
  const last = lastStep(lines);
  return (
    <>
      {last > 0 && <Cursor at={at} last={last} onAt={setAt} />}
      <Panels lines={lines} at={at} onAt={setAt} />
    </>
  );
}

function Facts({ id, live }: { id: string; live: Live }) {
  const words = useWords().more.training;
  const preset = (live.resolved?.['preset'] ?? {}) as { name?: unknown; about?: unknown };
  const seed = live.resolved?.['seed'];
  return (
    <p className="quiet training-facts">
      <span className={live.isRunning ? 'training-live' : ''}>
        {live.isRunning ? words.running : words.ended}
      </span>
      <span>
        {words.preset} <b>{String(preset.name ?? '–')}</b>
      </span>
      {seed !== undefined && (
        <span>
          {words.seed} <b>{String(seed)}</b>
        </span>
      )}
      <span>{id}</span>
    </p>
  );
}

function Summary({ live }: { live: Live }) {
  const words = useWords().more.training;
  const steps = live.lines.filter((line) => line.kind === 'step');
  const planned = plannedSteps(live.resolved);
  const first = steps[0];
  const last = steps.at(-1);
  const left = planned === null ? null : secondsLeft(live.lines, planned);
  const seconds = numberOf(last, 'seconds');
  const done = lastStep(live.lines);
  const tiles: TileProps[] = [
    {
      name: words.progress,
      figure: words.steps(done, planned),
      note: (
        <>
          <Bar steps={done} planned={planned} />
          {live.isRunning && left !== null && left > 0
            ? words.left(duration(left))
            : seconds !== null && duration(seconds)}
        </>
      ),
    },
  ];
  const reward = numberOf(last, 'reward');
  if (reward !== null) {
    const note = words.firstTo(number(numberOf(first, 'reward')));
    tiles.push({ name: words.reward, figure: reward.toFixed(3), note });
  }
  const exams = live.lines.filter((line) => line.kind === 'greedy');
  const exam = numberOf(exams.at(-1), 'accuracy');
  if (exam !== null) {
    const note = exams.length > 1 ? words.heldOutNote(percent(numberOf(exams[0], 'accuracy'))) : '';
    tiles.push({ name: words.heldOut, figure: percent(exam), note });
  }
  const spent = runUsd(live.lines, live.resolved);
  if (spent !== null) {
    tiles.push({ name: words.spent, figure: usd(String(spent)), note: words.spentNote });
  }
  return <Tiles tiles={tiles} />;
}

interface CursorProps {
  at: number | null;
  last: number;
  onAt: (step: number | null) => void;
}

/** A slider for the step that all charts show, for those who have no pointer over them. */
function Cursor({ at, last, onAt }: CursorProps) {
  const words = useWords().more.training;
  const said = at === null ? words.latest : words.atStep(at);
  return (
    <div className="training-cursor">
      <label>
        <span>{words.cursor}</span>
        <input
          type="range"
          min={1}
          max={last}
          value={at ?? last}
          aria-valuetext={said}
          onChange={(event) => onAt(Number(event.currentTarget.value))}
        />
      </label>
      <output>{said}</output>
      {at !== null && (
        <button type="button" className="plain" onClick={() => onAt(null)}>
          {words.latest}
        </button>
      )}
      <span className="quiet training-hint">{words.cursorHint}</span>
    </div>
  );
}

function numberOf(line: Line | undefined, key: string): number | null {
  const value = line?.[key];
  return typeof value === 'number' ? value : null;
}
