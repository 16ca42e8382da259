// A thin line that shows how much is done.

/** How far a run has come, for the eye only: the words beside it say the same. */
export function Bar({ steps, planned }: { steps: number; planned: number | null }) {
  if (planned === null || planned <= 0) return null;
  const done = Math.min(100, (100 * steps) / planned);
  return (
    <span className="training-bar" aria-hidden="true">
      <i style={{ width: `${done}%` }} />
    </span>
  );
}
