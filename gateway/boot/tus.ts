import { type Logger } from 'pino';
import { type AskAccounts } from '../identity/accounts.ts';
import { type Route } from '../http/route.ts';
import { createHolders } from '../surfaces/storage/tus/holders.ts';
import { type TusOptions } from '../surfaces/storage/tus/options.ts';
import { tusRoutes } from '../surfaces/storage/tus/routes.ts';
import { scheduleSweep } from '../surfaces/storage/tus/sweep.ts';
import { askUploads, UPLOADS_CHANNEL } from '../surfaces/storage/tus/uploads.ts';
import { type Database } from './database.ts';

export type OpenTusOptions = Omit<TusOptions, 'uploads' | 'holders'> & {
  ask: AskAccounts;
  listen: Database['listen'];
  /** Whether this process removes what nobody goes on with: one of a start does. */
  sweeps: boolean;
  log: Logger;
};

export type Tus = {
  routes: Route[];
  /** Who sends goes on elsewhere; what has come so far is kept. */
  close: (deadlineMs: number) => Promise<void>;
};

/** Resumable uploads of one process. */
export async function openTus({ ask, listen, sweeps, log, ...options }: OpenTusOptions): Promise<Tus> {
  const uploads = askUploads(ask);
  const resumableOf = ({ source }: { source: string }) => options.sources.storeOf(source);
  const holders = createHolders(uploads, resumableOf);
  const listening = await listen(UPLOADS_CHANNEL, {
    heard: holders.heard,
    resumed: () => { holders.resumed().catch((error: unknown) => log.warn({ err: error }, 'Uploads under way could not be looked at.')); },
  });
  const endSweep = sweeps ? scheduleSweep({ uploads, resumableOf, log }) : undefined;
  return {
    routes: tusRoutes({ ...options, uploads, holders }),
    async close(deadline) {
      endSweep?.();
      await holders.close(deadline);
      await listening.end();
    },
  };
}
