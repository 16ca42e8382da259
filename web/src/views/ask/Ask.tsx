// Ask: the question box at /, and a question that is being answered at /ask/ID.

import { useAddress } from '../../router';
import { Compose } from './Compose';
import { Live } from './Live';

import './ask.css';

export default function Ask() {
  const { parts } = useAddress();
  const id = parts[0] === 'ask' ? parts[1] : undefined;
  return id === undefined ? <Compose /> : <Live key={id} id={id} />;
}
