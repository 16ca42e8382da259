// Where something goes wrong: a view that fails does not take the page with it.

import { Component, type ReactNode } from 'react';

import { ApiError } from '../api';
import { useWords } from '../settings';

type Props = { name: string; children: ReactNode };

export class Boundary extends Component<Props, { error: Error | null; of: string }> {
  override state = { error: null as Error | null, of: this.props.name };

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  static getDerivedStateFromProps(props: Props, state: { error: Error | null; of: string }) {
    return props.name === state.of ? null : { error: null, of: props.name };
  }

  override render() {
    if (this.state.error === null) return this.props.children;
    return (
      <Problem
        error={this.state.error}
        isBroken
        onAgain={() => this.setState({ error: null })}
      />
    );
  }
}

type ProblemProps = { error: Error; isBroken?: boolean; onAgain?: () => void; onClose?: () => void };

/** An error in words, with what can be done about it. */
export function Problem({ error, isBroken, onAgain, onClose }: ProblemProps) {
  const words = useWords().error;
  const isAway = error instanceof ApiError && error.status === 0;

  return (
    <div className="problem" role="alert">
      <strong>{words.title}</strong>
      <p>{isBroken ? words.broken : isAway ? words.unreachable : error.message}</p>
      {isBroken && <p className="quiet">{error.message}</p>}
      <div className="row">
        {onAgain && (
          <button type="button" onClick={onAgain}>
            {words.again}
          </button>
        )}
        {onClose && (
          <button type="button" className="plain" onClick={onClose}>
            {words.close}
          </button>
        )}
      </div>
    </div>
  );
}
