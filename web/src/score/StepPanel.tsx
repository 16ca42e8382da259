// One step in full: what it said, everything that its worker saw, and what it came to.

import { useLayoutEffect, useRef, type ReactNode } from 'react';

import { count, duration, usd } from '../format';
import { useWords } from '../settings';
import { Copy } from '../text/Copy';
import { LongText } from '../text/LongText';
import { usePlayingRun } from './context';
import { standIn, type StepRun } from './run';
import { usePart, useStep } from './store';

interface Props {
  round: number;
  step: number;
  onClose: () => void;
}

export function StepPanel({ round, step: index, onClose }: Props) {
  const words = useWords();
  const { store } = usePlayingRun();
  const dialog = useRef<HTMLDialogElement>(null);
  const step = useStep(store, round, index);
  const worker = usePart(store, (run) => run.workers[step?.worker ?? -1] ?? '');

  // Before it is taken out of the page: only then does closing give the focus back.
  useLayoutEffect(() => {
    const shown = dialog.current!;
    shown.showModal();
    return () => shown.close();
  }, []);

  return (
    <dialog
      ref={dialog}
      className="panel"
      aria-labelledby="panel-title"
      onCancel={(event) => (event.preventDefault(), onClose())}
      onClick={(event) => event.target === dialog.current && onClose()}
    >
      <div className="panel-inside">
        <header className="panel-head">
          <h2 id="panel-title">
            <i>{index + 1}</i> <bdi>{worker}</bdi>
          </h2>
          <button type="button" onClick={onClose}>
            {words.error.close}
          </button>
        </header>
        {step === undefined ? (
          <p>{words.score.notPlanned}</p>
        ) : (
          <Inside step={step} />
        )}
      </div>
    </dialog>
  );
}

function Inside({ step }: { step: StepRun }) {
  const words = useWords().score;
  const common = useWords().common;

  return (
    <>
      <p className="panel-task told" dir="auto">
        {step.subtask}
      </p>
      <Facts step={step} />
      <Part name={words.said} tools={step.text !== '' && <Copy text={step.text} />}>
        {step.error !== null && <p className="fault told">{step.error}</p>}
        {step.text !== '' ? (
          <LongText text={step.text} />
        ) : (
          <p className="quiet">{common.none}</p>
        )}
      </Part>
      {step.retries.length > 0 && (
        <Part name={words.tries}>
          <ol className="tries">
            {step.retries.map((retry, i) => (
              <li key={i}>
                <strong>
                  <bdi>{retry.worker}</bdi>
                </strong>{' '}
                <bdi className="told">{retry.error}</bdi>{' '}
                <span className="quiet">{words.waited(duration(retry.wait_s))}</span>
              </li>
            ))}
          </ol>
        </Part>
      )}
      <Part
        name={words.saw}
        tools={
          step.messages.length > 0 && (
            <Copy text={() => JSON.stringify(step.messages, null, 2)} label={words.copyMessages} />
          )
        }
      >
        {step.messages.length === 0 && <p className="quiet">{words.notYet}</p>}
        {step.messages.map((message, i) => (
          <div key={i} className={`message ${message.role}`}>
            <p className="caps">{words.roles[message.role]}</p>
            <LongText text={message.text} />
          </div>
        ))}
      </Part>
    </>
  );
}

function Facts({ step }: { step: StepRun }) {
  const words = useWords().score;
  const { store } = usePlayingRun();
  const other = usePart(store, (run) => standIn(run, step));
  const { prompt, completion, usd: money, unknown, calls } = step.spent;
  const isOver = step.finishedAt !== null;
  const reads =
    step.access.length === 0 ? words.readsNothing : step.access.map((i) => i + 1).join(', ');
  const facts: [string, ReactNode][] = [
    [words.facts.state, words.states[step.state]],
    [words.facts.reads, reads],
  ];
  if (step.model) facts.push([words.facts.model, <bdi key="m">{step.model}</bdi>]);
  if (other !== null) facts.push([words.facts.by, <bdi key="b">{other}</bdi>]);
  if (isOver && step.startedAt !== null) {
    facts.push([words.facts.took, duration(step.finishedAt! - step.startedAt)]);
  }
  if (isOver) {
    facts.push([words.facts.calls, count(calls)]);
    facts.push([words.facts.tokens, `${count(prompt)} → ${count(completion)}`]);
    facts.push([words.facts.cost, usd(unknown > 0 ? null : String(money))]);
  }
  if (step.isCached) facts.push([words.facts.kept, words.cached]);

  return (
    <>
      <dl className="facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {step.finishReason === 'length' && <p className="note">{words.cutOff}</p>}
      {step.notes.map((note) => (
        <p key={note} className="note told">
          {note}
        </p>
      ))}
    </>
  );
}

type PartProps = { name: string; tools?: ReactNode; children: ReactNode };

function Part({ name, tools, children }: PartProps) {
  return (
    <section className="panel-part" aria-label={name}>
      <div className="panel-part-head">
        <h3>{name}</h3>
        {tools}
      </div>
      {children}
    </section>
  );
}
