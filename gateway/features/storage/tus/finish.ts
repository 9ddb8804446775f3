import { ApiError } from '../../../error.ts';
import type { Caller } from '../../../identity/caller.ts';
import type { Resumable, Upload } from '../../../blobs/resumable.ts';
import { allow } from '../asked.ts';
import type { FileRequest, Gate } from '../gate.ts';
import { requireType } from '../source-limits.ts';
import { nameOf, type Source } from '../sources.ts';
import { creatorOf } from './creator.ts';
import type { Hold } from './holders.ts';
import { parseMetadata } from './metadata.ts';
import type { UploadRow, Uploads } from './uploads.ts';

export type FinishOptions = {
  sources: { served: readonly Source[] }; gate: Pick<Gate, 'allow' | 'tell'>; uploads: Pick<Uploads, 'creator'>;
  /** The request that finishes it. */
  requestId?: string;
};

/** Statuses that mean that a file may not be stored, now or later. */
const REFUSALS = new Set([400, 401, 403, 413, 415]);

/**
 * Makes the file of an upload that is held and complete, and announces it. The right to write is checked again, for the caller who began
 * it: that may be a day ago. A refused upload is removed, with its bytes.
 * @throws ApiError as a direct upload is refused; 502 STORAGE_WRITE_FAILED: it may be tried again; 503 STORAGE_NOT_CONFIGURED.
 */
export async function finish(by: Caller, row: UploadRow, hold: Hold, upload: Upload, options: FinishOptions): Promise<void> {
  const source = sourceOf(row, options.sources);
  if (source === undefined) {
    await hold.release(upload);
    throw sourceGone();
  }
  await requireRight(by, row, { ...hold, upload }, source, options);
  await complete(upload, hold, source.store.uploads);
  const { key, bucket, length: size, contentType, creator: user } = row;
  const event = { event: 'finalize', key, bucket: nameOf(source, bucket), storageId: source.key, size, contentType, user } as const;
  await options.gate.tell(by, event, options.requestId);
}

async function requireRight(by: Caller, row: UploadRow, hold: Hold, source: Source, options: FinishOptions): Promise<void> {
  let isFinal = false;
  try {
    const { caller, isKnown } = await creatorOf(row, by, options.uploads);
    isFinal = isKnown;
    if (caller === undefined) throw new ApiError(403, 'FORBIDDEN', 'The account that began this upload may not store files any more.');
    requireType(source, row.contentType);
    await allow(options, caller, source, writeOf(row, source));
  } catch (error) {
    if (isFinal && isRefusal(error)) await drop(hold, source);
    else await hold.release(hold.upload);
    throw error;
  }
}

/** The question whether the file of an upload may be written. */
export function writeOf(
  { key, bucket, length, contentType, metadata }: Pick<UploadRow, 'key' | 'bucket' | 'length' | 'contentType' | 'metadata'>, source: Source,
): FileRequest {
  const { filename: fileName = key.slice(key.lastIndexOf('/') + 1), ...named } = parseMetadata(metadata);
  const [collection, property] = [named.collection?.trim(), named.property?.trim()];
  return {
    operation: 'write', key, bucket: nameOf(source, bucket), size: length, contentType, fileName,
    ...(collection && property && { collection, property }),
  };
}

export function isRefusal(error: unknown): error is ApiError {
  return error instanceof ApiError && REFUSALS.has(error.status);
}

/** Removes an upload that is held, with its bytes. */
export async function drop(hold: Hold, source: Source | undefined): Promise<void> {
  try {
    await source?.store.uploads.discard(hold.upload);
  } catch (error) {
    await hold.release(hold.upload);
    throw error;
  }
  await hold.remove();
}

async function complete(upload: Upload, hold: Hold, store: Resumable): Promise<void> {
  try {
    await store.complete(upload);
  } catch (error) {
    await hold.release(upload);
    throw error;
  }
  await hold.finish();
}

/** Undefined when it is not there any more. */
export function sourceOf({ source }: Pick<UploadRow, 'source'>, { served }: FinishOptions['sources']): Source | undefined {
  return served.find(({ key }) => key === source);
}

export function sourceGone(): ApiError {
  return new ApiError(503, 'STORAGE_NOT_CONFIGURED', 'The source that this upload is for is not there any more.');
}
