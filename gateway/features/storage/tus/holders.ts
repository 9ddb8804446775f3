import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { ApiError } from '../../../error.ts';
import { createInFlight } from '../../../http/in-flight.ts';
import type { Resumable, Upload } from '../../../blobs/resumable.ts';
import { uploadOf, type Owner, type UploadRow, type Uploads } from './uploads.ts';

/** An upload that only this request may write to, until one of the last three functions releases it. */
export type Hold = {
  upload: Upload;
  /** Aborted when a newer request takes the upload over; with the ApiError for the current sender. */
  signal: AbortSignal;
  /** Records the progress. @throws ApiError 409 CONFLICT when another request holds the upload by now, as `release`. */
  keep: (upload: Upload) => Promise<void>;
  release: (upload: Upload) => Promise<void>;
  finish: () => Promise<void>;
  remove: () => Promise<void>;
};

export type Holders = {
  /**
   * Takes an upload for this request alone: notifies the current holder, on any gateway, to release it, and waits for that. A holder that
   * does not do so in time is dead or stuck, and can record nothing from then on. Returns no hold where the upload is finished, or a newer
   * request took it over.
   * @throws ApiError 404 NOT_FOUND.
   */
  hold: (id: string, asker: Owner) => Promise<{ row: UploadRow; hold?: Hold }>;
  /** Handles a notification on UPLOADS_CHANNEL. */
  heard: (token: string) => void;
  /** Checks every held upload: notifications sent meanwhile were missed. */
  resumed: () => Promise<void>;
  /**
   * Releases all uploads; their senders continue at another gateway. Resolves when the received bytes are recorded, or after the deadline.
   */
  close: (deadlineMs: number) => Promise<void>;
};

/** Milliseconds for a holder to write what it has taken in; and for one that has everything, to make the file. */
const PATIENCE = 3_000;
const PATIENCE_AT_END = 10_000;
/** Milliseconds from one look to the next: `most` at last. */
const PAUSE = { first: 5, most: 80 };

/** @param resumableOf the store of an upload, if it is still there */
export function createHolders(uploads: Uploads, resumableOf: (row: UploadRow) => Resumable | undefined): Holders {
  const held = new Map<string, { id: string; abort: AbortController }>();
  const underWay = createInFlight();

  return {
    hold, resumed,
    heard: giveWay,
    close(deadline) {
      for (const token of held.keys()) giveWay(token);
      return underWay.idle(deadline);
    },
  };

  async function hold(id: string, asker: Owner): ReturnType<Holders['hold']> {
    const token = randomUUID();
    const abort = new AbortController();
    held.set(token, { id, abort }); // before any other process knows it
    underWay.begin();
    try {
      const { row, isForced } = await turn(await uploads.claim(id, asker, token), token);
      if (row.holder !== token) {
        letGo(token);
        return { row };
      }
      const upload = isForced ? await fenced(row, token) : uploadOf(row);
      return { row, hold: holdOf(upload, token, abort.signal) };
    } catch (error) {
      letGo(token);
      throw error;
    }
  }

  async function turn(claimed: UploadRow | null, token: string): Promise<{ row: UploadRow; isForced: boolean }> {
    const since = performance.now();
    let row = claimed;
    let isForced = false;
    for (let pause = PAUSE.first; ; pause = Math.min(2 * pause, PAUSE.most)) {
      if (row === null) throw new ApiError(404, 'NOT_FOUND', 'There is no such upload.');
      if (row.finished || row.holder === token || row.claimant !== token) return { row, isForced };
      const patience = row.received === row.length ? PATIENCE_AT_END : PATIENCE;
      isForced = performance.now() - since > patience;
      await setTimeout(pause);
      row = await uploads.take(row.id, token, isForced ? row.holder ?? undefined : undefined);
    }
  }

  /** Where this fails the upload stays held by a request that is over, and the next one does it. */
  async function fenced(row: UploadRow, token: string): Promise<Upload> {
    const upload = resumableOf(row)?.fence?.(uploadOf(row)) ?? uploadOf(row);
    if (await uploads.keep(upload, token) === null) throw overtaken();
    return upload;
  }

  function holdOf(upload: Upload, token: string, signal: AbortSignal): Hold {
    return {
      upload, signal,
      async keep(upload) {
        const isMine = await uploads.keep(upload, token);
        if (isMine !== true) giveWay(token);
        if (isMine === null) throw overtaken();
      },
      release: upload => last(token, async () => {
        if (await uploads.release(upload, token) === null) throw overtaken();
      }),
      finish: () => last(token, () => uploads.finish(upload.id)),
      remove: () => last(token, () => uploads.remove(upload.id, token)),
    };
  }

  async function last(token: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } finally {
      letGo(token);
    }
  }

  function giveWay(token: string): void {
    held.get(token)?.abort.abort(overtaken());
  }

  function letGo(token: string): void {
    if (held.delete(token)) underWay.end();
  }

  async function resumed(): Promise<void> {
    await Promise.all(Array.from(held, async ([token, { id }]) => {
      const row = await uploads.take(id, token);
      if (row?.claimant !== token) giveWay(token);
    }));
  }
}

export function overtaken(): ApiError {
  return new ApiError(409, 'CONFLICT', 'A newer request goes on with this upload.');
}
