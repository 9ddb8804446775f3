import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { Opened, Place, Store } from '../blobs/store.ts';
import { durableRenditions, type Durable } from './durable.ts';
import { loaderOf } from './kinds.ts';
import type { RenditionOptions } from './options.ts';
import { createProcesses, type MakeRendition, type Task } from './processes.ts';
import { unreadable } from './unreadable.ts';

/** The rendition that is wanted of an opened object that was not read yet. */
export type Wanted = { source: string; store: Store; place: Place; opened: Opened; options: RenditionOptions };

/**
 * The bytes of a rendition, whose type is the format asked for. The object is closed afterwards.
 * @throws ApiError as `createProcesses` does, and 415 UNSUPPORTED_MEDIA_TYPE for other types and larger files; the errors of the store.
 */
export type Renditions = (wanted: Wanted) => Promise<Buffer>;

export type RenditionsOptions = {
  /** Whether they are kept in the bucket of their image. */
  durable: boolean;
  log: Logger;
  make?: MakeRendition;
};

const KEPT = { max: 500, maxSize: 256 * 1024 * 1024, ttl: 60 * 60 * 1000, ttlAutopurge: true };
/** Bytes of an image: it is in memory as a whole while it is decoded. */
const LARGEST = 64 * 1024 * 1024;

/** Requests for a rendition that is being made share it. */
export function createRenditions({ durable, log, make = createProcesses() }: RenditionsOptions): Renditions {
  const kept = new LRUCache<string, Buffer>({ ...KEPT, sizeCalculation: ({ length }) => length });
  const underWay = new Map<string, Promise<Buffer>>();
  const inBucket: Durable = durable ? durableRenditions(log) : (_key, _of, make) => make();

  return async wanted => {
    const key = keyOf(wanted);
    const known = kept.get(key) ?? underWay.get(key);
    if (known === undefined) return begin(key, wanted);
    wanted.opened.close();
    return known;
  };

  function begin(key: string, wanted: Wanted): Promise<Buffer> {
    const making = whileOpen(wanted.opened, read => {
      const task = taskOf(wanted);
      return inBucket(key, wanted, () => make(task, read));
    });
    underWay.set(key, making);
    return making.then(bytes => {
      kept.set(key, bytes);
      return bytes;
    }).finally(() => underWay.delete(key));
  }
}

/** An object that was not read is closed. */
async function whileOpen<T>(opened: Opened, work: (read: () => ReturnType<Opened['read']>) => Promise<T>): Promise<T> {
  let close: () => void = opened.close;
  try {
    return await work(() => {
      close = () => undefined;
      return opened.read();
    });
  } finally {
    close();
  }
}

function taskOf({ opened: { info: { contentType, size } }, options }: Wanted): Task {
  const loader = loaderOf(contentType);
  if (loader === undefined) throw unreadable(`Files of the type ${contentType} are not transformed.`);
  if (size === 0) throw unreadable('The file is empty.');
  if (size > LARGEST) throw unreadable(`Files of more than ${LARGEST} bytes are not transformed.`);
  return { loader, size, options };
}

function keyOf({ source, place: { bucket, key }, opened: { info }, options }: Wanted): string {
  const { width, height, quality, format, fit } = options;
  const parts = [source, bucket, key, info.version, width, height, quality, format, fit];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
