import { ApiError } from '../../../error.ts';
import type { Incoming } from '../../../http/incoming.ts';
import { giveSlab } from '../../../process/slabs.ts';
import type { Sink } from '../../../blobs/store.ts';
import type { Piece, Resumable, Upload } from '../../../blobs/resumable.ts';
import type { Hold } from './holders.ts';

/**
 * Appends a body to an upload that is held. Every byte that arrived is kept, however it ends: complete, or because the client left, a newer
 * request took the upload over, or more was sent than fits. The upload stays held only when it is complete.
 * @throws ApiError 409 CONFLICT, 413 PAYLOAD_TOO_LARGE, 502 STORAGE_WRITE_FAILED; ClientLeft.
 */
export async function append(incoming: Incoming, hold: Hold, store: Resumable): Promise<Upload> {
  const { signal } = hold;
  const cut = () => { incoming.cut(); };
  let kept = hold.upload;
  let failure: unknown;
  try {
    const piece = await pieceOf(store, kept, async upload => {
      await hold.keep(upload);
      kept = upload;
    });
    signal.addEventListener('abort', cut);
    if (signal.aborted) cut();
    failure = await writeAll(incoming, piece, kept.length - kept.offset).catch((error: unknown) => error);
    kept = await piece.end();
  } catch (error) {
    await hold.release(kept);
    throw signal.aborted ? signal.reason as Error : error;
  } finally {
    signal.removeEventListener('abort', cut);
  }
  if (kept.offset === kept.length) {
    await hold.keep(kept);
    return kept;
  }
  await hold.release(kept);
  if (failure !== undefined) throw failure as Error;
  return kept;
}

type Saved = (upload: Upload) => Promise<void>;

/** An upload that is whole takes no bytes. */
function pieceOf(store: Resumable, upload: Upload, saved: Saved): Promise<Omit<Piece, 'drop'>> {
  if (upload.offset < upload.length) return store.append(upload, saved);
  return Promise.resolve({ write: () => Promise.resolve(), end: () => Promise.resolve(upload) });
}

async function writeAll(incoming: Incoming, sink: Sink, room: number): Promise<void> {
  let left = room;
  for await (const bytes of incoming) {
    if (bytes.length > left) throw tooLong();
    left -= bytes.length;
    await sink.write(bytes);
    giveSlab(bytes);
  }
}

export function tooLong(): ApiError {
  return new ApiError(413, 'PAYLOAD_TOO_LARGE', 'This is more than the upload was said to have.');
}
