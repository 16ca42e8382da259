// Examinations on held-out problems: who is asked, right answers by difficulty, all figures.

import { Shares } from '../../charts/bars';
import { number, percent, percentTick, range } from '../../charts/figures';
import { PlainTable } from '../../charts/frame';
import { Section } from '../../charts/panel';
import type { Cell, SharesRow } from '../../charts/shapes';
import { useWords } from '../../settings';
import type { Line } from './metrics';

export function Exams({ lines }: { lines: readonly Line[] }) {
  const words = useWords().more.training;
  const exams = lines.filter((line) => line.kind !== 'step');
  if (exams.length === 0) return null;
  const name = (line: Line) =>
    `${words.atStep(line.step)}, ${words.examKinds[line.kind] ?? line.kind}`;
  const shares = exams.flatMap((line): SharesRow[] => {
    const workers = sharesOf(line['workers']);
    return workers === null ? [] : [{ name: name(line), shares: workers }];
  });
  return (
    <>
      {shares.length > 0 && (
        <Section title={words.workers} lead={words.workersLead}>
          <Shares label={words.workers} rows={shares} show={percentTick} />
        </Section>
      )}
      <Section title={words.exams} lead={words.examsLead}>
        <PlainTable
          name={words.exams}
          behind={{ head: words.examHead, rows: exams.map((line) => row(line, words.examKinds)) }}
        />
        <Difficulty exams={exams.filter((line) => line.kind === 'greedy')} />
      </Section>
    </>
  );
}

function row(line: Line, kinds: Record<string, string>): Cell[] {
  const given = (key: string) => (typeof line[key] === 'number' ? (line[key] as number) : null);
  const [low, high] = [given('low'), given('high')];
  return [
    line.step,
    kinds[line.kind] ?? line.kind,
    given('problems'),
    percent(given('accuracy')),
    low === null || high === null ? null : range([low, high]),
    percent(given('valid')),
    percent(given('accuracy_given_valid')),
    number(given('regret')),
    number(given('steps') ?? given('steps_per_workflow')),
    given('plans'),
    number(given('worker_bits')),
  ];
}

function Difficulty({ exams }: { exams: readonly Line[] }) {
  const words = useWords().more.training;
  const found = exams.map((line) => sharesOf(line['by_difficulty']));
  const levels = [...new Set(found.flatMap((one) => Object.keys(one ?? {})))].sort(
    (a, b) => Number(a) - Number(b),
  );
  if (levels.length < 2) return null;
  return (
    <div>
      <h3 className="training-sub">{words.difficulty}</h3>
      <p className="quiet">{words.difficultyLead}</p>
      <PlainTable
        name={words.difficulty}
        behind={{
          head: [words.difficultyWord, ...exams.map((line) => words.atStep(line.step))],
          rows: levels.map((level) => [
            level,
            ...found.map((one) => (one?.[level] === undefined ? null : percent(one[level]))),
          ]),
        }}
      />
    </div>
  );
}

function sharesOf(value: unknown): Record<string, number> | null {
  if (typeof value !== 'object' || value === null) return null;
  const pairs = Object.entries(value).filter((pair) => typeof pair[1] === 'number');
  return pairs.length > 0 ? (Object.fromEntries(pairs) as Record<string, number>) : null;
}
