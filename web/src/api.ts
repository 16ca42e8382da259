// The server's routes under /page, one function each. A request that needs a key waits for the user
// to give one. Following a run's events is in `follow.ts`.

import type * as c from './contract';
import { askForKey, currentKey } from './key';

export type * from './contract';

/** The server would not, or could not be reached. */
export class ApiError extends Error {
  constructor(
    message: string,
    /** Of HTTP; 0: the server was not reached. */
    readonly status: number,
    readonly code: string | null,
  ) {
    super(message);
  }
}

export async function request(path: string, init: RequestInit = {}): Promise<Response> {
  for (;;) {
    const key = currentKey();
    const headers = new Headers(init.headers);
    if (key !== null) headers.set('Authorization', `Bearer ${key}`);
    let response: Response;
    try {
      response = await fetch(path, { ...init, headers, cache: 'no-store', redirect: 'error' });
    } catch (error) {
      if (error instanceof DOMException && error.name === 'AbortError') throw error;
      throw new ApiError('the server was not reached', 0, null);
    }
    if (response.ok) return response;
    const refusal = await refused(response);
    if (refusal.status !== 401 || (await askForKey(key)) === null) throw refusal;
  }
}

async function refused(response: Response): Promise<ApiError> {
  let message = `HTTP ${response.status}`;
  let code: string | null = null;
  try {
    const body = (await response.json()) as { error?: { message?: unknown; code?: unknown } };
    if (typeof body.error?.message === 'string') message = body.error.message;
    if (typeof body.error?.code === 'string') code = body.error.code;
  } catch {
    // Not the server's own words: a proxy's page, perhaps. The status says enough.
  }
  return new ApiError(message, response.status, code);
}

async function get<T>(path: string, query: object = {}, signal?: AbortSignal): Promise<T> {
  const given = Object.entries(query).filter(([, v]) => v !== undefined && v !== '');
  const search = new URLSearchParams(given.map(([name, v]) => [name, String(v)]));
  const response = await request(given.length ? `${path}?${search}` : path, { signal });
  return (await response.json()) as T;
}

async function post<T>(path: string, body: unknown): Promise<T> {
  const response = await request(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  return (text === '' ? null : JSON.parse(text)) as T;
}

const id = encodeURIComponent;

export const api = {
  about: (signal?: AbortSignal) => get<c.About>('/page/about', {}, signal),
  /** Begin a run; gives its id. */
  ask: async (asking: c.Asking) => (await post<{ ask: string }>('/page/asks', asking)).ask,
  stop: (ask: string) => post<null>(`/page/asks/${id(ask)}/stop`, {}),
  runs: (filter: c.RunFilter, signal?: AbortSignal) =>
    get<c.RunsPage>('/page/runs', filter, signal),
  run: (run: string, signal?: AbortSignal) =>
    get<c.WholeRun>(`/page/runs/${id(run)}`, {}, signal),
  spend: (by: c.SpendBy, days: number, signal?: AbortSignal) =>
    get<c.Spend>('/page/spend', { by, days }, signal),
  savings: (days: number, signal?: AbortSignal) =>
    get<c.Savings>('/page/savings', { days }, signal),
  reports: async (signal?: AbortSignal) =>
    (await get<{ reports: c.ReportSummary[] }>('/page/reports', {}, signal)).reports,
  report: (report: string, signal?: AbortSignal) =>
    get<c.Report>(`/page/reports/${id(report)}`, {}, signal),
  trainings: async (signal?: AbortSignal) =>
    (await get<{ trainings: c.TrainingSummary[] }>('/page/trainings', {}, signal)).trainings,
  training: (training: string, after?: number, signal?: AbortSignal) =>
    get<c.Training>(`/page/trainings/${id(training)}`, { after }, signal),
};
