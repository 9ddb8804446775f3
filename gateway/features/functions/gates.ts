import { covers, findScope } from '../../config/scopes.ts';
import { ApiError } from '../../error.ts';
import type { Call } from '../../http/route.ts';
import { anonymousCaller, type Caller } from '../../identity/caller.ts';
import { requireOfKey } from '../../identity/permissions.ts';
import type { Context } from '../context.ts';

/** The functions that are served, by name, and how many are not. */
export type Served = { names: () => readonly string[]; skipped: () => number };

/** The needs of a function: `public` needs no sign-in, where one is required; one of the roles, the scope. */
export type Needs = { public?: boolean; roles?: readonly string[]; scope?: string };

export type Gates = {
  /** The caller, whom a function may let in without a sign-in. @throws ApiError 401 for a credential that is not valid. */
  caller: (call: Call) => Caller | Promise<Caller>;
  /** Before it is looked for. @throws ApiError 403 API_KEY_FORBIDDEN, 429 RATE_LIMITED. */
  admit: (call: Call, caller: Caller, name: string) => Promise<void>;
  /** @throws ApiError 401 UNAUTHORIZED, 403 FORBIDDEN or API_KEY_FORBIDDEN. */
  require: (call: Call, caller: Caller, needs: Needs) => Promise<void>;
  /** The error of a name, method or path that no function answers: callers who have signed in are told which there are. */
  notFound: (name: string, caller: Caller, message?: string) => ApiError;
};

type Own = Pick<Context, 'callerOf' | 'limits' | 'permissions'>;

export function createGates({ callerOf, limits, permissions }: Own, { names, skipped }: Served): Gates {
  return {
    caller: call => call.header('authorization') === '' ? anonymousCaller : callerOf(call),
    async admit(call, caller, name) {
      requireOfKey(caller, 'functions:invoke', name);
      await limits.data(call, caller);
    },
    require: requireAll,
    notFound,
  };

  async function requireAll(call: Call, caller: Caller, { public: isPublic = false, roles, scope }: Needs): Promise<void> {
    if (roles === undefined && scope === undefined) {
      if (!isPublic && caller.kind === 'anonymous') await callerOf(call); // the gate of data
      return;
    }
    if (caller.kind === 'anonymous') throw new ApiError(401, 'UNAUTHORIZED', 'Sign in to call this function.');
    if (roles?.some(role => caller.roles.includes(role)) === false && !caller.roles.includes('admin')) {
      throw refused(caller, `one of the roles ${roles.join(', ')}`, { requiredRoles: roles });
    }
    if (scope === undefined) return;
    const { entry, target } = findScope(permissions.scopes, scope) ?? {};
    if (entry === undefined || !covers(permissions.held(caller), entry.scope, target)) {
      throw refused(caller, `the scope ${scope}`, { requiredScope: scope });
    }
  }

  function notFound(name: string, caller: Caller, message = `There is no function ${name}.`): ApiError {
    const details = { function: name, ...(knows(caller) && { functions: names().toSorted(), skipped: skipped() }) };
    return new ApiError(404, 'FUNCTION_NOT_FOUND', message, details);
  }
}

/** A key that may call one function is not told of others. */
function knows({ kind, key }: Caller): boolean {
  return kind === 'key' ? key?.scopes.includes('functions:invoke') === true : kind !== 'anonymous';
}

function refused({ kind }: Caller, needed: string, details: Record<string, unknown>): ApiError {
  const [code, who] = kind === 'key' ? ['API_KEY_FORBIDDEN', 'An API key'] as const : ['FORBIDDEN', 'A caller'] as const;
  return new ApiError(403, code, `${who} of this function needs ${needed}.`, details);
}
