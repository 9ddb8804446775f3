import type { Call, Reply } from '../../http/route.ts';
import { allow, callerOf, queryOf } from './asked.ts';
import { keyOfPath } from './keys.ts';
import type { StorageOptions } from './options.ts';

/** Deletes a file. A missing file counts as deleted. */
export async function deleteFile(call: Call, options: StorageOptions): Promise<Reply> {
  const { sources, gate } = options;
  const key = keyOfPath(call.params['*'] ?? '');
  const caller = key === '' ? await options.caller(call) : await callerOf(call, options);
  const source = sources.resolve(queryOf(call).get('storageId') ?? undefined);
  if (key === '') return told('No file to delete');
  await allow(options, caller, source, { operation: 'delete', key });
  await source.store.remove({ bucket: source.store.bucket, key });
  if (!key.endsWith('/')) await gate.tell(caller, { event: 'delete', key, storageId: source.key }, call.requestId);
  return told('File deleted');
}

function told(message: string): Reply {
  return { body: JSON.stringify({ message }) };
}
