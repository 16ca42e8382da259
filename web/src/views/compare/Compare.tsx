// Compare: one question to several systems at once. What was asked stands in the address, so that a
// reload goes on watching; the question itself does not.

import { useState } from 'react';

import { Head } from '../../charts/panel';
import { navigate, useAddress } from '../../router';
import { useWords } from '../../settings';
import { Form, type Refusal } from './Form';
import { Results } from './Results';
import { readAsked, writtenAsked, type Asked } from './fleet';
import './compare.css';

export default function Compare() {
  const words = useWords().more.compare;
  const { query } = useAddress();
  const text = query.get('asks');
  const asked = readAsked(text);
  const [refused, setRefused] = useState<{ of: string; list: Refusal[] }>({ of: '', list: [] });

  const begun = (asks: readonly Asked[], refusals: Refusal[]) => {
    const written = writtenAsked(asks);
    setRefused({ of: written, list: refusals });
    if (asks.length > 0) navigate(`/compare?${new URLSearchParams({ asks: written })}`);
  };

  return (
    <div className="page compare">
      <Head title={words.title}>{words.lead}</Head>
      {asked.length === 0 ? (
        <Form onAsked={begun} />
      ) : (
        <Results key={text} asked={asked} refused={refused.of === text ? refused.list : []} />
      )}
    </div>
  );
}
