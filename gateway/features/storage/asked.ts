import type { Call } from '../../http/route.ts';
import type { Caller } from '../../identity/caller.ts';
import { requireOfKey } from '../../identity/permissions.ts';
import type { Bound, FileRequest, Gate } from './gate.ts';
import type { StorageOptions } from './options.ts';
import type { Source } from './sources.ts';

const SCOPES = {
  read: 'storage:read', list: 'storage:read', write: 'storage:write', delete: 'storage:delete',
} as const satisfies Record<FileRequest['operation'], string>;

/** Returns the caller, after counting the request for its rate limit. */
export async function callerOf(call: Call, options: Pick<StorageOptions, 'anyCaller' | 'counted'>): Promise<Caller> {
  const caller = await options.anyCaller(call);
  await options.counted(call, caller);
  return caller;
}

/** @throws ApiError 401, 403 and what else says that the caller may not. */
export function allow(
  { gate }: { gate: Pick<Gate, 'allow'> }, caller: Caller, source: Source, request: Omit<FileRequest, 'storageId'>,
): Promise<Bound | undefined> {
  requireOfKey(caller, SCOPES[request.operation], source.key);
  return gate.allow(caller, { ...request, storageId: source.key });
}

export function queryOf({ query }: Call): URLSearchParams {
  return new URLSearchParams(query);
}
