import { requireCollections } from '../../catalog/require-collections.ts';
import { retryOnConflict } from '../../database/retry-on-conflict.ts';
import type { Statement } from '../../database/lane.ts';
import { ApiError } from '../../error.ts';
import { requireNames } from '../../grammar/path.ts';
import type { Call, Reply } from '../../http/route.ts';
import { scopesOf } from '../../identity/caller.ts';
import { newWork } from '../../http/work.ts';
import { announceAccounts } from './announce-accounts.ts';
import { rateLimitKey } from '../../limits/rate-limit-key.ts';
import { requireWritingAt } from '../../catalog/key-scopes.ts';
import { explained } from './explained.ts';
import type { DataOptions } from './options.ts';
import { withSuggestion } from '../../catalog/unknown-name.ts';
import { writeRefusal } from './write-refusal.ts';

const REVERT: Statement = {
  text: 'select service_private.revert_row(array[$1, $2, $3, $4, $5], $6::jsonb) as body', prepare: true, enterFirst: false,
};

/** Makes a row what an entry of its history says. It takes no body, and what its headers would change of a write does not matter here. */
export async function revert(call: Call, options: DataOptions): Promise<Reply> {
  requireCollections(options.catalog.current.document);
  const caller = await options.caller(call);
  await options.counted(call, caller);
  const { slug = '', id = '', historyId = '' } = call.params;
  const path = [slug, id];
  requireNames([...path, historyId]);
  if (scopesOf(caller) !== undefined) requireWritingAt(caller, 'update', [slug], options.catalog.current.document);
  if (call.query !== '') throw new ApiError(400, 'INVALID_PARAM', 'A revert takes no parameters.', { query: call.query });
  const parameters = [...caller.claims, JSON.stringify({ path, entry: historyId })];
  try {
    const work = call.work = newWork();
    work.shape = asUpdate(path).shape;
    const client = { key: rateLimitKey(call, caller), spent: work };
    const [body] = await retryOnConflict(() => options.lanes.write.run(REVERT, parameters, client));
    await announceAccounts(asUpdate(path), options);
    return { status: 200, ...(body && { body }) };
  } catch (error) {
    const asked = { slug, roles: caller.roles, document: options.catalog.current.document };
    const refused = withSuggestion(await writeRefusal(error, asUpdate(path), options), asked);
    throw await explained(refused, asUpdate(path), call, caller, options);
  }
}

/** Reported as an update with an empty body, so that no field of the client is blamed: the values are the database's own. */
function asUpdate(path: string[]) {
  const [collection = ''] = path;
  return { shape: { op: 'update', collection } as const, path, text: JSON.stringify({ op: 'update', path, body: {} }), of: 'row' as const };
}
