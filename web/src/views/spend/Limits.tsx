// What each key may spend, and what is left of it.

import type { Spend } from '../../api';
import { percentTick } from '../../charts/figures';
import { Section } from '../../charts/panel';
import { usd } from '../../format';
import { useWords } from '../../settings';
import { usedShare } from './amounts';

export function Limits({ limits }: { limits: Spend['limits'] }) {
  const words = useWords().more.spend;
  return (
    <Section title={words.limits} lead={limits.length > 0 ? words.limitsLead : undefined}>
      {limits.length === 0 ? (
        <p className="quiet">{words.limitsNone}</p>
      ) : (
        <ul className="spend-limits">
          {limits.map((one) => {
            const used = usedShare(one.spent_usd, one.usd);
            return (
              <li key={`${one.key} ${one.per}`} className={used >= 0.9 ? 'near' : ''}>
                <span className="spend-key">
                  {one.key} <span className="quiet">{words.perWords[one.per] ?? one.per}</span>
                </span>
                <span className="spend-left">{words.leftOf(usd(one.left_usd), usd(one.usd))}</span>
                <span className="spend-track" aria-hidden="true">
                  <i style={{ width: `${(100 * used).toFixed(2)}%` }} />
                </span>
                <span className="quiet">
                  {words.used(percentTick(Math.round(1000 * used) / 1000))}
                </span>
              </li>
            );
          })}
        </ul>
      )}
    </Section>
  );
}
