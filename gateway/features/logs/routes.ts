import { deprecated } from '../../http/deprecated.ts';
import { privateText } from '../../http/private-reply.ts';
import type { Call, Reply, Route } from '../../http/route.ts';
import type { Filter, Found, Page } from '../../logs/ring.ts';
import type { RequireScope } from '../context.ts';
import { filterOf, numberOf, readQuery } from './query.ts';
import { eventOf, type Streams } from './streams.ts';

export type LogsRoutesOptions = {
  requireScope: RequireScope;
  find: (filter: Filter, page: Page) => Promise<Found>;
  streams: Streams;
  instance: string;
};

const FILTERS = ['level', 'source', 'search', 'since'];
const BASES = ['/admin/logs', '/logs'] as const;
export const STREAM_PATHS = BASES.map(base => `${base}/stream`);

/** The log of the start, for admins. The earlier paths, without `/admin`, answer as well, and say that they will go. */
export function logsRoutes({ requireScope, find, streams, instance }: LogsRoutesOptions): Route[] {
  const ofInstance = `,"instance":${JSON.stringify(instance)}`;
  const [current, earlier] = BASES;
  return [...routesBelow(current), ...routesBelow(earlier).map(deprecated)];

  function routesBelow(base: string): Route[] {
    return [
      { method: 'GET', path: base, handle: list },
      { method: 'GET', path: `${base}/latest`, handle: latest },
      { method: 'GET', path: `${base}/stream`, handle: stream },
    ];
  }

  async function list(call: Call): Promise<Reply> {
    await requireScope(call, 'logs:read');
    const given = readQuery(call.query, [...FILTERS, 'limit', 'offset']);
    const page = { limit: numberOf(given, 'limit', 100), offset: numberOf(given, 'offset', 0) };
    const { entries, total } = await find(filterOf(given), page);
    return privateText(`{"entries":[${entries.join()}],"total":${total}${ofInstance}}`);
  }

  async function latest(call: Call): Promise<Reply> {
    await requireScope(call, 'logs:read');
    const limit = numberOf(readQuery(call.query, ['count']), 'count', 50);
    const { entries } = await find({}, { limit, offset: 0 });
    return privateText(`{"entries":[${entries.join()}]${ofInstance}}`);
  }

  async function stream(call: Call): Promise<Reply> {
    await requireScope(call, 'logs:read');
    const given = readQuery(call.query, [...FILTERS, 'limit']);
    const [filter, limit] = [filterOf(given), numberOf(given, 'limit', 200)];
    const { entries, total, last } = await find(filter, { limit, offset: 0 });
    const snapshot = `{"entries":[${entries.toReversed().join()}],"total":${total}${ofInstance}}`;
    const source = streams.open({ first: eventOf('snapshot', snapshot), last, filter, authorization: call.header('authorization') });
    return {
      type: 'text/event-stream',
      // nginx would keep events back; other proxies compress.
      headers: { 'Cache-Control': 'no-store, no-transform', 'X-Accel-Buffering': 'no' },
      body: { source },
    };
  }
}
