import { availableParallelism } from 'node:os';
import { BootError } from '../../error.ts';

export type WorkersOptions = { workers: number | 'auto'; dbPoolMax: number };

/** How many workers, and the connections of each. One worker is no worker: the process that was started serves by itself. */
export type Plan = { count: number; poolMax: number };

/** The parent listens for changes, works as the owner of the database, and runs jobs, which write. */
const PARENT = 3;
/** A worker's owner, and one each for rows, lists and writes. */
const LEAST = 4;

/**
 * DB_POOL_MAX counts all connections of a start, so that a DBA has one number: the parent takes three, and one for each function that it
 * calls as the service, the workers share the rest. `auto` is
 * one worker a core, as far as the connections suffice.
 * @throws BootError for more workers than DB_POOL_MAX carries.
 */
export function planWorkers({ workers, dbPoolMax }: WorkersOptions, calls = 0, cores = availableParallelism()): Plan {
  const parent = PARENT + calls;
  const carried = Math.floor((dbPoolMax - parent) / LEAST);
  const count = workers === 'auto' ? Math.max(1, Math.min(cores, carried)) : workers;
  if (count === 1) return { count, poolMax: dbPoolMax };
  if (count > carried) {
    const least = `${LEAST} connections a worker and ${parent} for their parent`;
    throw new BootError(`SERVICE_WORKERS ${count} needs DB_POOL_MAX ${parent + LEAST * count} or more: ${least}. It is ${dbPoolMax}.`);
  }
  return { count, poolMax: Math.floor((dbPoolMax - parent) / count) };
}
