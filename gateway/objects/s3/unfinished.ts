import { randomUUID } from 'node:crypto';
import { type Bucket } from './bucket.ts';
import { allOf } from './reading.ts';

/**
 * What belongs to uploads that are not finished lies below this, a folder each: bytes that are too few for a part, and notes of the
 * uploads in parts that were begun, which nothing else in a bucket tells from those of others.
 */
export const UNFINISHED = '_service/uploads/';

/** Older than any upload may be that somebody is still busy with, in milliseconds. */
export const ABANDONED = 48 * 3_600_000;

const NOTE = 'multipart-';
type Note = { key: string; uploadId: string };

export function folderOf(id: string): string {
  return `${UNFINISHED}${id}/`;
}

/** @returns the key of the note. */
export async function noteUpload(bucket: Bucket, id: string, note: Note): Promise<string> {
  const key = `${folderOf(id)}${NOTE}${randomUUID()}`;
  await bucket.put(key, Buffer.from(JSON.stringify(note)), { ContentType: 'application/json' });
  return key;
}

/** Aborts uploads that were noted and removes what lies there. */
export async function discardFolder(bucket: Bucket, id: string): Promise<void> {
  for (const { key } of await listed(bucket, folderOf(id))) await discardObject(bucket, key);
}

/** Discards uploads of which nothing has changed since `before`. */
export async function discardAbandoned(bucket: Bucket, before: Date): Promise<void> {
  const folders = Map.groupBy(await listed(bucket, UNFINISHED), ({ key }) => key.slice(0, key.indexOf('/', UNFINISHED.length) + 1));
  for (const [folder, objects] of folders) {
    if (folder.length <= UNFINISHED.length || objects.some(({ modified }) => modified >= before)) continue;
    for (const { key } of objects) await discardObject(bucket, key);
  }
}

/** The note goes last: what fails is found again. */
async function discardObject(bucket: Bucket, key: string): Promise<void> {
  const note = key.includes(`/${NOTE}`) ? await readNote(bucket, key) : undefined;
  if (note) await bucket.abort(note.key, note.uploadId);
  await bucket.remove(key);
}

async function readNote(bucket: Bucket, key: string): Promise<Note | undefined> {
  if (await bucket.head(key) === undefined) return undefined;
  const { key: of, uploadId } = JSON.parse((await allOf(await bucket.get(key))).toString()) as Partial<Note>;
  return of === undefined || uploadId === undefined ? undefined : { key: of, uploadId };
}

async function listed(bucket: Bucket, prefix: string): Promise<{ key: string; modified: Date }[]> {
  const found: { key: string; modified: Date }[] = [];
  let token: string | undefined;
  do {
    const page = await bucket.list({ Prefix: prefix, ...(token !== undefined && { ContinuationToken: token }) });
    for (const { Key, LastModified } of page.Contents ?? []) found.push({ key: Key ?? '', modified: LastModified ?? new Date() });
    token = page.NextContinuationToken;
  } while (token !== undefined);
  return found;
}
