import { randomBytes } from 'node:crypto';
import { ApiError } from '../error.ts';
import type { AccountQuery } from './accounts.ts';
import { enteringValues, verifiedClaims, type Caller } from './caller.ts';
import { hashOf } from './opaque-token.ts';
import type { Permissions } from './permissions.ts';
import { AccountRefusal } from './token.ts';

export const KEY_PREFIX = 'rk_live_';
/** Characters of a key that are shown. */
const SHOWN = 12;
/** The key that lookups of API keys count against: the owner of one is not known before. */
const ALL_KEYS = 'api keys';
/** Milliseconds. */
const MINUTE = 60_000;

/** service_private.api_key_standing */
export type KeyStanding = {
  id: string; uid: string; scopes: string[]; roles: string[]; rateLimit: number | null; expiresAt?: number | null;
};

type RankOf = Permissions['rankOf'];

export type ApiKeys = {
  /** The caller of a request with this key. @throws ApiError 401 UNAUTHORIZED, 503 ROLE_LOOKUP_FAILED. */
  verify: (key: string) => Promise<Caller>;
  /** Records that the key with this id was used just now. The request does not wait for it. */
  used: (id: string) => void;
};

export function newApiKey(): { key: string; hash: Buffer; prefix: string } {
  const key = KEY_PREFIX + randomBytes(16).toString('hex');
  return { key, hash: hashOf(key), prefix: key.slice(0, SHOWN) };
}

/** `rankOf`: Permissions.rankOf. */
export function createApiKeys(ask: AccountQuery, lookUp: AccountQuery, rankOf: RankOf): ApiKeys {
  const told = new Map<string, number>();
  return { verify, used };

  async function verify(key: string): Promise<Caller> {
    if (!/^[0-9a-f]{32}$/.test(key.slice(KEY_PREFIX.length))) throw new AccountRefusal(401, 'UNAUTHORIZED', 'The API key is not known.');
    const hash = hashOf(key);
    const [row] = await lookUp(ALL_KEYS, sql => sql<{ standing: KeyStanding }[]>`
      select service_private.api_key_standing(${hash}) as standing`);
    if (row === undefined) throw new Error('service_private.api_key_standing() returned nothing.');
    return callerOfKey(row.standing, rankOf);
  }

  function used(id: string): void {
    const now = Date.now();
    if (now - (told.get(id) ?? 0) < MINUTE) return;
    told.set(id, now);
    ask(ALL_KEYS, sql => sql`select service_private.touch_api_key(${id})`).catch(() => told.delete(id));
  }
}

/** Policies see its scopes as a claim. A key that manages accounts also has the claim `rank`, for service_private.require_key_rank. */
export function callerOfKey({ id, uid, scopes, roles: own, rateLimit, expiresAt }: KeyStanding, rankOf: RankOf): Caller {
  const roles = ['service', ...own];
  const key = { id, scopes, rateLimit };
  const managed = scopes.includes('users:write') ? { rank: rankOf({ kind: 'key', roles, key }) } : {};
  return {
    uid, roles, kind: 'key', claims: enteringValues('key', verifiedClaims(uid, roles, false, { scopes, ...managed })),
    expiresAt: expiresAt ?? Infinity, isGuest: false, key,
  };
}

/** The gate of what only people do. @throws ApiError 403 API_KEY_FORBIDDEN. */
export function refuseKey({ kind }: Caller): void {
  if (kind === 'key') throw new ApiError(403, 'API_KEY_FORBIDDEN', 'This is for people: no API key may do it.', { requiredScope: null });
}
