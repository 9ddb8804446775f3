import { ApiError } from '../../error.ts';
import type { Call, Reply } from '../../http/route.ts';
import type { Opened, Place, Span, Store } from '../../blobs/store.ts';
import { isImage } from '../../images/kinds.ts';
import { renditionOptions, type RenditionOptions } from '../../images/options.ts';
import { queryOf } from './asked.ts';
import { fileHeaders, isUnchanged, rangeHolds } from './file-headers.ts';
import { keyOfPath } from './keys.ts';
import type { StorageOptions } from './options.ts';
import { spanOf } from './range.ts';
import { mayRead } from './reading.ts';
import { readRendition } from './rendition.ts';
import { shownType } from './shown-type.ts';

/** Opened, where its bytes are asked for too. */
type Found = Pick<Opened, 'info' | 'close'> & Partial<Opened>;

/** The bytes of a file. */
export async function readFile(call: Call, options: StorageOptions): Promise<Reply> {
  const key = keyOfPath(call.params['*'] ?? '');
  const reading = await mayRead(call, key, options);
  const { source: { store }, isPublic } = reading;
  const wanted = call.query === '' ? undefined : renditionOptions(queryOf(call));
  const place = { bucket: store.bucket, key };
  const opened = key === '' ? undefined : await openedFor(call, store, place, wanted);
  if (opened === undefined) throw noFile();
  if (wanted && isImage(opened.info.contentType) && isOpen(opened)) {
    return readRendition(call, reading, { place, opened, options: wanted }, options);
  }
  try {
    return await answer(call, opened, isPublic);
  } catch (error) {
    opened.close();
    throw error;
  }
}

async function answer(call: Call, opened: Found, isPublic: boolean): Promise<Reply> {
  const { info } = opened;
  const { type, headers: more } = shownType(info.contentType);
  const headers = { ...fileHeaders(info, isPublic), ...more };
  if (isUnchanged(call, info)) return bare(opened, { status: 304, headers });
  const range = call.header('range');
  const span = range === '' || !rangeHolds(call, info) ? undefined : spanOf(range, info.size);
  if (span === 'none') return bare(opened, { status: 416, headers: { ...headers, 'Content-Range': `bytes */${info.size}` } });
  const partial = span && { status: 206, headers: { ...headers, 'Content-Range': `bytes ${span.start}-${span.end}/${info.size}` } };
  const length = span ? span.end - span.start + 1 : info.size;
  return { status: 200, headers, ...partial, type, isFile: true, body: await bodyOf(opened, length, span) };
}

function bare({ close }: Found, reply: Reply): Reply {
  close();
  return { ...reply, isFile: true };
}

/** A HEAD reads nothing, unless a rendition has to be made to be known. */
async function openedFor({ method }: Call, store: Store, place: Place, wanted: RenditionOptions | undefined): Promise<Found | undefined> {
  if (method !== 'HEAD') return store.open(place);
  const info = await store.info(place);
  if (info && wanted && isImage(info.contentType)) return store.open(place);
  return info && { info, close: () => undefined };
}

function isOpen(found: Found): found is Opened {
  return found.read !== undefined;
}

async function bodyOf({ read }: Found, length: number, span: Span | undefined): Promise<NonNullable<Reply['body']>> {
  const source = await read?.(span);
  if (source instanceof Uint8Array) return source;
  return { length, ...(source && { source }), ...(source?.recycle && { recycle: source.recycle }) };
}

export function noFile(): ApiError {
  return new ApiError(404, 'NOT_FOUND', 'There is no file of this key.');
}
