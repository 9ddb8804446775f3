import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { type Logger } from 'pino';
import { type Resumable } from '../../../objects/resumable.ts';
import { uploadOf, type UploadRow, type Uploads } from './uploads.ts';

export type SweepOptions = {
  uploads: Uploads;
  /** The store of an upload, if it is still there. */
  resumableOf: (row: UploadRow) => Resumable | undefined;
  log: Logger;
};

const A_MINUTE = 60_000;

/** Removes what nobody goes on with, each minute. Returns what ends it. */
export function scheduleSweep(options: SweepOptions): () => void {
  const closing = new AbortController();
  void keep();
  return () => { closing.abort(); };

  async function keep(): Promise<void> {
    while (!closing.signal.aborted) {
      await sweep(options).catch((error: unknown) => options.log.warn({ err: error }, 'Expired uploads could not be looked for.'));
      await setTimeout(A_MINUTE, undefined, { signal: closing.signal, ref: false }).catch(() => undefined);
    }
  }
}

/** Other gateways may do so at the same time: each takes others. */
export async function sweep({ uploads, resumableOf, log }: SweepOptions): Promise<void> {
  for (;;) {
    const token = randomUUID();
    const row = await uploads.expired(token);
    if (row === null) return;
    try {
      if (!row.finished) await resumableOf(row)?.discard(uploadOf(row));
      await uploads.remove(row.id, token);
    } catch (error) {
      log.warn({ err: error, upload: row.id, source: row.source }, 'An upload that has expired could not be removed. It is tried again.');
    }
  }
}
