import { randomUUID } from 'node:crypto';
import type { Intake, Kind, ObjectInfo } from '../store.ts';
import type { Bucket } from './bucket.ts';
import { writeFailed } from './connection.ts';
import { toHeaders } from './kind.ts';
import { beginMultipart } from './multipart.ts';
import { cutParts, PART } from './parts.ts';
import { discardFolder } from './unfinished.ts';

/** Stores as few parts of an object as this, which all stores take, */
const PARTS = 1000;
/** unless they would be larger than this; then ten times as many, which is Amazon's limit. */
const LARGE_PART = 16 * 1024 * 1024;

export function partSize(total: number): number {
  return Math.max(PART, Math.min(Math.ceil(total / PARTS), LARGE_PART), Math.ceil(total / (10 * PARTS)));
}

/** One request for what is less than a part, else an upload in parts. */
export function takeIn(bucket: Bucket, key: string, kind: Kind, size = 0): Intake {
  const headers = toHeaders(kind);
  const id = randomUUID();
  const stop = new AbortController();
  const multipart = beginMultipart(bucket, { id, key, headers, signal: stop.signal });
  const etags: string[] = [];
  let bytes = 0;
  const parts = cutParts(partSize(size), async (part, n) => { etags[n] = await multipart.send(part, n + 1); }, size || undefined);

  return {
    write(more) {
      bytes += more.length;
      return parts.write(more).catch(fail);
    },
    async finish(): Promise<ObjectInfo> {
      try {
        const rest = await parts.rest();
        const version = etags.length === 0 ? await bucket.put(key, rest, headers, stop.signal) : await complete(rest);
        await parts.close();
        return { ...kind, size: bytes, modified: new Date(), version };
      } catch (error) {
        return await fail(error);
      }
    },
    drop: letGo,
  };

  async function complete(rest: Buffer): Promise<string> {
    if (rest.length > 0) etags.push(await multipart.send(rest, etags.length + 1));
    const version = await bucket.complete(key, await multipart.uploadId(), etags);
    await multipart.forget().catch(() => undefined); // the object is there; the note goes at a start
    return version;
  }

  async function fail(error: unknown): Promise<never> {
    await letGo().catch(() => undefined); // the store is away, most likely
    throw writeFailed(error);
  }

  async function letGo(): Promise<void> {
    stop.abort();
    await parts.close(true);
    if (bytes < partSize(size)) return; // nothing was begun
    await discardFolder(bucket, id).catch((error: unknown) => { throw writeFailed(error); });
  }
}
