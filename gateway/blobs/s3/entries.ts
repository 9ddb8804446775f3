import { decoded, type Bucket } from './bucket.ts';

/** An object as a list shows it. */
export type Entry = { key: string; size: number; modified: Date };

/** Every object whose key begins so. */
export async function entries(bucket: Bucket, prefix: string): Promise<Entry[]> {
  const found: Entry[] = [];
  let token: string | undefined;
  do {
    const page = await bucket.list({ Prefix: prefix, EncodingType: 'url', ...(token !== undefined && { ContinuationToken: token }) });
    for (const { Key = '', Size = 0, LastModified = new Date() } of page.Contents ?? []) {
      found.push({ key: decoded(Key), size: Size, modified: LastModified });
    }
    token = page.NextContinuationToken;
  } while (token !== undefined);
  return found;
}
