import { setTimeout } from 'node:timers/promises';
import type { Postmaster } from './postmaster.ts';
import type { EmbeddedLog } from './server-log.ts';

/** A server that comes back when it dies. `pid` is of the current one. */
export type Supervised = { readonly pid: number; stop: () => Promise<void> };

export type SupervisorOptions = {
  start(): Promise<Postmaster>;
  log: EmbeddedLog;
  onRestart?: ((pid: number) => void) | undefined;
  /** Aborted by `stop`. */
  stopping: AbortController;
};

const LONGEST_PAUSE = 5_000;

/** Watches a server that runs, and starts it again, for ever and ever slower, until `stop`. */
export function supervise(first: Postmaster, options: SupervisorOptions): Supervised {
  let current = first;
  const { log, stopping: { signal } } = options;
  const isStopping = () => signal.aborted;
  const watching = watch();

  return {
    get pid() { return current.pid; },
    async stop() {
      options.stopping.abort();
      current.stop();
      await watching;
    },
  };

  async function watch(): Promise<void> {
    for (;;) {
      const how = await current.ended;
      if (isStopping()) return;
      log.warn(`PostgreSQL ended unexpectedly (${how}). Starting it again.`);
      const next = await startAgain();
      if (!next) return;
      current = next;
      log.info(`PostgreSQL is back (process ${current.pid}).`);
      options.onRestart?.(current.pid);
    }
  }

  async function startAgain(): Promise<Postmaster | undefined> {
    for (let pause = 50; !isStopping(); pause = Math.min(pause * 2, LONGEST_PAUSE)) {
      try {
        return await options.start();
      } catch (error) {
        if (!isStopping()) log.warn((error as Error).message);
      }
      await setTimeout(pause, undefined, { signal }).catch(() => undefined);
    }
    return undefined;
  }
}
