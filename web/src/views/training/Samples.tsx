// What the policy wrote, with its reward, and what the run was made of. All of it is told as text.

import { useState } from 'react';

import type { Sample } from '../../api';
import { number } from '../../charts/figures';
import { Link } from '../../router';
import { useWords } from '../../settings';

/** Letters of a text that are shown at most; a rollout is a workflow, not a book. */
const MOST = 4000;
const FIRST = 8;

export function Samples({ samples }: { samples: readonly Sample[] }) {
  const { more, common } = useWords();
  const words = more.training;
  const [isAll, setAll] = useState(false);
  if (samples.length === 0) return <p className="quiet">{words.samplesNone}</p>;
  const shown = isAll ? samples : samples.slice(0, FIRST);
  return (
    <>
      <ul className="training-samples">
        {shown.map((one, i) => (
          <li key={i}>
            <p className="training-verdict">
              {one.step !== null && `${words.atStep(one.step)} · `}
              {words.sampleReward} <b>{number(one.reward)}</b>
              {typeof one.valid === 'boolean' && (
                <span className={one.valid ? '' : 'fault'}>
                  {' '}
                  · {one.valid ? words.sampleValid : words.sampleInvalid}
                </span>
              )}
            </p>
            <p className="told" dir="auto" tabIndex={0}>
              {one.question.slice(0, MOST)}
            </p>
            <pre className="told" dir="auto" tabIndex={0}>
              {one.text?.slice(0, MOST) ?? '–'}
            </pre>
            {one.answer && (
              <p className="told training-answered" dir="auto" tabIndex={0}>
                {one.answer.slice(0, MOST)}
              </p>
            )}
            {one.run && (
              <p className="small">
                <Link to={`/runs/${encodeURIComponent(one.run)}`}>{words.sampleRun}</Link>
              </p>
            )}
          </li>
        ))}
      </ul>
      {samples.length > FIRST && (
        <button type="button" onClick={() => setAll(!isAll)}>
          {isAll ? common.less : common.more}
        </button>
      )}
    </>
  );
}

/** A value of the configuration with what is in it. */
export function Resolved({ resolved }: { resolved: Record<string, unknown> }) {
  return (
    <div className="training-resolved">
      {Object.entries(resolved).map(([name, value]) => (
        <Node key={name} name={name} value={value} depth={0} />
      ))}
    </div>
  );
}

function Node({ name, value, depth }: { name: string; value: unknown; depth: number }) {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const text = Array.isArray(value) ? value.map(String).join(', ') : String(value);
    return (
      <p className="training-setting">
        <code>{name}</code>
        <span className="told">{text === '' ? '–' : text}</span>
      </p>
    );
  }
  return (
    <details open={depth === 0 && name === 'preset'}>
      <summary>
        <code>{name}</code>
      </summary>
      <div className="training-nested">
        {Object.entries(value).map(([key, inner]) => (
          <Node key={key} name={key} value={inner} depth={depth + 1} />
        ))}
      </div>
    </details>
  );
}
