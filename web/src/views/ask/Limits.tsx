// What a question may cost at most. Empty: the server's own limits, which hold in any case.

import { type About, type Asking } from '../../api';
import { duration, usd } from '../../format';
import { useWords } from '../../settings';

interface Props {
  asking: Asking;
  about: About | null;
  change: (part: Partial<Asking>) => void;
  isAlone: boolean;
}

export function Limits({ asking, about, change, isAlone }: Props) {
  const words = useWords().ask;
  const limits = about?.limits;
  const whole = (text: string) => (text === '' ? undefined : Math.max(1, Math.round(Number(text))));

  return (
    <details className="ask-limits">
      <summary>{words.limits}</summary>
      <div className="ask-limits-fields">
        <label>
          {words.maxUsd}
          <input
            inputMode="decimal"
            pattern="\d*[.]?\d*"
            value={asking.max_usd ?? ''}
            placeholder={limits?.usd != null ? usd(limits.usd) : words.noLimit}
            onChange={(event) => change({ max_usd: event.target.value.trim() || undefined })}
          />
        </label>
        <label>
          {words.maxCalls}
          <input
            type="number"
            min={1}
            value={asking.max_calls ?? ''}
            placeholder={limits?.calls != null ? String(limits.calls) : words.noLimit}
            onChange={(event) => change({ max_calls: whole(event.target.value) })}
          />
        </label>
        <label>
          {words.timeout}
          <input
            type="number"
            min={1}
            value={asking.timeout_s ?? ''}
            placeholder={limits?.timeout_s != null ? duration(limits.timeout_s) : words.noLimit}
            onChange={(event) => change({ timeout_s: whole(event.target.value) })}
          />
        </label>
        {!isAlone && (about?.most_rounds ?? 1) > 1 && (
          <label>
            {words.rounds}
            <input
              type="number"
              min={1}
              max={about?.most_rounds}
              value={asking.rounds ?? ''}
              placeholder="1"
              onChange={(event) => change({ rounds: whole(event.target.value) })}
            />
          </label>
        )}
      </div>
    </details>
  );
}
