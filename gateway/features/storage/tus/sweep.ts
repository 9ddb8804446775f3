import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import { serviceCaller } from '../../../identity/caller.ts';
import { finish, isRefusal, sourceOf, type FinishOptions } from './finish.ts';
import type { Holders } from './holders.ts';
import { uploadOf, type Uploads } from './uploads.ts';

export type SweepOptions = FinishOptions & { uploads: Uploads; holders: Pick<Holders, 'hold'>; log: Logger };

const A_MINUTE = 60_000;

/** Removes abandoned uploads and finishes complete ones, each minute. Returns a function that stops it. */
export function scheduleSweep(options: SweepOptions): () => void {
  const closing = new AbortController();
  void keep();
  return () => { closing.abort(); };

  async function keep(): Promise<void> {
    while (!closing.signal.aborted) {
      await sweep(options).catch((error: unknown) => {
        if (!closing.signal.aborted) options.log.warn({ err: error }, 'Abandoned uploads could not be queried.');
      });
      await setTimeout(A_MINUTE, undefined, { signal: closing.signal, ref: false }).catch(() => undefined);
    }
  }
}

/** Other gateways may do so at the same time: each takes others. */
export async function sweep(options: SweepOptions): Promise<void> {
  await removeExpired(options);
  await finishWhole(options);
}

async function removeExpired({ uploads, sources, log }: SweepOptions): Promise<void> {
  for (;;) {
    const token = randomUUID();
    const row = await uploads.expired(token);
    if (row === null) return;
    try {
      if (!row.finished) await sourceOf(row, sources)?.store.uploads.discard(uploadOf(row));
      await uploads.remove(row.id, token);
    } catch (error) {
      log.warn({ err: error, upload: row.id, source: row.source }, 'An expired upload could not be removed. It is tried again.');
    }
  }
}

/**
 * Finishes uploads whose gateway died before it had created the file, because their clients may never ask. A living holder is notified to
 * release the upload, as by a request.
 */
async function finishWhole(options: SweepOptions): Promise<void> {
  const { uploads, holders, sources, log } = options;
  for (let row; (row = await uploads.whole()) !== null;) {
    const { id, source } = row;
    try {
      const isReplaced = await sourceOf(row, sources)?.store.uploads.isReplaced(uploadOf(row), new Date(row.created));
      if (isReplaced ?? true) continue; // the uploader of a later file was told that it is there
      const { hold } = await holders.hold(id, null);
      if (hold !== undefined) await finish(serviceCaller, row, hold, hold.upload, options);
    } catch (error) {
      if (isRefusal(error)) log.warn({ upload: id, source, code: error.code }, 'A complete upload may not be stored any more.');
      else log.warn({ err: error, upload: id, source }, 'A complete upload could not be finished. It is tried again.');
    }
  }
}
