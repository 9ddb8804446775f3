import type { FairExecutor } from '../../database/fair-executor.ts';
import { bearerOf } from '../../identity/bearer.ts';
import { secretTest } from '../../identity/secret-test.ts';
import type { Call, Reply, Route } from '../../http/route.ts';
import { SERIES } from './history.ts';

export type MetricsOptions = {
  /** Without one every client may read. */
  token: string | undefined;
  scrape: () => Promise<Uint8Array>;
  ask: FairExecutor;
};

/** Minutes of a history: by default, and at most. */
const DEFAULT = 60;
const MOST = 20_160;
const headers = { 'Cache-Control': 'no-store' };
/** Plain, as scrapers show it. */
const unauthorized: Reply = {
  status: 401, type: 'text/plain; charset=utf-8', headers: { ...headers, 'WWW-Authenticate': 'Bearer' }, body: 'Unauthorized',
};

export function metricsRoutes({ token, scrape, ask }: MetricsOptions): Route[] {
  const isToken = token === undefined ? () => true : secretTest(token);
  const guarded = (answer: (call: Call) => Promise<Reply>) => (call: Call): Reply | Promise<Reply> =>
    isToken(bearerOf(call.header('authorization')) ?? '') ? answer(call) : unauthorized;

  return [{
    method: 'GET', path: '/metrics', root: true,
    handle: guarded(async () => ({ headers, type: 'text/plain; version=0.0.4; charset=utf-8', body: await scrape() })),
  }, {
    method: 'GET', path: '/metrics/history', root: true,
    handle: guarded(({ query }) => history(new URLSearchParams(query))),
  }];

  async function history(query: URLSearchParams): Promise<Reply> {
    const series = query.get('series') ?? '';
    if (!SERIES.some(name => name === series)) {
      return refused(400, 'unknown_series', `series is one of ${SERIES.join(', ')}.`);
    }
    try {
      const [row] = await ask('metrics', sql => sql<{ history: string }[]>`
        select service_private.history_text(${series}, ${minutesOf(query.get('minutes'))}) as history`);
      if (row !== undefined) return { headers, body: row.history };
    } catch {
      // The log has the reason, from those who write the numbers.
    }
    return refused(503, 'history_unavailable', 'The database that keeps the history does not answer.');
  }
}

function minutesOf(text: string | null): number {
  const minutes = text === null || text.trim() === '' ? NaN : Math.round(Number(text));
  return Number.isNaN(minutes) ? DEFAULT : Math.min(MOST, Math.max(1, minutes));
}

function refused(status: number, error: string, message: string): Reply {
  return { status, headers, body: JSON.stringify({ error, message }) };
}
