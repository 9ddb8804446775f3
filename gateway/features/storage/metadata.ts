import { ApiError } from '../../error.ts';
import type { Call, Reply } from '../../http/route.ts';
import { privateReply } from '../../http/private-reply.ts';
import { bearerOf } from '../../identity/bearer.ts';
import { DOWNLOAD_LIFETIME } from '../../identity/download-tokens.ts';
import { allow, callerOf, queryOf } from './asked.ts';
import { noFile } from './file.ts';
import { keyOfPath, PUBLIC } from './keys.ts';
import type { StorageOptions } from './options.ts';

/** Returns the metadata of a file, with a token that reads it for a while. */
export async function readMetadata(call: Call, options: StorageOptions): Promise<Reply> {
  const { sources, tokens } = options;
  if (tokens.isOne(bearerOf(call.header('authorization')) ?? '')) {
    throw new ApiError(403, 'FORBIDDEN', 'A download token reads its file and nothing else.');
  }
  const key = keyOfPath(call.params['*'] ?? '');
  const caller = await callerOf(call, options);
  const source = sources.resolve(queryOf(call).get('storageId') ?? undefined);
  await allow(options, caller, source, { operation: 'read', key });
  const { bucket } = source.store;
  const info = key === '' ? undefined : await source.store.info({ bucket, key });
  if (info === undefined) throw noFile();
  const access = key.startsWith(PUBLIC)
    ? { public: true }
    : { token: await tokens.issue({ storageId: source.key, path: `${bucket}/${key}`, exact: true }), tokenExpiresIn: DOWNLOAD_LIFETIME };
  return privateReply({
    data: {
      bucket,
      fullPath: key,
      name: key.slice(key.lastIndexOf('/') + 1),
      size: info.size,
      contentType: info.contentType,
      customMetadata: info.sidecar ?? info.custom,
      lastModified: info.modified.toISOString(),
      ...access,
    },
  });
}
