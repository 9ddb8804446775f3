import { ApiError } from '../../error.ts';
import type { Call, Reply } from '../../http/route.ts';
import type { Opened, Place, Span, Store } from '../../blobs/store.ts';
import { isImage } from '../../images/kinds.ts';
import { renditionOptions, type RenditionOptions } from '../../images/options.ts';
import { queryOf } from './asked.ts';
import { fileHeaders, isUnchanged, rangeHolds } from './file-headers.ts';
import { keyOfPath } from './keys.ts';
import type { StorageOptions } from './options.ts';
import { mayRead } from './reading.ts';
import { readRendition } from './rendition.ts';

const INLINE = /^(?:(?:image|video|audio)\/[\w.+-]+|application\/pdf|text\/plain)$/;
const SVG = 'image/svg+xml';

/** The type that a file is served with: what its uploader claims, as far as a browser may be let do something with it. */
function shownType(claimed: string): { type: string; headers: Record<string, string> } {
  const type = claimed.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (type === SVG) return { type, headers: { 'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox" } };
  if (INLINE.test(type) && !type.includes('svg')) return { type, headers: {} };
  return { type: 'application/octet-stream', headers: { 'Content-Disposition': 'attachment' } };
}

/** Opened, where its bytes are needed too. */
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

/**
 * The part that a Range header asks for: undefined for all, of a header that is malformed, of another unit, or of several parts;
 * 'none' of one that the file does not have.
 */
export function spanOf(header: string, size: number): Span | 'none' | undefined {
  const [, from, to] = /^bytes *= *(\d*) *- *(\d*) *$/i.exec(header) ?? [];
  if (from === undefined || to === undefined || (from === '' && to === '')) return undefined;
  const start = from === '' ? Math.max(0, size - Number(to)) : Number(from);
  const end = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1);
  return start >= size || end < start || (from === '' && Number(to) === 0) ? 'none' : { start, end };
}
