import { ApiError } from '../../error.ts';
import type { Call, Reply } from '../../http/route.ts';
import { allow, callerOf, queryOf } from './asked.ts';
import { bucketName, canonicalKey } from './keys.ts';
import type { StorageOptions } from './options.ts';
import { bucketOf } from './sources.ts';

/** A folder that stays though nothing is in it. */
export async function makeFolder(call: Call, options: StorageOptions): Promise<Reply> {
  const { sources } = options;
  const caller = await callerOf(call, options);
  const { path, bucket: named, storageId } = call.json();
  const source = sources.resolve(textOf(storageId, 'storageId') || (queryOf(call).get('storageId') ?? undefined));
  const name = bucketName(textOf(named, 'bucket'));
  const bucket = bucketOf(source, name, sources);
  const folder = canonicalKey(textOf(path, 'path')?.trim() ?? '').replace(/\/$/, '');
  if (folder === '') throw new ApiError(400, 'BAD_REQUEST', 'path must name a folder.');
  const key = `${folder}/`;
  await allow(options, caller, source, { operation: 'write', key, size: 0, ...(name !== undefined && { bucket: name }) });
  await source.store.folder({ bucket, key });
  return { status: 201, body: JSON.stringify({ message: 'Folder created' }) };
}

function textOf(given: unknown, name: string): string | undefined {
  if (given === undefined || given === null || typeof given === 'string') return given ?? undefined;
  throw new ApiError(400, 'BAD_REQUEST', `${name} must be a text.`);
}
