import type { Route } from '../../http/route.ts';
import type { DataOptions } from './options.ts';
import { read } from './read.ts';
import { write } from './write.ts';

const WRITES = ['POST', 'PATCH', 'PUT', 'DELETE'] as const;

export function dataRoutes(options: DataOptions): Route[] {
  return [
    { method: 'GET', path: '/data/*', handle: call => read(call, options) },
    ...WRITES.map((method): Route => ({ method, path: '/data/*', admit: options.caller, handle: call => write(call, options) })),
  ];
}
