// Spend: what the kept runs took, by day, worker, model, key or task; limits; savings.

import { useState } from 'react';

import { api, type Spend as Spent, type SpendBy, type SpendRow } from '../../api';
import { Bars } from '../../charts/bars';
import { PlainTable } from '../../charts/frame';
import { Choice, Head, Nothing, Section, Tiles } from '../../charts/panel';
import { count } from '../../format';
import { useLoad } from '../../load';
import { navigate, useAddress } from '../../router';
import { useWords } from '../../settings';
import { Problem } from '../../shell/Boundary';
import { Days } from './Days';
import { Limits } from './Limits';
import { SavingsPart } from './SavingsPart';
import { amountOf, inOrder, moneyText, usualMeasure, type Measure } from './amounts';
import './spend.css';

const BYS: readonly SpendBy[] = ['day', 'worker', 'model', 'key', 'task'];
const PERIODS = ['7', '30', '90', '365'] as const;

export default function Spend() {
  const { more, common } = useWords();
  const words = more.spend;
  const { query } = useAddress();
  const by = BYS.find((one) => one === query.get('by')) ?? 'day';
  const days = PERIODS.find((one) => one === query.get('days')) ?? '30';
  const loaded = useLoad((signal) => api.spend(by, Number(days), signal), `${by} ${days}`);
  const go = (nextBy: string, nextDays: string) =>
    navigate(`/spend?${new URLSearchParams({ by: nextBy, days: nextDays })}`, 'replace');
  return (
    <div className="page spend">
      <Head title={words.title}>{words.lead}</Head>
      <div className="spend-choices">
        <Choice
          label={words.period}
          value={days}
          onChange={(next) => go(by, next)}
          options={PERIODS.map((one) => [one, words.days(Number(one))] as const)}
        />
        <Choice
          label={words.by}
          value={by}
          onChange={(next) => go(next, days)}
          options={BYS.map((one) => [one, words.bys[one]] as const)}
        />
      </div>
      {loaded.state === 'failed' && <Problem error={loaded.error} onAgain={loaded.reload} />}
      {loaded.data === null && loaded.state === 'loading' && (
        <p className="quiet">{common.loading}</p>
      )}
      {loaded.data !== null && <Sums spend={loaded.data} days={Number(days)} />}
      {loaded.data !== null && <Limits limits={loaded.data.limits} />}
      <SavingsPart days={Number(days)} />
    </div>
  );
}

function Sums({ spend, days }: { spend: Spent; days: number }) {
  const words = useWords().more.spend;
  const [chosen, setMeasure] = useState<Measure | null>(null);
  const measure = chosen ?? usualMeasure(spend.total);
  if (spend.rows.length === 0) return <Nothing said={words.none} />;
  const { total } = spend;
  return (
    <>
      <Tiles
        tiles={[
          {
            name: words.money,
            figure: moneyText(total),
            note: total.unknown_calls > 0 ? words.unknown(total.unknown_calls) : '',
          },
          { name: words.calls, figure: count(total.calls) },
          { name: words.read, figure: count(total.prompt_tokens) },
          { name: words.written, figure: count(total.completion_tokens) },
        ]}
      />
      {total.unknown_calls > 0 && <p className="quiet spend-note">{words.unknownNote}</p>}
      <Section
        title={words.byTitle(words.bys[spend.by])}
        aside={
          <Choice
            label={words.show}
            value={measure}
            onChange={setMeasure}
            options={[
              ['money', words.money],
              ['calls', words.calls],
              ['tokens', words.tokens],
            ]}
          />
        }
      >
        {spend.by === 'day' ? (
          <Days rows={spend.rows} most={days} measure={measure} />
        ) : (
          <RowBars spend={spend} measure={measure} />
        )}
        <Table spend={spend} measure={measure} />
      </Section>
    </>
  );
}

/** An amount as it is written, by what is measured. */
function amountText(row: SpendRow, measure: Measure): string {
  return measure === 'money' ? moneyText(row) : count(amountOf(row, measure));
}

function useNames(): (row: SpendRow) => string {
  const words = useWords().more.spend;
  return (row) => {
    if (row.what === '(conductor)') return words.conductor;
    return row.what || words.noName;
  };
}

function RowBars({ spend, measure }: { spend: Spent; measure: Measure }) {
  const words = useWords().more.spend;
  const nameOf = useNames();
  const rows = inOrder(spend.rows, spend.by, measure);
  const most = Math.max(...rows.map((row) => amountOf(row, measure) ?? 0)) || 1;
  return (
    <Bars
      label={words.byTitle(words.bys[spend.by])}
      most={most}
      rows={rows.map((row) => ({
        name: nameOf(row),
        value: amountOf(row, measure) ?? 0,
        text: amountText(row, measure),
      }))}
    />
  );
}

function Table({ spend, measure }: { spend: Spent; measure: Measure }) {
  const words = useWords().more.spend;
  const nameOf = useNames();
  const cells = (row: SpendRow) => [
    moneyText(row),
    row.unknown_calls > 0 ? count(row.unknown_calls) : '',
    count(row.calls),
    count(row.prompt_tokens),
    count(row.completion_tokens),
  ];
  const hasUnknown = spend.total.unknown_calls > 0;
  const kept = (row: string[]): string[] => (hasUnknown ? row : row.filter((_, i) => i !== 1));
  const rows = inOrder(spend.rows, spend.by, measure);
  if (spend.by === 'day') rows.reverse();
  return (
    <PlainTable
      name={words.byTitle(words.bys[spend.by])}
      behind={{
        head: [
          words.bys[spend.by],
          ...kept([words.money, words.unknownHead, words.calls, words.read, words.written]),
        ],
        rows: [
          ...rows.map((row) => [nameOf(row), ...kept(cells(row))]),
          [words.total, ...kept(cells(spend.total))],
        ],
      }}
    />
  );
}
