// One step in a score: its subtask, the end of what it says, who it was, how long and for what.

import { Handle, Position, type Node, type NodeProps } from '@xyflow/react';
import { memo } from 'react';

import { count, duration, usd } from '../format';
import { useWords } from '../settings';
import { useSeconds, type Clock } from './clock';
import { usePlayingRun } from './context';
import { standIn, type StepRun } from './run';
import { usePart, useStep } from './store';

export type StepFlowNode = Node<{ round: number; step: number; isLast: boolean }, 'step'>;

/** Characters of a finished answer that are shown in the score: what fits. */
const HEAD_CHARS = 500;

export const StepNode = memo(function StepNode({ data }: NodeProps<StepFlowNode>) {
  const words = useWords().score;
  const { store, clock, isRunning, onOpen } = usePlayingRun();
  const step = useStep(store, data.round, data.step);
  const worker = usePart(store, (run) => run.workers[step?.worker ?? -1] ?? '');
  const other = usePart(store, (run) => (step ? standIn(run, step) : null));
  if (step === undefined) return null;
  const isOver = step.state === 'done' || step.state === 'failed';

  return (
    <>
      <Handle type="target" position={Position.Left} isConnectable={false} />
      <button
        type="button"
        className={`step ${step.state}${data.isLast ? ' last' : ''}`}
        aria-label={words.stepLabel(step.index + 1, worker, words.states[step.state], step.subtask)}
        onClick={() => onOpen(data.round, data.step)}
      >
        <span className="step-head">
          <span className="step-number">{step.index + 1}</span>
          <span className="step-task">
            <bdi>{step.subtask}</bdi>
          </span>
        </span>
        <span className={isOver ? 'step-text' : 'step-text live'} dir="auto">
          <span>{isOver ? (step.error ?? step.text.slice(0, HEAD_CHARS)) : step.tail}</span>
        </span>
        <span className="step-foot">
          <State step={step} clock={clock} isRunning={isRunning} />
          {other !== null && <span className="step-mark">{words.insteadBy(other)}</span>}
          {step.retries.length > 0 && (
            <span className="step-mark">{words.retries(step.retries.length)}</span>
          )}
          <Cost step={step} />
        </span>
      </button>
      <Handle type="source" position={Position.Right} isConnectable={false} />
    </>
  );
});

type StateProps = { step: StepRun; clock: Clock; isRunning: boolean };

function State({ step, clock, isRunning }: StateProps) {
  const words = useWords().score;
  const now = useSeconds(clock, isRunning && step.state === 'running');
  const begun = step.startedAt;
  const isWaiting = step.retries.some((retry) => retry.until_s > now);
  const passed = begun === null ? null : (step.finishedAt ?? Math.max(begun, now)) - begun;
  const word =
    step.state === 'running' && isWaiting ? words.states.retrying : words.states[step.state];

  return (
    <span className="step-state">
      <i className="mark" aria-hidden="true" />
      {word}
      {passed !== null && <span className="step-clock">{duration(passed)}</span>}
    </span>
  );
}

/** Tokens and money; while it runs, tokens are about a quarter of its characters. */
function Cost({ step }: { step: StepRun }) {
  const words = useWords().score;
  if (step.state === 'waiting') return null;
  if (step.state === 'running') {
    if (step.text.length === 0) return null;
    return <span className="step-cost">{words.about(count(step.text.length / 4))}</span>;
  }
  if (step.isCached) return <span className="step-cost">{words.cached}</span>;
  const { prompt, completion, usd: money, unknown, calls } = step.spent;
  return (
    <span className="step-cost">
      {prompt + completion > 0 && `${count(prompt + completion)} tok · `}
      {unknown > 0 ? usd(null) : calls === 0 ? '' : usd(String(money))}
    </span>
  );
}
