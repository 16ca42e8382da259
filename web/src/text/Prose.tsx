// An answer as it was meant: Markdown and mathematics. Raw HTML in it stays text, nothing is
// fetched, and what is too long to be read as Markdown is shown as it is.

import { Component, lazy, memo, Suspense, type ReactNode } from 'react';

import { useWords } from '../settings';
import { LongText } from './LongText';
import { isReadable } from './readable';

import './text.css';

const Markdown = lazy(() => import('./Markdown'));

export const Prose = memo(function Prose({ text }: { text: string }) {
  const words = useWords().text;
  if (!isReadable(text)) {
    return (
      <div className="prose">
        <p className="quiet">{words.asIs}</p>
        <LongText text={text} />
      </div>
    );
  }
  return (
    <div className="prose" dir="auto">
      <Unreadable text={text}>
        <Suspense fallback={<LongText text={text} />}>
          <Markdown text={text} />
        </Suspense>
      </Unreadable>
    </div>
  );
});

/** A text on which the renderer fails is shown as it is. */
class Unreadable extends Component<{ text: string; children: ReactNode }, { of: string | null }> {
  override state = { of: null as string | null };

  static getDerivedStateFromError() {
    return { of: '' };
  }

  override componentDidCatch() {
    this.setState({ of: this.props.text });
  }

  override render() {
    const isFailed = this.state.of === '' || this.state.of === this.props.text;
    return isFailed ? <LongText text={this.props.text} /> : this.props.children;
  }
}
