import type { JWTPayload } from 'jose';
import { enteringValues, verifiedClaims, type Caller } from './caller.ts';
import { unauthorized } from './unauthorized.ts';

/** Identities that only the service itself gives out: a token that could name one would be that caller in every policy. */
const reservedUids = new Set(['service', 'anonymous', 'anon']);
const apiKeyUidPrefix = 'api-key:';

/** Not custom: claims that have a place of their own, and those that describe the token and not its bearer. */
const ownClaims = new Set(['uid', 'isAnonymous', 'sid', 'iat', 'exp', 'nbf', 'jti']);

/** Those of a client's access token that a session's has not. */
const clientTokenClaims = new Set(['purpose', 'iss', 'aud']);

/** A NUL or half a surrogate pair, as JSON.stringify writes them: what a Postgres text cannot hold. */
const unstorable = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/;

/** The current state of a token's account, independent of the token. */
export type Standing = { roles: string[]; isAnonymous: boolean };

/**
 * The caller of a verified token.
 * @throws ApiError 401 UNAUTHORIZED when its claims have no subject, or cannot be passed to PostgreSQL as they are.
 */
export function callerOfToken(payload: JWTPayload, standing?: Standing): Caller {
  if (payload['purpose'] !== undefined) throw unauthorized('This token was issued for another purpose and is not an access token.');
  const uid = uidOf(payload);
  const { roles, isAnonymous } = standing ?? { roles: rolesOf(payload), isAnonymous: isGuest(payload) };
  const claims = verifiedClaims(uid, roles, isAnonymous, customClaims(payload));
  if (unstorable.test(JSON.stringify(claims))) throw unauthorized('The access token carries characters that cannot be stored.');
  const values = enteringValues('user', claims);
  return { uid, roles, kind: 'user', claims: values, expiresAt: expiryOf(payload), isGuest: isAnonymous, ...sessionOf(payload) };
}

/** The purpose of access tokens of OAuth clients. */
export const CLIENT_PURPOSE = 'mcp';

/** The caller of an OAuth client's access token: policies see the claims of a session, with `client_id` and `scope`. @throws as above. */
export function callerOfClientToken(payload: JWTPayload, standing?: Standing): Caller {
  const { purpose, client_id: clientId, scope, sid } = payload;
  if (purpose !== CLIENT_PURPOSE || typeof clientId !== 'string' || typeof scope !== 'string' || typeof sid !== 'string') {
    throw unauthorized('This is no access token of a client.');
  }
  const ofSession: JWTPayload = Object.fromEntries(Object.entries(payload).filter(([name]) => !clientTokenClaims.has(name)));
  return { ...callerOfToken(ofSession, standing), client: { id: clientId, scopes: scope.split(' ') } };
}

function sessionOf({ sid, aal }: JWTPayload): Pick<Caller, 'session'> {
  return typeof sid === 'string' ? { session: { id: sid, aal: aal === 'aal2' ? aal : 'aal1' } } : {};
}

/** `sub` is for tokens of other issuers. It is a fallback for a missing `uid`, not for one that is wrong. */
function uidOf(payload: JWTPayload): string {
  const uid = payload['uid'] === undefined ? payload.sub : payload['uid'];
  if (typeof uid !== 'string' || uid.trim() === '') throw unauthorized('The access token names no user.');
  if (reservedUids.has(uid) || uid.startsWith(apiKeyUidPrefix)) throw unauthorized('The access token names a reserved user.');
  return uid;
}

/** Policies read the roles as a comma list, so a role with a comma would be two, and a blank one none. */
function rolesOf(payload: JWTPayload): string[] {
  const roles = payload['roles'] ?? [];
  if (!Array.isArray(roles) || !roles.every(isRoleName)) throw unauthorized('The roles of the access token are not a list of role names.');
  return roles;
}

function isRoleName(role: unknown): role is string {
  return typeof role === 'string' && role.trim() !== '' && !role.includes(',');
}

/** Anything but a boolean is refused: read as false it would make a guest a registered user. */
function isGuest(payload: JWTPayload): boolean {
  const flag = payload['isAnonymous'] ?? false;
  if (typeof flag !== 'boolean') throw unauthorized('The guest flag of the access token is not a boolean.');
  return flag;
}

function customClaims(payload: JWTPayload): Record<string, unknown> {
  return Object.fromEntries(Object.entries(payload).filter(([name]) => !ownClaims.has(name)));
}

/** A token without an end could never be got rid of, so there is none. */
function expiryOf(payload: JWTPayload): number {
  if (typeof payload.exp !== 'number') throw unauthorized('The access token has no expiry (exp).');
  return payload.exp * 1000;
}
