// The metrics of a training as curves: which figure belongs to which small chart.
//
// A line of `metrics.jsonl` is of an update (`step`) or of an examination on held-out problems
// (`greedy`, `sampled`). Accuracy stands beside accuracy given a valid workflow, because a curve
// that rises only in the first is a curve of format. Numbers that no chart names are shown too.

export interface Line {
  readonly kind: string;
  readonly step: number;
  readonly [key: string]: unknown;
}

export interface CurveOf {
  /** The key in the lines. */
  readonly key: string;
  readonly kind: 'step' | 'greedy' | 'sampled';
  readonly points: readonly (readonly [number, number])[];
}

export interface PanelPlan {
  readonly id: string;
  /** Keys of the updates. */
  readonly steps: readonly string[];
  /** Key of the examinations, where they have one. */
  readonly exams?: string;
  readonly form: Form;
}

/** How a figure is written: a share, a plain number, seconds, or dollars. */
export type Form = 'share' | 'number' | 'small' | 'seconds' | 'usd';

export interface GroupPlan {
  readonly id: string;
  readonly panels: readonly PanelPlan[];
}

export const GROUPS: readonly GroupPlan[] = [
  {
    id: 'answers',
    panels: [
      { id: 'reward', steps: ['reward', 'reward_std'], form: 'number' },
      {
        id: 'right',
        steps: ['accuracy', 'accuracy_given_valid'],
        exams: 'accuracy',
        form: 'share',
      },
      { id: 'valid', steps: ['valid'], exams: 'valid', form: 'share' },
      { id: 'given_valid', steps: [], exams: 'accuracy_given_valid', form: 'share' },
    ],
  },
  {
    id: 'orchestration',
    panels: [
      { id: 'regret', steps: [], exams: 'regret', form: 'number' },
      { id: 'bits', steps: ['worker_bits'], exams: 'worker_bits', form: 'number' },
      { id: 'top_worker', steps: ['top_worker'], form: 'share' },
      { id: 'plans', steps: [], exams: 'plans', form: 'number' },
      {
        id: 'steps',
        steps: ['steps_per_workflow', 'calls_per_rollout'],
        exams: 'steps',
        form: 'number',
      },
      { id: 'faithful', steps: ['faithful'], exams: 'faithful', form: 'share' },
    ],
  },
  {
    id: 'learning',
    panels: [
      { id: 'entropy', steps: ['entropy'], form: 'small' },
      { id: 'spread', steps: ['frac_reward_zero_std', 'lost'], form: 'share' },
      {
        id: 'length',
        steps: ['completions/mean_length', 'completions/min_length', 'completions/max_length'],
        form: 'number',
      },
      {
        id: 'clipped',
        steps: ['completions/clipped_ratio', 'clip_ratio/region_mean'],
        form: 'share',
      },
      { id: 'grad', steps: ['grad_norm'], form: 'small' },
      { id: 'loss', steps: ['loss'], form: 'small' },
      { id: 'rate', steps: ['learning_rate'], form: 'small' },
      { id: 'time', steps: ['step_time'], form: 'seconds' },
      { id: 'usd', steps: ['usd_per_rollout'], form: 'usd' },
    ],
  },
];

/** Keys that say when a line was written, or that repeat what another key says. */
const LEFT_OUT = new Set([
  'step',
  'seconds',
  'epoch',
  'num_tokens',
  'rewards/conductor/mean',
  'rewards/conductor/std',
  'problems',
  'unscored',
  'low',
  'high',
]);

/** The curves of one small chart; those without a value are left out. */
export function curvesOf(lines: readonly Line[], plan: PanelPlan): CurveOf[] {
  const found: CurveOf[] = plan.steps.map((key) => curve(lines, 'step', key));
  if (plan.exams !== undefined) {
    found.push(curve(lines, 'greedy', plan.exams), curve(lines, 'sampled', plan.exams));
  }
  return found.filter((one) => one.points.length > 0);
}

/** Numbers of the updates that no chart above shows, each with a chart of its own. */
export function otherPanels(lines: readonly Line[]): PanelPlan[] {
  const shown = new Set(GROUPS.flatMap((group) => group.panels.flatMap((panel) => panel.steps)));
  const found = new Set<string>();
  for (const line of lines) {
    if (line.kind !== 'step') continue;
    for (const [key, value] of Object.entries(line)) {
      if (typeof value === 'number' && !shown.has(key) && !LEFT_OUT.has(key)) found.add(key);
    }
  }
  return [...found].sort().map((key) => ({ id: key, steps: [key], form: 'small' }));
}

/** Old lines and new ones as one list, in order; a line that came again replaces the one before. */
export function joined(before: readonly Line[], news: readonly Line[]): Line[] {
  if (news.length === 0) return before as Line[];
  const found = new Map(before.map((line) => [`${line.kind} ${line.step}`, line]));
  for (const line of news) found.set(`${line.kind} ${line.step}`, line);
  const order = (line: Line) => (line.kind === 'step' ? 0 : line.kind === 'greedy' ? 1 : 2);
  return [...found.values()].sort((a, b) => a.step - b.step || order(a) - order(b));
}

/** Where to ask on from: the last update again, for its examination comes after it. */
export function askedAfter(lines: readonly Line[]): number {
  return lines.reduce((last, line) => Math.max(last, line.step), -1) - 1;
}

/** The last update, or 0 before the first. */
export function lastStep(lines: readonly Line[]): number {
  return lines.reduce((last, line) => (line.kind === 'step' ? Math.max(last, line.step) : last), 0);
}

/** Seconds that the steps which are left will take, at the pace of the last ten; null: unknown. */
export function secondsLeft(lines: readonly Line[], planned: number): number | null {
  const times = lines
    .filter((line) => line.kind === 'step' && typeof line['seconds'] === 'number')
    .slice(-11)
    .map((line) => [line.step, line['seconds'] as number] as const);
  const first = times[0];
  const last = times.at(-1);
  if (first === undefined || last === undefined || last[0] <= first[0]) return null;
  return ((planned - last[0]) * (last[1] - first[1])) / (last[0] - first[0]);
}

/** How many updates the run is to make, as its configuration says; null: it does not. */
export function plannedSteps(resolved: Record<string, unknown> | null): number | null {
  const steps = grpoOf(resolved)?.['steps'];
  return typeof steps === 'number' && steps > 0 ? steps : null;
}

/** What the workers of all rollouts cost so far in dollars; null: some of it is unknown. */
export function runUsd(
  lines: readonly Line[],
  resolved: Record<string, unknown> | null,
): number | null {
  const grpo = grpoOf(resolved);
  const [problems, rollouts] = [grpo?.['problems'], grpo?.['rollouts']];
  if (typeof problems !== 'number' || typeof rollouts !== 'number') return null;
  let sum = 0;
  const steps = lines.filter((line) => line.kind === 'step');
  for (const line of steps) {
    if (typeof line['usd_per_rollout'] !== 'number') return null;
    sum += line['usd_per_rollout'] * problems * rollouts;
  }
  return steps.length > 0 ? sum : null;
}

function grpoOf(resolved: Record<string, unknown> | null): Record<string, unknown> | undefined {
  const preset = resolved?.['preset'] as Record<string, unknown> | undefined;
  return preset?.['grpo'] as Record<string, unknown> | undefined;
}

function curve(lines: readonly Line[], kind: CurveOf['kind'], key: string): CurveOf {
  const points: [number, number][] = [];
  for (const line of lines) {
    // Examinations on real tasks name the steps as updates do.
    const value =
      line[key] ?? (kind !== 'step' && key === 'steps' ? line['steps_per_workflow'] : null);
    if (line.kind === kind && typeof value === 'number' && Number.isFinite(value)) {
      points.push([line.step, value]);
    }
  }
  return { key, kind, points };
}
