// The answer, set apart from the score that led to it.

import { useDeferredValue, useId, type ReactNode } from 'react';

import { answerOf, type Run } from '../../score/run';
import { usePart, type RunStore } from '../../score/store';
import { useWords } from '../../settings';
import { Copy } from '../../text/Copy';
import { LongText } from '../../text/LongText';
import { Prose } from '../../text/Prose';

/** What is shown of an answer while it is written. */
const LIVE_CHARS = 6_000;

interface Props {
  store: RunStore;
  isRunning: boolean;
  tools?: ReactNode;
}

export function Answer({ store, isRunning, tools }: Props) {
  const words = useWords();
  const title = useId();
  const whole = usePart(store, (run) => (run.status === 'running' ? null : answerOf(run)));
  const coming = useDeferredValue(usePart(store, (run) => (isRunning ? comingAnswer(run) : '')));
  const status = usePart(store, (run) => run.status);
  const detail = usePart(store, (run) => run.detail);
  const isEmpty = whole === null && coming === '';
  if (isEmpty && isRunning) return null;

  return (
    <div className="answer" role="group" aria-labelledby={title}>
      <div className="answer-head">
        <h2 id={title}>{words.ask.answer}</h2>
        {whole !== null && <Copy text={whole} />}
        {tools}
      </div>
      {status !== 'answered' && status !== 'running' && (
        <p className="told">
          <strong className="fault">{words.run.states[status]}</strong> <bdi>{detail}</bdi>
          {whole !== null && <span className="quiet"> {words.ask.bestSoFar}</span>}
        </p>
      )}
      {whole !== null ? (
        <Prose text={whole} />
      ) : coming !== '' ? (
        <div className="prose" aria-busy="true">
          <LongText text={coming} />
        </div>
      ) : (
        <p className="quiet">{words.ask.noAnswer}</p>
      )}
    </div>
  );
}

/** The end of what the last step says, once it says something. */
function comingAnswer(run: Run): string {
  const round = run.rounds.findLast((one) => one.parent === null && one.steps.length > 0);
  const last = round?.steps.at(-1);
  if (last === undefined || last.state === 'waiting') return '';
  return last.text.length > LIVE_CHARS ? `… ${last.text.slice(-LIVE_CHARS)}` : last.text;
}
