import { expect, test } from 'vitest';

import { eventParser } from './follow';

const stream =
  ': waiting\n\nid: 1\ndata: {"type":"step_text","at_s":0,"text":"a\\n\\nb"}\n\nid: 2\ndata: {"type":"cut","at_s":1}\n\n';

test('events are read wherever the stream is cut', () => {
  for (let size = 1; size < stream.length; size += 1) {
    const parse = eventParser();
    const events = [];
    for (let at = 0; at < stream.length; at += size) events.push(...parse(stream.slice(at, at + size)));

    expect(events.map((one) => [one.seq, one.event.type])).toEqual([
      [1, 'step_text'],
      [2, 'cut'],
    ]);
  }
});

test('a stream that breaks in the middle of an event gives none of it', () => {
  expect(eventParser()('id: 1\ndata: {"type":"cut"')).toEqual([]);
});
