/** Resumable uploads by `tus-js-client`, which a project installs that imports this: `@rowgate/client/uploads`. */
import { DetailedError, Upload, type UploadOptions } from 'tus-js-client';
import { RowgateError } from './error.ts';
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
  const given = Object.entries({ ...place, key: addressable(key, /^$|\p{Cs}/u), contentType });
  const metadata = Object.fromEntries(given.filter((entry): entry is [string, string] => Boolean(entry[1])));
  signal?.throwIfAborted();
  let stop = (): void => undefined;
  await new Promise<unknown>((resolve, reject) => {
    let token: string | null | undefined;
    let isRefused: boolean | undefined;
    let isRenewed: boolean | undefined;
    const upload = new Upload(file as Blob, {
      // A Blob has no name and no time: another one of its size would go on where it broke off, as one file of two halves.
      storeFingerprintForResuming: !(file instanceof Blob) || 'name' in file,
      retryDelays: [0, 1_000, 3_000, 5_000], removeFingerprintOnSuccess: true, ...tus,
      endpoint: `${connection.base}/storage/tus`, headers: { ...connection.headers }, metadata,
      async onBeforeRequest(request) {
        // A session says whether it is still that person's; a function is asked anew, as an upload may outlive its token.
        token = await connection.token(connection.refused && token);
        if (token) request.setHeader('authorization', `Bearer ${token}`);
      },
      async onAfterResponse(_, response) {
        const wasRefused = isRefused;
        isRefused = response.getStatus() === 401;
        isRenewed = isRefused && !wasRefused && !!await connection.refused?.(token ?? '', { status: 401, code: 'UNAUTHORIZED' });
      },
      onShouldRetry({ originalResponse, causingError }) {
        const status = originalResponse?.getStatus() ?? (causingError as Partial<RowgateError> | null)?.status ?? 0;
        return isRenewed || status < 400 || status >= 500 || status === 409 || status === 429;
      },
      onProgress: onProgress ?? null, onSuccess: resolve, onError: reject,
    });
    stop = () => {
      void upload.abort();
      reject(signal?.reason as Error);
    };
    signal?.addEventListener('abort', stop);
    // The platform finds an upload by its file, which may have gone elsewhere.
    upload.findPreviousUploads().then(earlier => {
      const same = earlier.find(({ metadata: its }) => Object.keys({ ...metadata, ...its }).every(name => metadata[name] === its[name]));
      if (same) upload.resumeFromPreviousUpload(same);
      // It would start although it was aborted.
      if (!signal?.aborted) upload.start();
    }).catch(reject);
  }).catch(refusal).finally(() => signal?.removeEventListener('abort', stop));
}

/** Rejects with what the session says, or the answer; without one that is a refusal, with NETWORK. */
function refusal(cause: Error): Promise<never> {
  if (!(cause instanceof DetailedError)) throw cause;
  const { causingError, originalResponse: response } = cause;
  if (causingError instanceof RowgateError) throw causingError;
  const status = response?.getStatus() ?? 0;
  const headers = { 'content-type': response?.getHeader('content-type') ?? '' };
  const answer = async (): Promise<Response> =>
    status < 400 ? Promise.reject(cause) : new Response(response?.getBody(), { status, headers });
  return exchange({ exact: false, fetch: answer }, '', {});
}
