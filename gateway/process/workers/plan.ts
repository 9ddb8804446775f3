import { availableParallelism } from 'node:os';
import { BootError } from '../../error.ts';

export type WorkersOptions = { workers: number | 'auto'; dbPoolMax: number };

/** How many workers, and the connections of each. One worker is no worker: the process that was started serves by itself. */
export type Plan = { count: number; poolMax: number };

/** The parent listens for changes, and brings the database up to date as its owner. */
const PARENT = 2;
/** A worker's owner, and one each for rows, lists and writes. */
const LEAST = 4;

/**
 * DB_POOL_MAX counts all connections of a start, so that a DBA has one number: the parent takes two, the workers share the rest. `auto` is
 * one worker a core, as far as the connections suffice.
 * @throws BootError for more workers than DB_POOL_MAX carries.
 */
export function planWorkers({ workers, dbPoolMax }: WorkersOptions, cores = availableParallelism()): Plan {
  const carried = Math.floor((dbPoolMax - PARENT) / LEAST);
  const count = workers === 'auto' ? Math.max(1, Math.min(cores, carried)) : workers;
  if (count === 1) return { count, poolMax: dbPoolMax };
  if (count > carried) {
    const least = `${LEAST} connections a worker and ${PARENT} for their parent`;
    throw new BootError(`SERVICE_WORKERS ${count} needs DB_POOL_MAX ${PARENT + LEAST * count} or more: ${least}. It is ${dbPoolMax}.`);
  }
  return { count, poolMax: Math.floor((dbPoolMax - PARENT) / count) };
}
