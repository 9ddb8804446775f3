import type { Context } from '../context.ts';
import type { Opened } from '../feature.ts';
import { openWorker } from './worker.ts';

export function open({ database, handlers, isFirst, log }: Context): Opened {
  if (!isFirst || Object.keys(handlers).length === 0) return {};
  return openWorker({ ask: database.jobs, handlers, log });
}
