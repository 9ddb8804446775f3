import { ApiError } from '../../../error.ts';
import { flag, optional, readBody } from '../../../http/fields.ts';
import { privateReply } from '../../../http/private-reply.ts';
import type { Call, Reply, Route } from '../../../http/route.ts';
import { newApiKey } from '../../../identity/api-keys.ts';
import type { Caller } from '../../../identity/caller.ts';
import type { AdminScope } from '../../../config/scopes.ts';
import type { RequireScope } from '../../context.ts';
import { futureMoment, keyName, moment, permissionList, rateLimit, roleList, scopeList, scopesOf } from './fields.ts';
import { validateScopes, requireWithin, type Targets } from './validate-scopes.ts';
import type { AccountQuery } from '../../../identity/accounts.ts';
import type { Permissions } from '../../../identity/permissions.ts';

type KeysOptions = {
  ask: AccountQuery;
  permissions: Permissions;
  /** Resolves once every process of this start has dropped the key from its cache. */
  revoked: (uid: string) => Promise<void>;
  /** The targets that keys can be narrowed to. */
  targets: () => Targets;
};

/** service_private.api_key_json */
type Key = { id: string; scopes: string[]; roles: string[] };

/** Keys for services, which see what row security and their scopes let them. */
export function keysRoutes(requireScope: RequireScope, { ask, permissions, revoked, targets }: KeysOptions): Route[] {
  const admit = (call: Call) => manager(call, 'keys:write');
  return [
    { method: 'GET', path: '/admin/api-keys', handle: list },
    { method: 'POST', path: '/admin/api-keys', admit, handle: create },
    { method: 'GET', path: '/admin/api-keys/:id', handle: show },
    { method: 'PUT', path: '/admin/api-keys/:id', admit, handle: update },
    { method: 'DELETE', path: '/admin/api-keys/:id', handle: revoke },
  ];

  async function list(call: Call): Promise<Reply> {
    const { uid } = await manager(call, 'keys:read');
    const [row] = await ask(uid, sql => sql<{ keys: Key[] }[]>`select service_private.list_api_keys() as keys`);
    return privateReply({ keys: row?.keys });
  }

  async function create(call: Call): Promise<Reply> {
    const by = await manager(call, 'keys:write');
    const sent = readBody(asScopes(call.json()), { name: keyName, scopes: scopeList, roles: optional(roleList),
      rate_limit: optional(rateLimit), expires_at: optional(futureMoment) });
    const { name, scopes, roles = [], rate_limit: limit = null, expires_at: expires = null } = sent;
    validateScopes(scopes, permissions.scopes, targets());
    requireWithin({ scopes, roles }, by, permissions);
    const { key, hash, prefix } = newApiKey();
    const made = await keyOf(by.uid, sql => sql<{ key: Key }[]>`
      select service_private.create_api_key(${name}, ${hash}, ${prefix}, array(select jsonb_array_elements_text(${sql.json(scopes)})),
        ${by.uid},
        array(select jsonb_array_elements_text(${sql.json(roles)})), ${limit}, ${expires}::timestamptz) as key`);
    return privateReply({ key: { ...made, key } }, { status: 201 });
  }

  async function show(call: Call): Promise<Reply> {
    const { uid } = await manager(call, 'keys:read');
    return privateReply({ key: await found(uid, call) });
  }

  async function update(call: Call): Promise<Reply> {
    const by = await manager(call, 'keys:write');
    const was = await found(by.uid, call);
    const changes = readBody(asScopes(call.json()), { name: optional(keyName), scopes: optional(scopeList), roles: optional(roleList),
      rate_limit: optional(rateLimit), expires_at: optional(moment) });
    if (changes.scopes !== undefined) validateScopes(changes.scopes, permissions.scopes, targets());
    requireWithin({ scopes: changes.scopes ?? was.scopes, roles: changes.roles ?? was.roles }, by, permissions);
    const key = await keyOf(by.uid, sql => sql<{ key: Key }[]>`
      select service_private.update_api_key(${was.id}, ${JSON.stringify(changes)}::text::jsonb) as key`);
    await revoked(`api-key:${was.id}`);
    return privateReply({ key });
  }

  async function revoke(call: Call): Promise<Reply> {
    const { uid } = await manager(call, 'keys:write');
    const { id } = await found(uid, call);
    await ask(uid, sql => sql`select service_private.revoke_api_key(${id})`);
    await revoked(`api-key:${id}`);
    return privateReply({ success: true });
  }

  function found(uid: string, { params: { id = '' } }: Call): Promise<Key> {
    return keyOf(uid, sql => sql<{ key: Key }[]>`select service_private.api_key(${id}) as key`);
  }

  /** A key that could make keys could outlive itself. */
  async function manager(call: Call, scope: AdminScope): Promise<Caller> {
    return requireScope(call, scope).catch((error: unknown) => {
      const isOfKey = error instanceof ApiError && error.code === 'API_KEY_FORBIDDEN';
      throw isOfKey ? new ApiError(403, 'API_KEY_SELF_MANAGEMENT_FORBIDDEN', 'No API key manages API keys.') : error;
    });
  }

  async function keyOf(who: string, statement: Parameters<typeof ask<{ key: Key }[]>>[1]): Promise<Key> {
    const [row] = await ask(who, statement);
    if (row === undefined) throw new Error('No API key was returned.');
    return row.key;
  }
}

/** A body of before there were scopes, as one of now. */
function asScopes(body: Record<string, unknown>): Record<string, unknown> {
  if (body['scopes'] !== undefined || (body['permissions'] === undefined && body['admin'] === undefined)) return body;
  const { permissions = [], admin = false } = readBody(body, { permissions: optional(permissionList), admin: optional(flag) });
  const { roles = [] } = readBody(body, { roles: optional(roleList) });
  return { ...body, scopes: scopesOf(permissions, admin), ...(admin && { roles: [...roles, 'admin'] }) };
}
