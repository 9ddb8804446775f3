import { randomUUID } from 'node:crypto';
import type { SentHead } from '../call.ts';
import { jsonOf, queryOf, type Ask, type Asking, type Values, type WithBytes } from './request.ts';

/** The bytes of a file. */
export type FileBody = string | Uint8Array | ArrayBuffer | Blob | ReadableStream<Uint8Array>;
export type UploadOptions = {
  /** By default the type of a Blob, text/plain of a text, else application/octet-stream. */
  contentType?: string;
  metadata?: Record<string, string>;
  storageId?: string; bucket?: string;
  /** The storage property that the file is for. */
  collection?: string; property?: string;
};
export type Uploaded = { data: { key: string; bucket: string; storageUrl: string } };
export type StorageEntry = { bucket: string; fullPath: string; name: string };
export type FileMetadata = StorageEntry & {
  size: number; contentType: string; customMetadata?: Record<string, string>; lastModified: string;
  /** It reads the file for so many seconds, as `?token=` of its URL. A public file needs none. */
  token?: string; tokenExpiresIn?: number; public?: true;
};

/** Files, by the code of the routes below /storage: the same answers and codes, as the service. Bytes go in pieces, either way. */
export type StorageClient = {
  upload: (key: string, body: FileBody, options?: UploadOptions) => Promise<Uploaded>;
  /**
   * A Response with the bytes and the headers of a download, which a function may return as it is. The query has `storageId`, or asks
   * for another size of an image; the headers may ask for a range. @throws ApiError 404 NOT_FOUND.
   */
  download: (key: string, query?: Values, headers?: Record<string, string>) => Promise<Response>;
  /** A missing file counts as deleted. */
  delete: (key: string, query?: Values) => Promise<{ message: string }>;
  /** @throws ApiError 404 NOT_FOUND. */
  metadata: (key: string, query?: Values) => Promise<{ data: FileMetadata }>;
  /** One level; by `prefix`, `maxResults`, `pageToken`, `storageId`, `bucket`. */
  list: (query?: Values) => Promise<{ data: { items: StorageEntry[]; prefixes: StorageEntry[]; nextPageToken?: string } }>;
  createFolder: (path: string, options?: { storageId?: string; bucket?: string }) => Promise<{ message: string }>;
  sources: () => Promise<{ data: { key: string; engine: string; transport: string; label?: string }[] }>;
};

export function storageClient(ask: Ask): StorageClient {
  return {
    upload,
    download: (key, query, headers = {}) => request('GET', ['file', ...key.split('/')], { query, headers }),
    delete: (key, query) => json('DELETE', ['file', ...key.split('/')], { query }),
    metadata: (key, query) => json('GET', ['metadata', ...key.split('/')], { query }),
    list: query => json('GET', ['list'], { query }),
    createFolder: (path, options) => json('POST', ['folder'], { body: jsonOf({ path, ...options }) }),
    sources: () => json('GET', ['sources']),
  };

  function upload(key: string, body: FileBody, { contentType, metadata = {}, ...options }: UploadOptions = {}): Promise<Uploaded> {
    const { headers, body: bytes } = new Response(body as ConstructorParameters<typeof Response>[0]);
    const type = contentType ?? headers.get('content-type') ?? 'application/octet-stream';
    const custom = Object.entries(metadata).map(([name, value]) => [`metadata_${name}`, value]);
    const fields = { ...options, key, ...Object.fromEntries(custom) as Record<string, string> };
    const boundary = randomUUID();
    const sent = { 'content-type': `multipart/form-data; boundary=${boundary}` };
    return json('POST', ['upload'], { headers: sent }, formOf(boundary, fields, type, bytes));
  }

  type Rest = { query?: Values | undefined; headers?: Record<string, string>; body?: string };

  async function json<T>(method: string, path: string[], rest?: Rest, bytes?: AsyncIterable<Uint8Array>): Promise<T> {
    const response = await request(method, path, rest, bytes);
    return response.json() as Promise<T>;
  }

  async function request(
    method: string, path: string[], { query = {}, headers = {}, body = '' }: Rest = {}, given?: AsyncIterable<Uint8Array>,
  ): Promise<Response> {
    const names = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
    const asking = { method, path, query: queryOf(query), headers: names, body } satisfies Asking;
    const { result, bytes } = await ask('storage', 0, asking, given) as WithBytes;
    return new Response(bytes && ReadableStream.from(bytes), result as SentHead);
  }
}

/** A form with its fields before its file (RFC 7578). */
async function* formOf(
  boundary: string, fields: Record<string, string | undefined>, type: string, bytes: AsyncIterable<Uint8Array> | null,
): AsyncGenerator<Uint8Array> {
  const given = Object.entries(fields).filter((field): field is [string, string] => field[1] !== undefined);
  const begin = (name: string) => `--${boundary}\r\nContent-Disposition: form-data; name="${inHeader(name)}"`;
  const parts = given.map(([name, value]) => `${begin(name)}\r\n\r\n${value}\r\n`);
  const file = inHeader(fields['key']?.split('/').at(-1) ?? '');
  const head = `${begin('file')}; filename="${file}"\r\nContent-Type: ${type.replace(/[\r\n]/g, ' ')}\r\n\r\n`;
  yield Buffer.from(`${parts.join('')}${head}`);
  if (bytes !== null) yield* bytes;
  yield Buffer.from(`\r\n--${boundary}--\r\n`);
}

/** As browsers write a name. */
function inHeader(name: string): string {
  return name.replace(/[\r\n"]/g, encodeURIComponent);
}
