import { covers, scopeTable, type AdminScope, type DataScope, type ScopeEntry } from '../config/scopes.ts';
import type { SharedSettingsFile } from '../config/settings-file/type.ts';
import { ApiError } from '../error.ts';
import { scopesOf, type Caller } from './caller.ts';

type RoleEntry = { id: string; name: string; description?: string; scopes: string[]; assignable?: true; builtIn: boolean };

/**
 * How far a caller's management of accounts reaches (service_private.beyond_rank). `roles`: those that it has or that are declared
 * assignable; `scopes`: its own; `declared`: the scopes of each declared role. Null is an admin's rank, which has no bound.
 */
export type Rank = { roles: readonly string[]; scopes: readonly string[]; declared: Record<string, readonly string[]> } | null;

/** Permissions by scopes: keys have their own, people those of their roles. */
export type Permissions = {
  scopes: readonly ScopeEntry[];
  roles: readonly RoleEntry[];
  held: (caller: Powers) => string[];
  /** The gate of admin routes. @throws ApiError 501 without accounts, 401 for visitors, 403 for a caller without the scope. */
  require: (caller: Caller, scope: AdminScope) => Caller;
  rankOf: (caller: Powers) => Rank;
};

type Powers = Pick<Caller, 'kind' | 'roles' | 'key' | 'client'>;

/** The answer of admin routes where there are no accounts. */
export const adminUnavailable = {
  status: 501,
  code: 'ADMIN_SURFACE_UNAVAILABLE' as const,
  message: 'Admin routes need authentication, which is switched off (SERVICE_AUTH).',
};

export function createPermissions({ auth, settingsFile }: { auth: 'on' | 'off'; settingsFile: SharedSettingsFile }): Permissions {
  const table = scopeTable(settingsFile);
  const everything = table.map(({ scope }) => scope);
  const everybodys = table.filter(({ plane }) => plane !== 'admin').map(({ scope }) => scope);
  const roles = Object.entries(settingsFile.auth?.roles ?? {}).map(([id, { name = id, description, scopes = [], assignable }]): RoleEntry =>
    ({ id, name, ...(description !== undefined && { description }), scopes, ...(assignable === true && { assignable }), builtIn: false }));
  const declared = Object.fromEntries(roles.map(({ id, scopes }) => [id, scopes]));
  const assignable = roles.filter(role => role.assignable).map(({ id }) => id);
  return {
    scopes: table,
    roles: [{ id: 'admin', name: 'Admin', scopes: everything, builtIn: true }, ...roles],
    held,
    require,
    rankOf,
  };

  /** The role admin of a key opens rows, not accounts. */
  function rankOf(caller: Powers): Rank {
    if (isAdmin(caller)) return null;
    return { roles: [...caller.roles.filter(role => role !== 'admin'), ...assignable], scopes: held(caller), declared };
  }

  function held(caller: Powers): string[] {
    if (caller.kind === 'anonymous') return [];
    const bound = scopesOf(caller);
    if (bound !== undefined) return [...bound];
    if (isAdmin(caller)) return everything;
    return [...new Set([...everybodys, ...caller.roles.flatMap(role => Object.hasOwn(declared, role) ? declared[role] ?? [] : [])])];
  }

  function require(caller: Caller, scope: AdminScope): Caller {
    if (auth === 'off') throw new ApiError(adminUnavailable.status, adminUnavailable.code, adminUnavailable.message);
    if (caller.kind === 'anonymous') throw new ApiError(401, 'UNAUTHORIZED', 'Sign in to use this route.');
    if (!covers(held(caller), scope)) throw lacking(caller, [scope]);
    return caller;
  }
}

/** Checks the scope of a key or a client for an action that every person may take. @throws ApiError 403 API_KEY_FORBIDDEN, FORBIDDEN. */
export function requireOfKey(caller: Caller, scope: DataScope, target?: string): void {
  requireAllOfKey(caller, scope, [target]);
}

/** The same of several targets: the refusal names each that lacks. */
export function requireAllOfKey(caller: Caller, scope: DataScope, targets: Iterable<string | undefined>): void {
  const bound = scopesOf(caller);
  if (bound === undefined || covers(bound, scope)) return;
  const missing = [...targets].filter(target => !covers(bound, scope, target));
  if (missing.length > 0) throw lacking(caller, missing.map(target => target === undefined ? scope : `${scope}:${target}`));
}

/** A key or a client has the rights of its scopes, not of its roles, which are for row security. */
function isAdmin(caller: Powers): boolean {
  return scopesOf(caller) === undefined && caller.roles.includes('admin');
}

function lacking({ kind, client }: Caller, requiredScopes: string[]): ApiError {
  const [requiredScope = ''] = requiredScopes;
  if (client !== undefined) {
    return new ApiError(403, 'FORBIDDEN', `This client has no scope ${requiredScopes.join(', ')}.`, { requiredScope, requiredScopes });
  }
  if (kind === 'key') return new ApiError(403, 'API_KEY_FORBIDDEN', `This API key has no scope ${requiredScope}.`, { requiredScope });
  return new ApiError(403, 'FORBIDDEN', 'Only admins may use this route, and roles that say so.', { requiredScope });
}

