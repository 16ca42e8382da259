// The question box: what is asked, who plays, how much it may cost.

import { useEffect, useRef, useState, type FormEvent, type KeyboardEvent } from 'react';

import { api, type About, type Asking } from '../../api';
import { useLoad } from '../../load';
import { navigate } from '../../router';
import { useWords } from '../../settings';
import { Problem } from '../../shell/Boundary';
import { KINDS, systemsOf } from '../systems';
import { currentDraft, keepDraft, remember } from './asked';
import { Limits } from './Limits';
import { Players } from './Players';
import { Recent } from './Recent';

export function Compose() {
  const about = useLoad((signal) => api.about(signal), 'about');

  return (
    <div className="page ask-page">
      {about.state === 'failed' && <Problem error={about.error} onAgain={about.reload} />}
      <Form about={about.data} />
      {about.data?.sees_runs && <Recent />}
    </div>
  );
}

function Form({ about }: { about: About | null }) {
  const words = useWords().ask;
  const [asking, setAsking] = useState<Asking>(currentDraft);
  const [error, setError] = useState<Error | null>(null);
  const [isSending, setSending] = useState(false);
  const box = useRef<HTMLTextAreaElement>(null);
  const system = asking.system ?? about?.default_system ?? '';
  const isAlone = system.startsWith('worker:');

  useEffect(() => keepDraft(asking), [asking]);
  useEffect(() => {
    // Not on a small screen, where the keyboard would hide the page.
    if (matchMedia('(min-width: 46rem)').matches) box.current?.focus();
  }, []);

  const change = (part: Partial<Asking>) => setAsking((before) => ({ ...before, ...part }));

  const submit = async (event?: FormEvent) => {
    event?.preventDefault();
    if (asking.question.trim() === '' || isSending) return;
    setSending(true);
    setError(null);
    try {
      const sent = about === null ? asking : { ...asking, ...playable(asking, system, about) };
      const id = await api.ask(sent);
      remember(id, asking);
      keepDraft({ ...asking, question: '' });
      navigate(`/ask/${encodeURIComponent(id)}`);
    } catch (problem) {
      setError(problem as Error);
      setSending(false);
    }
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void submit();
  };

  return (
    <form onSubmit={(event) => void submit(event)} aria-label={words.title}>
      <h1 className="ask-title">
        <label htmlFor="question">{words.title}</label>
      </h1>
      <div className="ask-box">
        <textarea
          id="question"
          ref={box}
          dir="auto"
          rows={3}
          value={asking.question}
          placeholder={words.placeholder}
          onChange={(event) => change({ question: event.target.value })}
          onKeyDown={onKeyDown}
          required
        />
        <div className="ask-bar">
          <Choice name={words.system} value={system} onChange={(v) => change({ system: v })}>
            {KINDS.filter((kind) => systemsOf(about, kind).length > 0).map((kind) => (
              <optgroup key={kind} label={words.groups[kind]}>
                {systemsOf(about, kind).map((one) => (
                  <option key={one.id} value={one.id}>
                    {one.name}
                  </option>
                ))}
              </optgroup>
            ))}
          </Choice>
          <Choice
            name={words.effort}
            value={asking.effort ?? about?.default_effort ?? ''}
            onChange={(v) => change({ effort: v || undefined })}
          >
            {(about?.efforts ?? []).map((effort) => (
              <option key={effort} value={effort}>
                {words.efforts[effort as keyof typeof words.efforts] ?? effort}
              </option>
            ))}
          </Choice>
          <span className="ask-hint quiet">
            <kbd>Ctrl</kbd> <kbd>⏎</kbd>
          </span>
          <button type="submit" className="primary ask-submit" disabled={isSending}>
            {isSending ? words.sending : words.submit}
          </button>
        </div>
      </div>
      {error && <Problem error={error} onClose={() => setError(null)} />}
      <Limits asking={asking} about={about} change={change} isAlone={isAlone} />
      {about && <Players about={about} asking={asking} change={change} system={system} />}
    </form>
  );
}

/** What holds for this system: one worker alone leaves nobody out and has no rounds. */
function playable(asking: Asking, system: string, about: About): Partial<Asking> {
  const isAlone = system.startsWith('worker:');
  const exclude = isAlone ? undefined : asking.exclude;
  const rounds = isAlone || about.most_rounds === 1 ? undefined : asking.rounds;
  return { system, exclude, rounds };
}

type ChoiceProps = {
  name: string;
  value: string;
  onChange: (value: string) => void;
  children: React.ReactNode;
};

function Choice({ name, value, onChange, children }: ChoiceProps) {
  return (
    <label className="ask-choice">
      <span>{name}</span>
      <select value={value} onChange={(event) => onChange(event.target.value)}>
        {children}
      </select>
    </label>
  );
}
