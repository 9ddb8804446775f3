import { ApiError } from '../../error.ts';
import type { Call } from '../../http/route.ts';
import { anonymousCaller } from '../../identity/caller.ts';
import { bearerOf } from '../../identity/bearer.ts';
import type { Download } from '../../identity/download-tokens.ts';
import { allow, callerOf, queryOf } from './asked.ts';
import { PUBLIC } from './keys.ts';
import type { StorageOptions } from './options.ts';
import { sourceKey, type Source } from './sources.ts';

/** `isPublic`: every client may read it, so shared caches may keep it. */
export type Reading = { source: Source; isPublic: boolean };

/**
 * Whether a file may be read: by a download token, because it is public, or by the rules. Only these ask the database.
 * @throws ApiError 401, 403, and what says that there is no such source.
 */
export async function mayRead(call: Call, key: string, options: StorageOptions): Promise<Reading> {
  const { sources, tokens, gate, counted } = options;
  const query = call.query === '' ? undefined : queryOf(call);
  const storageId = query?.get('storageId') ?? undefined;
  const isForAll = key.startsWith(PUBLIC);
  // With rules, public reading only replaces the sign-in: the rules still decide.
  const isPublic = isForAll || (options.publicRead && !gate.hasRules);
  const token = tokenOf(call, query, options);
  if (token !== undefined) {
    const download = await tokens.read(token);
    await counted(call, anonymousCaller);
    if (download.storageId !== sourceKey(storageId)) throw forbidden('The download token is for another storage source.');
    const source = sources.resolve(storageId);
    requirePath(download, `${source.store.bucket}/${key}`);
    return { source, isPublic };
  }
  const caller = await callerOf(call, options);
  const source = sources.resolve(storageId);
  if (!isForAll) await allow(options, caller, source, { operation: 'read', key });
  return { source, isPublic };
}

/** A bearer has priority over the query, which may contain nothing but a download token. */
function tokenOf(call: Call, query: URLSearchParams | undefined, { tokens }: StorageOptions): string | undefined {
  const authorization = call.header('authorization');
  if (authorization === '') return query?.get('token') ?? undefined;
  const bearer = bearerOf(authorization);
  return bearer !== undefined && tokens.isOne(bearer) ? bearer : undefined;
}

/** The path of the token itself, or what lies below it as a folder. */
function requirePath({ path, exact }: Download, wanted: string): void {
  if (path === wanted) return;
  if (!exact && wanted.startsWith(path.endsWith('/') ? path : `${path}/`)) return;
  throw forbidden('The download token is for another path.');
}

function forbidden(message: string): ApiError {
  return new ApiError(403, 'FORBIDDEN', message);
}
