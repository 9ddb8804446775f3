/** Resumable uploads by `tus-js-client`, which a project installs that imports this: `@rowgate/client/uploads`. */
import { DetailedError, Upload, type UploadOptions } from 'tus-js-client';
import type { FilePlace, FileProperty } from './files.ts';
import { addressable } from './parameters.ts';
import { exchange } from './request.ts';
import type { RowsClient } from './rows.ts';
import type { AnySchema, Slug } from './schema.ts';

export interface ResumableOptions<S extends AnySchema, N> extends FilePlace, FileProperty<S, N> {
  /** Its MIME type; that of the Blob without. */
  contentType?: string;
  onProgress?: (sent: number, total: number) => void;
  /** Pauses the upload: the same call goes on with it, where the platform keeps its address. */
  signal?: AbortSignal;
  /** More for tus-js-client: `chunkSize`, `retryDelays`, `urlStorage` in Node, `uploadSize` of a stream. */
  tus?: UploadOptions;
}

/**
 * `/storage/tus`: stores a file in pieces, and goes on where it broke off: after a lost connection by itself, after a reload when it is
 * called with the same file and key again. The file: a Blob in browsers; in Node a Buffer, or a stream with `chunkSize` and `uploadSize`.
 * @throws RowgateError
 */
export async function resumableUpload<S extends AnySchema, const N extends Slug<S> = never>(
  { connection }: RowsClient<S>, key: string, file: Blob | Uint8Array | Pick<ReadableStreamDefaultReader, 'read'>,
  options: ResumableOptions<S, N> = {},
): Promise<void> {
  const { onProgress, signal, tus, contentType = (file as Partial<Blob>).type, ...place } = options;
  const entries = Object.entries({ ...place, key: addressable(key, /^$|\p{Cs}/u), contentType })
    .filter((entry): entry is [string, string] => Boolean(entry[1]));
  signal?.throwIfAborted();
  let stop = (): void => undefined;
  await new Promise<void>((resolve, reject) => {
    let token: string | null | undefined;
    let [isRefused, isRenewed] = [false, false];
    const upload = new Upload(file as Blob, {
      // A Blob has no name and no time: another one of its size would go on where it broke off, as one file of two halves.
      storeFingerprintForResuming: !(file instanceof Blob) || 'name' in file,
      retryDelays: [0, 1_000, 3_000, 5_000], removeFingerprintOnSuccess: true, ...tus,
      endpoint: `${connection.base}/storage/tus`, headers: { ...connection.headers }, metadata: Object.fromEntries(entries),
      async onBeforeRequest(request) {
        token = await connection.token();
        if (token) request.setHeader('authorization', `Bearer ${token}`);
      },
      async onAfterResponse(_, response) {
        const wasRefused = isRefused;
        isRefused = response.getStatus() === 401;
        isRenewed = isRefused && !wasRefused && await connection.refused?.(token ?? '', { status: 401, code: 'UNAUTHORIZED' }) === true;
      },
      onShouldRetry({ originalResponse }) {
        const status = originalResponse?.getStatus() ?? 0;
        return isRenewed || status < 400 || status >= 500 || status === 409 || status === 429;
      },
      onProgress: onProgress ?? null,
      onSuccess: () => { resolve(); },
      onError: reject,
    });
    stop = () => {
      void upload.abort();
      reject(signal?.reason as Error);
    };
    signal?.addEventListener('abort', stop);
    void begin(upload, entries, signal).catch(reject);
  }).catch((error: unknown) => error instanceof DetailedError ? refusal(error) : Promise.reject(error as Error))
    .finally(() => signal?.removeEventListener('abort', stop));
}

/** The platform finds an upload by its file, which may have gone elsewhere. */
async function begin(upload: Upload, entries: [string, string][], signal?: AbortSignal): Promise<void> {
  const earlier = await upload.findPreviousUploads();
  const same = earlier.find(({ metadata }) => entries.every(([name, value]) => metadata[name] === value));
  if (same) upload.resumeFromPreviousUpload(same);
  // It would start although it was aborted.
  if (!signal?.aborted) upload.start();
}

/** Rejects with what the answer says; without one that is a refusal, with NETWORK. */
function refusal(cause: DetailedError): Promise<never> {
  const { originalResponse: response } = cause;
  const status = response?.getStatus() ?? 0;
  const headers = { 'content-type': response?.getHeader('content-type') ?? '' };
  return exchange({
    exact: false,
    fetch: () => status < 400 ? Promise.reject(cause) : Promise.resolve(new Response(response?.getBody(), { status, headers })),
  }, '', {});
}
