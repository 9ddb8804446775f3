import { buffer } from 'node:stream/consumers';
import type { Logger } from 'pino';
import type { Place, Store } from '../blobs/store.ts';
import type { RenditionOptions } from './options.ts';

/** Where renditions are, and nothing that a client names. */
export const RENDITIONS = '_service/renditions/';

const EXTENSIONS: Record<RenditionOptions['format'], string> = { webp: 'webp', avif: 'avif', jpeg: 'jpg', png: 'png' };

type Kept = { store: Store; place: Place; options: Pick<RenditionOptions, 'format'> };

/** The rendition of this key that the bucket has, or a new one, which is kept there. */
export type Durable = (key: string, of: Kept, make: () => Promise<Buffer>) => Promise<Buffer>;

/** A failing store never costs an answer. */
export function durableRenditions(log: Logger): Durable {
  let isTold = false;

  return async (key, { store, place: { bucket }, options: { format } }, make) => {
    const place = { bucket, key: `${RENDITIONS}${key}.${EXTENSIONS[format]}` };
    const known = await read(store, place).catch(tell);
    if (known !== undefined) return known;
    const made = await make();
    void write(store, place, `image/${format}`, made).catch(tell);
    return made;
  };

  function tell(error: unknown): undefined {
    if (!isTold) log.warn({ err: error }, 'Renditions cannot be stored in their bucket or read from it; logged once.');
    isTold = true;
  }
}

async function read(store: Store, place: Place): Promise<Buffer | undefined> {
  const opened = await store.open(place);
  if (opened === undefined) return undefined;
  const bytes = await opened.read();
  return Buffer.isBuffer(bytes) ? bytes : await buffer(bytes);
}

async function write(store: Store, place: Place, contentType: string, bytes: Buffer): Promise<void> {
  const intake = await store.intake(place, { contentType, custom: {} }, bytes.length);
  await intake.write(bytes);
  await intake.finish();
}
