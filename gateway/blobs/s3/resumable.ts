import { randomUUID } from 'node:crypto';
import type { Piece, Resumable, Upload } from '../resumable.ts';
import type { ObjectInfo, Place } from '../store.ts';
import type { Bucket } from './bucket.ts';
import { isMissing, nameOf, writeFailed } from './connection.ts';
import { partSize } from './intake.ts';
import { fromHeaders, toHeaders, uploadOf } from './kind.ts';
import { beginMultipart } from './multipart.ts';
import { cutParts } from './parts.ts';
import { allOf } from './reading.ts';
import { discardFolder, folderOf } from './unfinished.ts';

/**
 * Bytes that are less than a part are an object of their own, which no other piece overwrites; a part that another piece sent meanwhile
 * does not fit its ETag here.
 */
type Held = { uploadId?: string; etags: readonly string[]; tail?: string };

/** @param bucketOf the bucket of a place. */
export function resumable(bucketOf: (place: Place) => Bucket): Resumable {
  return {
    begin: (id, place, kind, length) => {
      toHeaders(kind, id); // refuses early what cannot be kept
      return { id, place, kind, length, offset: 0 };
    },
    append: (upload, saved) => append(bucketOf(upload.place), upload, saved).catch(rethrow),
    complete: upload => complete(bucketOf(upload.place), upload).catch(rethrow),
    isReplaced: (upload, since) => isReplaced(bucketOf(upload.place), upload, since).catch(rethrow),
    async discard({ id, place, held }) {
      const bucket = bucketOf(place);
      const { uploadId } = heldBy(held);
      try {
        if (uploadId !== undefined) await bucket.abort(place.key, uploadId);
        await discardFolder(bucket, id);
      } catch (error) {
        throw writeFailed(error);
      }
    },
  };
}

async function append(bucket: Bucket, upload: Upload, saved: (upload: Upload) => Promise<void> | void = () => undefined): Promise<Piece> {
  const { id, place: { key }, kind, length } = upload;
  const before = heldBy(upload.held);
  const size = partSize(length);
  const stop = new AbortController();
  const multipart = beginMultipart(bucket, { id, key, headers: toHeaders(kind, id), signal: stop.signal, begun: before.uploadId });
  const etags = [...before.etags];
  const sent: string[] = [];
  let reached = upload.offset;
  let telling = Promise.resolve();
  const parts = cutParts(size, async (part, n) => {
    sent[n] = await multipart.send(part, before.etags.length + n + 1);
    await tellSent();
  }, length - size * etags.length);
  if (before.tail !== undefined) await parts.write(await allOf(await bucket.get(before.tail)));

  return {
    async write(bytes) {
      reached += bytes.length;
      await parts.write(bytes).catch(rethrow);
    },
    end: () => end().then(async ended => {
      await parts.close();
      return ended;
    }, async (error: unknown) => {
      await parts.close(true);
      return rethrow(error);
    }),
    async drop() {
      stop.abort();
      await parts.close(true);
      await telling.catch(() => undefined);
    },
  };

  /** Two parts are sent at a time: only what follows on what is there counts. */
  function tellSent(): Promise<void> {
    telling = telling.then(async () => {
      const count = etags.length;
      for (let next; (next = sent[etags.length - before.etags.length]) !== undefined;) etags.push(next);
      if (etags.length > count) await saved(await state(size * etags.length));
    });
    return telling;
  }

  async function state(offset: number, tail?: string): Promise<Upload> {
    const uploadId = etags.length > 0 ? { uploadId: await multipart.uploadId() } : {};
    const held: Held = { etags: [...etags], ...uploadId, ...(tail !== undefined && { tail }) };
    return { ...upload, offset, held };
  }

  async function end(): Promise<Upload> {
    const rest = await parts.rest();
    if (reached === upload.offset) return upload;
    const ended = await keep(rest);
    await saved(ended);
    // Only now: an attempt that continues from an older state needs it.
    if (before.tail !== undefined) await bucket.remove(before.tail).catch(() => undefined);
    return ended;
  }

  async function keep(rest: Buffer): Promise<Upload> {
    if (rest.length === 0) return state(reached);
    if (reached === length && etags.length > 0) {
      etags.push(await multipart.send(rest, etags.length + 1));
      return state(reached);
    }
    const tail = `${folderOf(id)}${reached}-${randomUUID()}`;
    await bucket.put(tail, rest, {}, stop.signal);
    return state(reached, tail);
  }
}

async function complete(bucket: Bucket, upload: Upload): Promise<ObjectInfo> {
  const { id, place: { key }, kind, length } = upload;
  const info = (version: string, modified = new Date()): ObjectInfo => ({ ...kind, size: length, modified, version });
  try {
    const version = await assemble(bucket, upload);
    await discardFolder(bucket, id).catch(() => undefined); // the object is there; what is left goes at a start
    return info(version);
  } catch (error) {
    if (!isMissing(error)) throw error;
    // The parts are gone: the upload was completed before, but its client was not told.
    const found = await bucket.head(key);
    if (uploadOf(found?.Metadata) !== id) throw error;
    await discardFolder(bucket, id).catch(() => undefined);
    return { ...fromHeaders(found?.ContentType, found?.Metadata), ...info(found?.ETag ?? '', found?.LastModified) };
  }
}

/** Stores tell the time in whole seconds. */
async function isReplaced(bucket: Bucket, { id, place: { key } }: Upload, since: Date): Promise<boolean> {
  const found = await bucket.head(key);
  if (found?.LastModified === undefined || uploadOf(found.Metadata) === id) return false;
  return found.LastModified.getTime() > since.getTime() - 1_000;
}

async function assemble(bucket: Bucket, { id, place: { key }, kind, held }: Upload): Promise<string> {
  const { uploadId, etags, tail } = heldBy(held);
  const rest = tail === undefined ? Buffer.alloc(0) : await allOf(await bucket.get(tail));
  if (uploadId === undefined) return bucket.put(key, rest, toHeaders(kind, id));
  const last = rest.length > 0 ? [await bucket.part(key, uploadId, etags.length + 1, rest)] : [];
  return bucket.complete(key, uploadId, [...etags, ...last]);
}

function heldBy(held: unknown): Held {
  return { etags: [], ...held as Partial<Held> | undefined };
}

function rethrow(error: unknown): never {
  throw nameOf(error) === 'AbortError' ? error : writeFailed(error);
}
