import { ApiError } from '../../error.ts';
import { privateReply } from '../../http/private-reply.ts';
import type { Call, Reply } from '../../http/route.ts';
import type { Listed } from '../../blobs/store.ts';
import { allow, callerOf, queryOf } from './asked.ts';
import { bucketName, canonicalKey, RESERVED } from './keys.ts';
import type { StorageOptions } from './options.ts';
import { bucketOf } from './sources.ts';

/** Entries of one page; more would not fit one page of a remote bucket. */
const MOST = 1000;

/** One level of folders and files. */
export async function listFiles(call: Call, options: StorageOptions): Promise<Reply> {
  const { sources } = options;
  const query = queryOf(call);
  const caller = await callerOf(call, options);
  const source = sources.resolve(query.get('storageId') ?? undefined);
  const name = bucketName(query.get('bucket') ?? undefined);
  const bucket = bucketOf(source, name, sources);
  const prefix = canonicalKey(query.get('prefix') ?? query.get('path') ?? '');
  const limit = limitOf(query.get('maxResults') ?? '');
  await allow(options, caller, source, { operation: 'list', key: prefix, ...(name !== undefined && { bucket: name }) });
  const folder = prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`;
  const { keys, prefixes, next } = await page(source.store.list(bucket, folder, limit, query.get('pageToken') || undefined));
  return privateReply({
    data: {
      items: keys.map(key => entry(bucket, key)),
      prefixes: prefixes.map(prefix => entry(bucket, prefix.replace(/\/$/, ''))).filter(({ fullPath }) => fullPath !== RESERVED),
      ...(next !== undefined && { nextPageToken: next }),
    },
  });
}

function entry(bucket: string, fullPath: string) {
  return { bucket, fullPath, name: fullPath.slice(fullPath.lastIndexOf('/') + 1), parent: null, root: null };
}

function limitOf(text: string): number {
  if (text === '') return MOST;
  if (!/^\d+$/.test(text) || Number(text) < 1) throw invalidList('maxResults must be a whole number, 1 or more.');
  return Math.min(Number(text), MOST);
}

async function page(listed: Promise<Listed>): Promise<Listed> {
  try {
    return await listed;
  } catch (error) {
    if (error instanceof RangeError) throw invalidList('pageToken must be the nextPageToken of a page of the same list.');
    throw error;
  }
}

function invalidList(message: string): ApiError {
  return new ApiError(400, 'INVALID_LIST_OPTIONS', message);
}
