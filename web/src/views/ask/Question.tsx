// The question of a run, as its title.

import { useState } from 'react';

import { useWords } from '../../settings';
import { LongText } from '../../text/LongText';

/** What is shown of a long question until the reader asks for all of it. */
const SHORT_CHARS = 420;

export function Question({ text, isPending }: { text: string; isPending: boolean }) {
  const words = useWords();
  const [isWhole, setWhole] = useState(false);
  const isLong = text.length > SHORT_CHARS;

  return (
    <header className="question">
      <h1 className={text.length > 120 ? 'long-question' : undefined} dir="auto">
        {isPending ? (
          <span className="quiet">{words.common.loading}</span>
        ) : isLong && !isWhole ? (
          <span className="told">{text.slice(0, SHORT_CHARS)}…</span>
        ) : isLong ? (
          <LongText text={text} />
        ) : (
          <span className="told">{text || words.ask.unknownQuestion}</span>
        )}
      </h1>
      {isLong && (
        <button type="button" className="plain" onClick={() => setWhole(!isWhole)}>
          {isWhole ? words.common.less : words.common.more}
        </button>
      )}
    </header>
  );
}
