import { ApiError } from '../../error.ts';
import { object, roleNames, textOf, type Field } from '../../http/fields.ts';
import type { AccountQuery } from '../../identity/accounts.ts';
import { callerOfKey, type KeyStanding } from '../../identity/api-keys.ts';
import { anonymousCaller, enteringValues, verifiedClaims, type Caller } from '../../identity/caller.ts';
import type { Identity } from '../../identity/identity.ts';
import type { Permissions } from '../../identity/permissions.ts';
import { unauthorized } from '../../identity/unauthorized.ts';

/** As whom a request is tried. */
export type As = 'visitor' | { uid: string } | { roles: string[] } | { key: string };
/** The caller, and the refusal of its credential, where every request of it is refused. */
export type TriedCaller = { caller: Caller; refusal?: ApiError };
/** @throws ApiError 404 NOT_FOUND for an account or a key that is not there; 403 FORBIDDEN for the role admin, which the asker lacks. */
export type CallerAs = (as: As, asker: Caller) => Promise<TriedCaller>;

const LONGEST = 255;
const NAMES: Record<string, (given: unknown) => As | undefined> = {
  uid: given => named(given, uid => ({ uid })),
  key: given => named(given, key => ({ key })),
  roles(given) {
    const roles = roleNames.read(given);
    return roles && { roles };
  },
};

function named(given: unknown, as: (text: string) => As): As | undefined {
  const text = textOf(given, LONGEST, text => text !== '');
  return text === undefined ? undefined : as(text);
}

export const asField: Field<As> = {
  expected: 'must be "visitor", or an object with one of uid, roles (a list) and key (its id)',
  read(given) {
    if (given === 'visitor') return given;
    const [[name, value] = [''], ...more] = Object.entries(object.read(given) ?? {});
    return more.length === 0 && Object.hasOwn(NAMES, name) ? NAMES[name]?.(value) : undefined;
  },
};

/** The uid of a caller that has roles and no account: a uuid, as the columns of owners often are, and no account's. */
const NO_ACCOUNT = '00000000-0000-0000-0000-000000000000';

type AccountStanding = { uid: string; roles: string[]; isAnonymous: boolean };
type Standing = (AccountStanding | KeyStanding) & { refusal?: string };
type Options = { ask: AccountQuery; identity: Pick<Identity, 'caller'>; permissions: Permissions };

/** Makes callers as credentials do, without one: nothing that is made here lets its bearer in. */
export function createTriedCallers({ ask, identity, permissions: { rankOf } }: Options): CallerAs {
  return async (as, asker) => {
    const tried = await callerOf(as, asker);
    requireReach(tried.caller, asker);
    return tried;
  };

  async function callerOf(as: As, asker: Caller): Promise<TriedCaller> {
    if (as === 'visitor') return visitor();
    if ('roles' in as) return { caller: person({ uid: NO_ACCOUNT, roles: as.roles, isAnonymous: false }) };
    const { uid = null, key = null } = as as { uid?: string; key?: string };
    const [row] = await ask(asker.uid, sql => sql<{ standing: Standing }[]>`
      select service_private.tried_standing(${uid}, ${key}) as standing`);
    if (row === undefined) throw new Error('service_private.tried_standing() returned nothing.');
    const { refusal, ...standing } = row.standing;
    const caller = 'scopes' in standing ? callerOfKey(standing, rankOf) : person(standing);
    return { caller, ...(refusal !== undefined && { refusal: unauthorized(refusal) }) };
  }

  async function visitor(): Promise<TriedCaller> {
    try {
      return { caller: await identity.caller('') };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return { caller: anonymousCaller, refusal: error };
    }
  }
}

/** The claims of its session with one factor, without those of the hook customize_claims. */
function person({ uid, roles, isAnonymous }: AccountStanding): Caller {
  const claims = enteringValues('user', verifiedClaims(uid, roles, isAnonymous, { aal: 'aal1' }));
  return { uid, roles, kind: 'user', claims, expiresAt: Infinity, isGuest: isAnonymous };
}

/** The role admin opens all rows; the scope to see how statements run does not. */
function requireReach({ roles }: Caller, asker: Caller): void {
  if (!roles.includes('admin') || asker.roles.includes('admin')) return;
  throw new ApiError(403, 'FORBIDDEN', 'Only a caller with the role admin tries requests as one with it.');
}
