// Runs: the list at /runs, one run at /runs/ID, two side by side at /runs/ID?with=ID.

import { navigate, useAddress } from '../../router';
import { Beside } from './Beside';
import { OneRun } from './OneRun';
import { RunList } from './RunList';

import '../ask/ask.css';
import './runs.css';

export default function Runs() {
  const { parts, query } = useAddress();
  const id = parts[1];
  const other = query.get('with');
  if (id === undefined) return <RunList />;
  if (other !== null) return <Beside left={id} right={other} />;
  return (
    <OneRun
      key={id}
      id={id}
      opened={query.get('step')}
      onOpened={(step) =>
        navigate(
          `/runs/${encodeURIComponent(id)}${step === null ? '' : `?step=${step}`}`,
          'replace',
        )
      }
    />
  );
}
