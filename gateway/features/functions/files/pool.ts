import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { ProjectFile } from './discover.ts';
import { startWorker, type Asked, type Worker, type WorkerOptions } from './worker.ts';

export type PoolOptions = Pick<WorkerOptions, 'env' | 'memory' | 'timeout' | 'answer' | 'of' | 'fieldsOf'> & {
  files: readonly ProjectFile[];
  /** How many workers. */
  size: number;
  log: Logger;
};

/** Workers that serve the same files. */
export type Pool = {
  /** Resolves when the first worker has loaded the files. */
  ready: Promise<void>;
  /** By name, why files are not served. */
  readonly refused: ReadonlyMap<string, string>;
  /** By name, what files that are served say of themselves. */
  readonly loaded: ReadonlyMap<string, Record<string, unknown>>;
  /** A worker that has the function, perhaps once it has started; undefined where none will. */
  worker: (name: string) => Promise<Worker | undefined>;
  retire: (deadline: number) => Promise<void>;
};
export type { Asked };

/** Milliseconds that calls under way have in workers whose files have changed. */
export const RETIRING = 30_000;
/** Milliseconds in which a file has to load. */
const LOADING = 10_000;
/** Milliseconds of silence after which other workers are asked first. */
const SILENT = 300;
/** Milliseconds until the next attempt, where a worker ended before it had loaded a file. */
const AGAIN = 1000;

/** A worker that ends is replaced. A file in which it ends while it loads, or that does not end to load, is left out from then on. */
export function openPool({ files, size, log, ...options }: PoolOptions): Pool {
  const left = new Map<string, string>();
  const workers = new Set<Worker>();
  const serving = new Set<Worker>();
  const { promise: ready, resolve } = Promise.withResolvers<undefined>();
  let refused: ReadonlyMap<string, string> = left;
  let loaded: Pool['loaded'] = new Map();
  let next = Promise.withResolvers<undefined>();
  let isRetired = false;
  start();

  return {
    ready,
    get refused() { return refused; },
    get loaded() { return loaded; },
    worker,
    async retire(deadline) {
      isRetired = true;
      next.resolve(undefined);
      await Promise.all([...workers].map(worker => worker.retire(deadline)));
    },
  };

  async function worker(name: string): Promise<Worker | undefined> {
    while (!isRetired && files.some(file => file.name === name) && !refused.has(name)) {
      const able = [...serving].filter(worker => worker.has(name));
      const best = able.sort((a, b) => load(a) - load(b))[0];
      if (best !== undefined) return best;
      await next.promise;
    }
    return undefined;
  }

  function start(): void {
    const worker = startWorker({ ...options, files: files.filter(({ name }) => !left.has(name)), log, ready: serve, ended });
    workers.add(worker);
    void watchLoading(worker);
  }

  async function watchLoading(worker: Worker): Promise<void> {
    for (let before: string | undefined; workers.has(worker) && !serving.has(worker); before = worker.loading) {
      if (before !== undefined && before === worker.loading) return worker.kill(`loaded ${before} for more than ${LOADING / 1000} seconds`);
      await setTimeout(LOADING, undefined, { ref: false });
    }
  }

  /** The first one tells which files can be served; the others start then. */
  function serve(worker: Worker): void {
    serving.add(worker);
    refused = new Map([...left, ...worker.refused]);
    loaded = worker.loaded;
    resolve(undefined);
    next.resolve(undefined);
    next = Promise.withResolvers();
    while (!isRetired && workers.size < size) start();
  }

  function ended(worker: Worker, reason: string): void {
    const wasServing = serving.delete(worker);
    workers.delete(worker);
    if (isRetired) return;
    log.error(`A worker of ${options.of} ${reason}. Another one takes its place.`);
    if (!wasServing && worker.loading !== undefined) left.set(worker.loading, `the worker that loaded it ${reason}`);
    if (wasServing || worker.loading !== undefined) start();
    else void setTimeout(AGAIN, undefined, { ref: false }).then(() => { if (!isRetired) start(); });
  }
}

/**
 * Lets a new pool serve these files in place of older ones; a file that it cannot load goes on as it was.
 * @param pools by the name of the file
 * @returns pools that serve nothing any more
 */
export function replacePools(pools: Map<string, Pool>, names: readonly string[], pool: Pool | undefined): Pool[] {
  const before = new Map(pools);
  pools.clear();
  for (const name of names) {
    const kept = pool?.refused.has(name) ? before.get(name) : undefined;
    if (kept !== undefined && !kept.refused.has(name)) pools.set(name, kept);
    else if (pool !== undefined) pools.set(name, pool);
  }
  const serving = new Set(pools.values());
  return [...new Set(before.values())].filter(old => !serving.has(old));
}

function load({ calls, silence }: Worker): number {
  return silence > SILENT ? Number.MAX_SAFE_INTEGER : calls;
}
