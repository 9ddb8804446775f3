import { ApiError } from '../../../error.ts';
import { type Caller } from '../../../identity/caller.ts';
import { type Resumable, type Upload } from '../../../blobs/resumable.ts';
import { type Gate } from '../gate.ts';
import { nameOf, type Source } from '../sources.ts';
import { type Hold } from './holders.ts';
import { type UploadRow } from './uploads.ts';

export type FinishOptions = { sources: { served: readonly Source[] }; gate: Pick<Gate, 'tell'> };

/**
 * Makes the file of an upload that is held and whole, and tells of it.
 * @throws ApiError 502 STORAGE_WRITE_FAILED: it may be tried again; 503 STORAGE_NOT_CONFIGURED.
 */
export async function finish(by: Caller, row: UploadRow, hold: Hold, upload: Upload, { sources, gate }: FinishOptions): Promise<void> {
  const source = sourceOf(row, sources);
  if (source === undefined) {
    await hold.release(upload);
    throw sourceGone();
  }
  await complete(upload, hold, source.store.uploads);
  const { key, bucket, length: size, contentType, creator: user } = row;
  await gate.tell(by, { event: 'finalize', key, bucket: nameOf(source, bucket), storageId: source.key, size, contentType, user });
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
