import type { Logger } from 'pino';
import type { AccountQuery } from '../../../identity/accounts.ts';
import type { SourceList } from '../sources.ts';
import type { Gate } from '../gate.ts';
import { sourceOf } from './finish.ts';
import { createHolders, type Holders } from './holders.ts';
import { scheduleSweep } from './sweep.ts';
import { uploadQueries, UPLOADS_CHANNEL, type Uploads } from './uploads.ts';
import type { Listen } from '../../../database/listen.ts';

export type OpenTusOptions = {
  ask: AccountQuery;
  /** Whether tokens stand for accounts. */
  accounts: boolean;
  listen: Listen;
  sources: SourceList;
  gate: Gate;
  /** Whether this process removes abandoned uploads: one of a start does. */
  sweeps: boolean;
  log: Logger;
};

export type Tus = {
  uploads: Uploads;
  holders: Holders;
  /** Ends uploads under way, which their clients continue elsewhere; bytes that arrived are kept. */
  close: (deadlineMs: number) => Promise<void>;
};

/** Resumable uploads as one process has them. */
export async function openTus({ ask, accounts, listen, sources, gate, sweeps, log }: OpenTusOptions): Promise<Tus> {
  const uploads = uploadQueries(ask, accounts);
  const holders = createHolders(uploads, row => sourceOf(row, sources)?.store.uploads);
  const listening = await listen(UPLOADS_CHANNEL, {
    heard: holders.heard,
    resumed: () => { holders.resumed().catch((error: unknown) => log.warn({ err: error }, 'Uploads in progress could not be checked.')); },
  });
  const endSweep = sweeps && sources.served.length > 0 ? scheduleSweep({ uploads, holders, sources, gate, log }) : undefined;
  return {
    uploads, holders,
    async close(deadline) {
      endSweep?.();
      await holders.close(deadline);
      await listening.end();
    },
  };
}
