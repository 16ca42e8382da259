// A text of any length as it is: in pieces, of which the browser lays out only those in sight. A
// megabyte without a space is as quick as a page of prose.

import { memo, useMemo } from 'react';

const PIECE_CHARS = 4_000;

/** Cut a text at line ends where it has some; the cuts depend only on what stands before them. */
export function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  let from = 0;
  while (text.length - from > PIECE_CHARS) {
    const newline = text.lastIndexOf('\n', from + PIECE_CHARS - 1);
    let to = newline > from ? newline + 1 : from + PIECE_CHARS;
    if (newline <= from && isHighSurrogate(text.charCodeAt(to - 1))) to -= 1;
    pieces.push(text.slice(from, to));
    from = to;
  }
  pieces.push(text.slice(from));
  return pieces;
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code < 0xdc00;
}

const Piece = memo(function Piece({ text }: { text: string }) {
  return (
    <div className="told long-piece" dir="auto">
      {text}
    </div>
  );
});

export const LongText = memo(function LongText({ text }: { text: string }) {
  const pieces = useMemo(() => piecesOf(text), [text]);
  return (
    <div className="long">
      {pieces.map((piece, i) => (
        <Piece key={i} text={piece} />
      ))}
    </div>
  );
});
