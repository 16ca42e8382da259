// What the runs would have cost as one call each, where that can be computed.

import { api, ApiError, type Savings } from '../../api';
import { PlainTable } from '../../charts/frame';
import { Section, Tiles } from '../../charts/panel';
import { usd } from '../../format';
import { useLoad } from '../../load';
import { useWords } from '../../settings';
import { Problem } from '../../shell/Boundary';

export function SavingsPart({ days }: { days: number }) {
  const words = useWords().more.spend;
  const loaded = useLoad((signal) => api.savings(days, signal), String(days));
  const isMissing = loaded.error instanceof ApiError && loaded.error.status === 404;
  if (isMissing || (loaded.data === null && loaded.error === null)) return null;
  return (
    <Section
      title={words.savings}
      lead={loaded.data?.available ? words.savingsLead(days) : undefined}
    >
      {loaded.error !== null && <Problem error={loaded.error} onAgain={loaded.reload} />}
      {loaded.data !== null && <Found savings={loaded.data} />}
    </Section>
  );
}

const FIGURES = ['spent_usd', 'one_call_usd', 'difference_usd'] as const;

function Found({ savings }: { savings: Savings }) {
  const words = useWords().more.spend;
  if (!savings.available) {
    return (
      <p className="quiet">
        {words.savingsNone} {savings.why && <span lang="en">({savings.why})</span>}
      </p>
    );
  }
  const difference = Number(savings.difference_usd);
  const said = difference < 0 ? words.dearer : difference > 0 ? words.cheaper : words.same;
  return (
    <>
      <Tiles
        tiles={FIGURES.map((key) => ({
          name: words.savingsFigures[key],
          figure: usd(savings[key]),
          note:
            key === 'difference_usd'
              ? said
              : key === 'spent_usd' && words.countedRuns(savings.runs ?? 0, savings.left_out ?? 0),
          kind: key === 'difference_usd' && difference > 0 ? 'good' : '',
        }))}
      />
      <PlainTable
        name={words.savings}
        behind={{
          head: [words.figure, words.value, words.formula],
          rows: FIGURES.map((key) => [
            words.savingsFigures[key],
            usd(savings[key]),
            savings.formulas?.[key] ?? null,
          ]),
        }}
      />
    </>
  );
}
