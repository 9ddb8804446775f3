import type { Route } from '../../http/route.ts';
import type { DataOptions } from './options.ts';
import { HISTORY, REVERT } from './history-paths.ts';
import { read, readHistory } from './read.ts';
import { revert } from './revert.ts';
import { write } from './write.ts';

const WRITES = ['POST', 'PATCH', 'PUT', 'DELETE'] as const;

export function dataRoutes(options: DataOptions): Route[] {
  return [
    { method: 'GET', path: HISTORY, handle: call => readHistory(call, options) },
    { method: 'POST', path: REVERT, handle: call => revert(call, options) },
    { method: 'GET', path: '/data/*', handle: call => read(call, options) },
    ...WRITES.map((method): Route => ({ method, path: '/data/*', admit: options.caller, handle: call => write(call, options) })),
  ];
}
