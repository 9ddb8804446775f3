import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Reply } from './route.ts';

export type Encoding = 'br' | 'gzip';

/** Below this the headers outweigh what is saved. */
const smallest = 1024;
const compressible = /^(?:text\/(?!event-stream)|application\/(?:json|javascript|xml|[\w.+-]+\+(?:json|xml))|image\/svg\+xml)/i;

/** Brotli's default of 11 is for files that are packed once; 4 packs tighter than gzip 6 in about the same time. */
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
const brotliAsync = promisify(brotliCompress);
const gzipAsync = promisify(gzip);
const compressors: Record<Encoding, (body: string | Uint8Array) => Promise<Buffer>> = {
  br: body => brotliAsync(body, brotliOptions),
  gzip: body => gzipAsync(body),
};

/** Whether to compress a reply: by size and type, a whole body, not encoded yet, and not forbidden. */
export function isCompressible({ body, type, status, headers = {}, isFile, asIs }: Reply): boolean {
  const isWhole = typeof body === 'string' || body instanceof Uint8Array;
  return isWhole && !isFile && !asIs && body.length > smallest && status !== 206
    && (type === undefined || compressible.test(type))
    && !Object.entries(headers).some(isOwnEncoding);
}

function isOwnEncoding([name, value]: [string, string | readonly string[]]): boolean {
  return /^content-encoding$/i.test(name) || (/^cache-control$/i.test(name) && value.includes('no-transform'));
}

/** The client's best offer (RFC 9110 section 12.5.3), brotli first among equals; undefined for none. */
export function encodingFrom(acceptEncoding: string): Encoding | undefined {
  if (acceptEncoding === '') return undefined;
  const weight = weightsOf(acceptEncoding);
  const best = weight('gzip') > weight('br') ? 'gzip' : 'br';
  return weight(best) > 0 ? best : undefined;
}

/** Whether the client accepts a body that is stored as gzip. */
export function takesGzip(acceptEncoding: string): boolean {
  return weightsOf(acceptEncoding)('gzip') > 0;
}

function weightsOf(acceptEncoding: string): (encoding: Encoding) => number {
  const weights = new Map(acceptEncoding.toLowerCase().split(',').map(weighted));
  return encoding => weights.get(encoding) ?? weights.get('*') ?? 0;
}

function weighted(offer: string): [string, number] {
  const [coding = '', ...parameters] = offer.split(';').map(part => part.trim());
  const q = parameters.find(parameter => parameter.startsWith('q='));
  return [coding, q === undefined ? 1 : Number(q.slice(2)) || 0];
}

/** Packs on zlib's threads: ten megabytes take longer than the event loop may stand still. */
export async function compressed(reply: Reply, encoding: Encoding): Promise<Reply> {
  const body = await compressors[encoding](reply.body as string | Uint8Array);
  return { ...reply, headers: { ...reply.headers, 'Content-Encoding': encoding }, body };
}
