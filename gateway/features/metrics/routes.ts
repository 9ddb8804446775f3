import { bearerOf } from '../../identity/bearer.ts';
import { secretTest } from '../../identity/secret-test.ts';
import type { Reply, Route } from '../../http/route.ts';

export type MetricsOptions = {
  /** Without one every client may read. */
  token: string | undefined;
  scrape: () => Promise<Uint8Array>;
};

const headers = { 'Cache-Control': 'no-store' };
/** Plain, as scrapers show it. */
const unauthorized: Reply = {
  status: 401, type: 'text/plain; charset=utf-8', headers: { ...headers, 'WWW-Authenticate': 'Bearer' }, body: 'Unauthorized',
};

export function metricsRoutes({ token, scrape }: MetricsOptions): Route[] {
  const isToken = token === undefined ? () => true : secretTest(token);

  return [{
    method: 'GET', path: '/metrics', root: true,
    handle: async call => {
      if (!isToken(bearerOf(call.header('authorization')) ?? '')) return unauthorized;
      return { headers, type: 'text/plain; version=0.0.4; charset=utf-8', body: await scrape() };
    },
  }];
}
