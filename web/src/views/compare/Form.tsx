// What is compared: the question and the systems that are asked.

import { useEffect, useState, type FormEvent, type KeyboardEvent } from 'react';

import { api, type About } from '../../api';
import { useLoad } from '../../load';
import { useWords } from '../../settings';
import { Problem } from '../../shell/Boundary';
import { KINDS, systemsOf } from '../systems';
import type { Asked } from './fleet';

export interface Refusal {
  readonly system: string;
  readonly error: Error;
}

interface FormProps {
  onAsked: (asked: readonly Asked[], refused: Refusal[]) => void;
}

// Kept in memory alone, so that another view and back leaves both as they were.
let draft: { question: string; chosen: string[] | null } = { question: '', chosen: null };

/** At first: the Conductor, the first workflow and the workers, four in all. */
function usualSystems(about: About): string[] {
  const [conductors = [], workflows = [], workers = []] = KINDS.map((kind) => systemsOf(about, kind));
  const first = [...conductors, ...workflows.slice(0, 1), ...workers];
  return first.slice(0, 4).map((one) => one.id);
}

export function Form({ onAsked }: FormProps) {
  const { common } = useWords();
  const about = useLoad((signal) => api.about(signal), 'about');
  if (about.data === null) {
    return about.state === 'failed' ? (
      <Problem error={about.error} onAgain={about.reload} />
    ) : (
      <p className="quiet">{common.loading}</p>
    );
  }
  return <Ready about={about.data} onAsked={onAsked} />;
}

function Ready({ about, onAsked }: FormProps & { about: About }) {
  const words = useWords().more.compare;
  const [question, setQuestion] = useState(draft.question);
  const [chosen, setChosen] = useState(draft.chosen ?? usualSystems(about));
  const [refused, setRefused] = useState<Refusal[]>([]);
  const [isSending, setSending] = useState(false);
  useEffect(() => {
    draft = { question, chosen };
  }, [question, chosen]);

  const submit = async (event?: FormEvent) => {
    event?.preventDefault();
    if (question.trim() === '' || chosen.length < 2 || isSending) return;
    setSending(true);
    const { asked, refusals } = await askAll(question, chosen);
    setSending(false);
    setRefused(refusals);
    onAsked(asked, refusals);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void submit();
  };
  const toggle = (id: string) =>
    setChosen((before) =>
      before.includes(id)
        ? before.filter((one) => one !== id)
        : about.systems.map((one) => one.id).filter((one) => one === id || before.includes(one)),
    );

  return (
    <form className="compare-form" onSubmit={(event) => void submit(event)}>
      <label className="compare-question">
        {words.question}
        <textarea
          dir="auto"
          rows={3}
          value={question}
          onChange={(event) => setQuestion(event.target.value)}
          onKeyDown={onKeyDown}
          required
        />
      </label>
      <div className="row">
        <button
          type="submit"
          className="primary"
          disabled={isSending || chosen.length < 2 || question.trim() === ''}
        >
          {words.ask}
        </button>
        <span className="quiet" role="status">
          {chosen.length < 2 ? words.none : words.chosen(chosen.length)}
        </span>
      </div>
      <Systems about={about} chosen={chosen} onToggle={toggle} />
      <Refusals list={refused} />
    </form>
  );
}

/** The systems that would not answer, and why. */
export function Refusals({ list }: { list: readonly Refusal[] }) {
  return list.map(({ system, error }) => (
    <p key={system} className="problem" role="alert">
      <strong>{system}</strong>: {error.message}
    </p>
  ));
}

interface SystemsProps {
  about: About;
  chosen: readonly string[];
  onToggle: (id: string) => void;
}

function Systems({ about, chosen, onToggle }: SystemsProps) {
  const words = useWords().more.compare;
  const names = { conductor: words.conductor, workflow: words.workflows, worker: words.workers };
  const groups = KINDS.map((kind) => [kind, systemsOf(about, kind)] as const);
  return (
    <div className="compare-groups">
      {groups.map(
        ([kind, systems]) =>
          systems.length > 0 && (
            <fieldset key={kind}>
              <legend className="caps">{names[kind]}</legend>
              {systems.map((one) => (
                <label key={one.id} className="compare-system">
                  <input
                    type="checkbox"
                    checked={chosen.includes(one.id)}
                    onChange={() => onToggle(one.id)}
                  />
                  <span>
                    <b>{one.name}</b>
                    <small dir="auto">{one.about}</small>
                  </span>
                </label>
              ))}
            </fieldset>
          ),
      )}
    </div>
  );
}

/** Ask every system; those that refuse do not keep the others from answering. */
async function askAll(
  question: string,
  systems: readonly string[],
): Promise<{ asked: Asked[]; refusals: Refusal[] }> {
  const found = await Promise.allSettled(systems.map((system) => api.ask({ question, system })));
  const asked: Asked[] = [];
  const refusals: Refusal[] = [];
  found.forEach((one, i) => {
    const system = systems[i] as string;
    if (one.status === 'fulfilled') asked.push({ id: one.value, system });
    else refusals.push({ system, error: one.reason as Error });
  });
  return { asked, refusals };
}
