import { randomUUID } from 'node:crypto';
import type { Bucket } from './bucket.ts';
import { entries, type Entry } from './entries.ts';
import { allOf } from './reading.ts';

/**
 * Unfinished uploads lie below this prefix, a folder each: bytes that are too few for a part, and notes of multipart uploads that were
 * begun. Nothing else in a bucket tells them from those of other programs.
 */
export const UNFINISHED = '_service/uploads/';

/** Milliseconds. No upload that is still in use is older. */
export const ABANDONED = 48 * 3_600_000;

/** Milliseconds from the note of an upload to its beginning, two tries of it included; and what a store's seconds may be off. */
const TO_BEGIN = 60_000;
const ROUNDED = 1_000;

const NOTE = 'multipart-';
/** Without an id the upload was about to begin. */
type Note = { key: string; uploadId?: string };

export function folderOf(id: string): string {
  return `${UNFINISHED}${id}/`;
}

export function noteKey(id: string): string {
  return `${folderOf(id)}${NOTE}${randomUUID()}`;
}

/** Written before an upload begins, and again when its id is known: a process that dies in between leaves a note too. */
export async function noteUpload(bucket: Bucket, key: string, note: Note): Promise<void> {
  await bucket.put(key, Buffer.from(JSON.stringify(note)), { ContentType: 'application/json' });
}

/**
 * Aborts the uploads that were noted and removes what lies in the folder. For an upload without a known id, only its age shows that it is
 * abandoned.
 */
export async function discardFolder(bucket: Bucket, id: string): Promise<void> {
  for (const object of await entries(bucket, folderOf(id))) await discardObject(bucket, object, false);
}

/** Discards uploads of which nothing has changed since `before`. */
export async function discardAbandoned(bucket: Bucket, before: Date): Promise<void> {
  const folders = Map.groupBy(await entries(bucket, UNFINISHED), ({ key }) => key.slice(0, key.indexOf('/', UNFINISHED.length) + 1));
  for (const [folder, objects] of folders) {
    if (folder.length <= UNFINISHED.length || objects.some(({ modified }) => modified >= before)) continue;
    for (const object of objects) await discardObject(bucket, object, true);
  }
}

/** The note is removed last, so that a failure is found again. */
async function discardObject(bucket: Bucket, { key, modified }: Entry, isAbandoned: boolean): Promise<void> {
  const note = key.includes(`/${NOTE}`) ? await readNote(bucket, key) : undefined;
  if (note?.uploadId !== undefined) await bucket.abort(note.key, note.uploadId);
  else if (note && !isAbandoned) return;
  else if (note) await abortBegun(bucket, note.key, modified);
  await bucket.remove(key);
}

/** Others may have begun one of that key too, but not just then, and not be busy with it still. */
async function abortBegun(bucket: Bucket, key: string, noted: Date): Promise<void> {
  for (const { uploadId, since } of await bucket.begun(key)) {
    const after = since.getTime() - noted.getTime();
    if (after >= -ROUNDED && after <= TO_BEGIN) await bucket.abort(key, uploadId);
  }
}

async function readNote(bucket: Bucket, key: string): Promise<Note | undefined> {
  if (await bucket.head(key) === undefined) return undefined;
  const { key: of, uploadId } = JSON.parse((await allOf(await bucket.get(key))).toString()) as Partial<Note>;
  return of === undefined ? undefined : { key: of, ...(uploadId !== undefined && { uploadId }) };
}
