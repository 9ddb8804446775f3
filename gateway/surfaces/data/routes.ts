import type { Database } from '../../database/database.ts';
import type { Call, Route } from '../../http/route.ts';
import type { Caller } from '../../identity/caller.ts';
import { read } from './read.ts';
import { write } from './write.ts';

export type DataOptions = {
  database: Database;
  caller: (call: Call) => Caller | Promise<Caller>;
  /** @throws ApiError for everybody who is no admin. */
  requireAdmin: (caller: Caller) => Caller;
  defaultLimit: number;
  maxLimit: number;
  /** Whether refusals may carry the database's own words. */
  verbose: boolean;
};

export function dataRoutes(options: DataOptions): Route[] {
  return [
    { method: 'GET', path: '/data/*', handle: call => read(call, options) },
    ...(['POST', 'PATCH', 'PUT', 'DELETE'] as const).map(method => ({ method, path: '/data/*', handle: (call: Call) => write(call, options) })),
  ];
}
