/** Files, each function with the request that it is. */
import { run } from './callback.ts';
import { addressable, mapped, parametersOf } from './parameters.ts';
import { addressOf, lost, send, type Connected, type Options, type Request } from './request.ts';
import { fetchAnswer } from './response.ts';
import type { RowsClient } from './rows.ts';
import type { AnySchema, At, CollectionOf, Slug } from './schema.ts';

/** Where a file lies beside its key; the default places without. */
export interface FilePlace {
  storageId?: string;
  bucket?: string;
}
/** A rendition of a stored picture. */
export interface Picture {
  /** 1 to 4096 pixels. */
  width?: number;
  height?: number;
  /** 1 to 100. */
  quality?: number;
  format?: 'webp' | 'avif' | 'jpeg' | 'png';
  fit?: 'cover' | 'contain' | 'fill' | 'inside' | 'outside';
}
type Source = Pick<FilePlace, 'storageId'>;

export interface StoredFile {
  key: string;
  bucket: string;
  storageUrl: string;
}
export interface FileMetadata {
  bucket: string;
  fullPath: string;
  name: string;
  size: number;
  contentType: string;
  customMetadata: Record<string, unknown>;
  lastModified: string;
  /** Reads the file for so many seconds, without another credential. A public file has none. */
  token?: string;
  tokenExpiresIn?: number;
  public?: true;
}
export interface FileEntry {
  bucket: string;
  fullPath: string;
  name: string;
}
export interface FileList {
  items: FileEntry[];
  /** Folders. */
  prefixes: FileEntry[];
  nextPageToken?: string;
}

/** The limits of a property of a collection, which a file for it obeys. */
export interface FileProperty<S extends AnySchema, N> {
  collection?: N;
  /** Its name, or the path to it: `gallery.image`. */
  property?: (At<CollectionOf<S, N>, 'files'> & string) | `${string}.${string}`;
}
export interface UploadOptions<S extends AnySchema, N> extends Options, FilePlace, FileProperty<S, N> {
  /** Texts that stay with the file. */
  metadata?: Record<string, string>;
  /**
   * Told how many bytes have been sent, and how many there are. Where the platform has no XMLHttpRequest, as Node and service workers, it
   * is told once, at the end: `fetch` does not say how far it is.
   */
  onProgress?: (sent: number, total: number) => void;
}

/**
 * `POST /storage/upload`: stores a file, in the place of another one with its key. Sent again after a lost connection, as a whole:
 * `resumableUpload` of `@rowgate/client/uploads` goes on where it broke off.
 */
export async function uploadFile<S extends AnySchema, const N extends Slug<S> = never>(
  { connection }: RowsClient<S>, key: string, file: Blob, options: UploadOptions<S, N> = {},
): Promise<StoredFile> {
  const { metadata = {}, onProgress, bucket, storageId, collection, property, ...rest } = options;
  const form = new FormData();
  // Before the file: one that is refused is refused before it comes then.
  const place: Record<string, string | undefined> = { bucket, storageId, collection, property };
  for (const [name, value] of Object.entries(place)) if (value) form.set(name, value);
  // A form changes the ends of lines.
  form.set('key', addressable(key, /^$|(^|\/)\.(\/|$)|[\r\n]|\p{Cs}/u));
  const texts = mapped(metadata, text => addressable(text, /[\r\n]|\p{Cs}/u)) as typeof metadata;
  for (const [name, value] of Object.entries(texts)) form.set(`metadata_${name}`, value);
  form.set('file', file, (file as Partial<File>).name ?? key.slice(key.lastIndexOf('/') + 1));
  const Watched = onProgress && typeof XMLHttpRequest === 'function' ? XMLHttpRequest : undefined;
  const posting: typeof fetch = (url, init) => {
    const sent = { ...init, body: form } as PostInit;
    return Watched ? post(new Watched(), url as string, sent, bytes => { onProgress?.(Math.min(bytes, file.size), file.size); })
      : connection.fetch(url, sent);
  };
  const answer = await send<{ data: StoredFile } | undefined>({ ...connection, fetch: posting },
    { method: 'POST', area: 'storage', path: ['upload'] }, rest);
  if (!answer) lost('not JSON', 'The answer has no file.', 204, {});
  if (!Watched) void run(() => onProgress?.(file.size, file.size), undefined);
  return answer.data;
}

/** The part of an XMLHttpRequest that this file needs. Servers compile the file too, and have none. */
interface Watchable {
  readonly status: number;
  readonly responseText: string;
  readonly upload: { onprogress?: (event: { loaded: number }) => void };
  onload?: () => void;
  onerror?: () => void;
  onabort?: () => void;
  onloadend?: () => void;
  open(method: string, url: string): void;
  setRequestHeader(name: string, value: string): void;
  getAllResponseHeaders(): string;
  send(body: FormData): void;
  abort(): void;
}
declare const XMLHttpRequest: (new () => Watchable) | undefined;
type PostInit = { headers: Record<string, string>; signal: AbortSignal; body: FormData };

/** As fetch does it, but that it says how far it is. */
function post(
  request: Watchable, url: string, { headers, signal, body }: PostInit, onProgress: (sent: number) => void,
): Promise<Response> {
  const answered = new Promise<void>((resolve, reject) => {
    signal.throwIfAborted(); // it may have ended before there was a request
    request.open('POST', url);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded }) => { onProgress(loaded); };
    request.onload = () => { resolve(); };
    request.onerror = request.onabort = () => { reject(new TypeError('The connection was lost.')); };
    const stop = (): void => { request.abort(); };
    signal.addEventListener('abort', stop);
    request.onloadend = () => { signal.removeEventListener('abort', stop); };
    request.send(body);
  });
  // After its event: nothing that is thrown there would end the promise.
  return answered.then(() => {
    const headers = [...request.getAllResponseHeaders().matchAll(/^([^:\r\n]+):(.*)$/gm)].map(([, name = '', value = '']) => [name, value]);
    return new Response(request.responseText || null, { status: request.status, headers: headers as [string, string][] });
  });
}

/** The address of a file: of one that everybody may read, or with the `token` of its metadata. `width` and others ask for a rendition. */
export function fileUrl({ connection }: Connected, key: string, { token, ...query }: Picture & Source & { token?: string } = {}): string {
  return connection.base + addressOf({ ...at('file', key), query: parametersOf({ ...query, token }) });
}

/** `GET /storage/file/…`: the answer with the bytes, which are not read yet. */
export async function fetchFile(
  { connection }: Connected, key: string, query: Picture & Source = {}, options?: Options,
): Promise<Response> {
  return fetchAnswer(connection, { ...at('file', key), query: parametersOf({ ...query }) }, options);
}

/** `GET /storage/metadata/…`: with a token that reads the file. */
export async function fileMetadata(db: Connected, key: string, source?: Source, options?: Options): Promise<FileMetadata> {
  return (await ask<{ data: FileMetadata }>(db, { method: 'GET', ...at('metadata', key) }, source, options)).data;
}

/** `GET /storage/list`: one level below a folder. */
export async function listFiles(
  db: Connected, query?: FilePlace & { prefix?: string; maxResults?: number; pageToken?: string }, options?: Options,
): Promise<FileList> {
  return (await ask<{ data: FileList }>(db, { method: 'GET', area: 'storage', path: ['list'] }, query, options)).data;
}

/** `DELETE /storage/file/…`: a file that is not there counts as removed. */
export async function removeFile(db: Connected, key: string, source?: Source, options?: Options): Promise<void> {
  await ask(db, { method: 'DELETE', ...at('file', key) }, source, options);
}

/** `POST /storage/folder`: a folder that stays though it is empty. */
export async function createFolder(db: Connected, path: string, place: FilePlace = {}, options?: Options): Promise<void> {
  await ask(db, { method: 'POST', area: 'storage', path: ['folder'], body: { ...place, path } }, {}, options);
}

/** All of them may be sent again. */
function ask<Answer>({ connection }: Connected, request: Request, query: object = {}, options?: Options): Promise<Answer> {
  return send<Answer>(connection, { ...request, query: parametersOf({ ...query }) }, options);
}

/** A first segment `default` would be taken for the bucket. The slash at the end of a folder stays with its name. */
function at(route: string, key: string): Pick<Request, 'area' | 'path'> {
  const segments = (/^\/*default\//i.test(key) ? `default/${key}` : key).match(/[^/]+(\/+$)?/g) ?? [''];
  return { area: 'storage', path: [route, ...segments] };
}
