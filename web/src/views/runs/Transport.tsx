// Playing a run again: from the start, at speed, or from one moment to the next.

import { duration } from '../../format';
import { SPEEDS, usePlaying, type Player } from '../../score/replay';
import { useWords } from '../../settings';

export function Transport({ player }: { player: Player }) {
  const words = useWords().runs;
  usePlaying(player);
  if (player.length === 0) return null;

  return (
    <div className="transport" role="group" aria-label={words.replay}>
      <button
        type="button"
        className="transport-play"
        onClick={() => (player.isPlaying ? player.pause() : player.play())}
      >
        <svg viewBox="0 0 12 12" width="11" height="11" aria-hidden="true">
          <path d={player.isPlaying ? 'M2 1h3v10H2zM7 1h3v10H7z' : 'M2 .8v10.4L11 6z'} />
        </svg>
        {player.isPlaying ? words.pause : player.isOver ? words.replay : words.play}
      </button>
      <button
        type="button"
        className="plain"
        aria-label={words.stepBack}
        title={words.stepBack}
        onClick={() => player.back()}
      >
        <svg viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">
          <path d="M1.5 1.5h1.6v9H1.5zM10.5 1.5v9L4 6z" />
        </svg>
      </button>
      <button
        type="button"
        className="plain"
        aria-label={words.stepForward}
        title={words.stepForward}
        onClick={() => player.forward()}
      >
        <svg viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">
          <path d="M8.9 1.5h1.6v9H8.9zM1.5 1.5v9L8 6z" />
        </svg>
      </button>
      <input
        type="range"
        min={0}
        max={player.length}
        step={player.length / 500}
        value={player.at}
        aria-label={words.moment}
        aria-valuetext={duration(player.at)}
        onChange={(event) => {
          player.pause();
          player.seek(Number(event.target.value));
        }}
      />
      <span className="transport-time">
        {duration(player.at)} <span className="quiet">/ {duration(player.length)}</span>
      </span>
      <span className="transport-speeds" role="group" aria-label={words.speed}>
        {SPEEDS.map((speed) => (
          <button
            key={speed}
            type="button"
            className="plain"
            aria-pressed={speed === player.speed}
            onClick={() => player.setSpeed(speed)}
          >
            {speed}×
          </button>
        ))}
      </span>
    </div>
  );
}
