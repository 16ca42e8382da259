// The renderer behind `Prose`: react-markdown without raw HTML, KaTeX for mathematics.

import katex from 'katex';
import { useLayoutEffect, useRef, type ReactNode } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import remarkMath from 'remark-math';

import { delimited } from './delimited';

import 'katex/dist/katex.min.css';

/** Longest formula that is set; longer ones stay as they are written. */
const FORMULA_CHARS = 2_000;

const COMPONENTS: Components = {
  a: ({ href, children }) => (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  ),
  // An image would be fetched from wherever the model says: its name is shown instead.
  img: ({ alt, src }) => <code>![{alt ?? ''}]({typeof src === 'string' ? src : ''})</code>,
  pre: ({ children, node }) => {
    const inner = node?.children[0];
    const names = inner?.type === 'element' ? inner.properties['className'] : null;
    const isFormula = Array.isArray(names) && names.includes('math-display');
    return isFormula ? <>{children}</> : <pre tabIndex={0}>{children}</pre>;
  },
  table: ({ children }) => (
    <div className="scroll-x" tabIndex={0}>
      <table>{children}</table>
    </div>
  ),
  code: ({ className, children }) => {
    const name = className ?? '';
    if (name.includes('math-inline')) return <Formula tex={plain(children)} isBlock={false} />;
    if (name.includes('math-display')) return <Formula tex={plain(children)} isBlock />;
    return <code>{children}</code>;
  },
};

const PLUGINS = [remarkGfm, remarkMath];

export default function Markdown({ text }: { text: string }) {
  return (
    <ReactMarkdown remarkPlugins={PLUGINS} components={COMPONENTS}>
      {delimited(text)}
    </ReactMarkdown>
  );
}

function plain(children: ReactNode): string {
  if (Array.isArray(children)) return children.map(plain).join('');
  return typeof children === 'string' ? children : '';
}

/** Set through the DOM: as a string of HTML, its styles would be refused by the page's policy. */
function Formula({ tex, isBlock }: { tex: string; isBlock: boolean }) {
  const place = useRef<HTMLSpanElement>(null);
  const isSet = tex.length <= FORMULA_CHARS;

  useLayoutEffect(() => {
    if (!isSet || place.current === null) return;
    try {
      katex.render(tex, place.current, {
        displayMode: isBlock,
        throwOnError: true,
        trust: false,
        strict: 'ignore',
        maxSize: 20,
        maxExpand: 200,
      });
    } catch {
      place.current.textContent = tex; // no formula: shown as it is written
    }
  }, [tex, isBlock, isSet]);

  if (!isSet) return <code>{tex}</code>;
  return <span ref={place} className={isBlock ? 'formula block' : 'formula'} />;
}
