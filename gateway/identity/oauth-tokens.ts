import { createSecretKey, randomUUID } from 'node:crypto';
import { jwtVerify, SignJWT } from 'jose';
import type { SignIn } from './id-tokens.ts';
import { callerOfClientToken, CLIENT_PURPOSE } from './token-claims.ts';
import { refusal, type QueryStanding, type VerifyToken } from './token.ts';

/** The OAuth server, and what its tokens are for, as RFC 8414 and RFC 9728 name them. */
export type Audience = { issuer: string; resource: string };

/** An account that acts through an OAuth client. scope: separated by blanks; claims: added by the project. */
export type ClientBearer = SignIn & { roles: readonly string[]; familyId: string; aal: string; scope: string; claims: object };

/** Seconds. */
export const CLIENT_TOKEN_LIFETIME = 3600;

/** Where SERVICE_PUBLIC_URL leads to, whatever its path. */
export function audienceOf(publicUrl: string): Audience {
  const { origin } = new URL(publicUrl);
  return { issuer: origin, resource: `${origin}/mcp` };
}

/** Signs access tokens of OAuth clients (RFC 9068). Their purpose makes every other reader of tokens reject them. */
export function createClientTokens(jwtSecret: string, { issuer, resource }: Audience): (bearer: ClientBearer) => Promise<string> {
  const key = createSecretKey(jwtSecret, 'utf8');
  return ({ uid, roles, familyId, aal, clientId, scope, claims }) =>
    new SignJWT({ ...claims, uid, sub: uid, roles, aal, sid: familyId, client_id: clientId, scope, purpose: CLIENT_PURPOSE })
      .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt' }).setIssuer(issuer).setAudience(resource).setJti(randomUUID())
      .setIssuedAt().setExpirationTime(`${CLIENT_TOKEN_LIFETIME}s`).sign(key);
}

/** Verifies them, and asks what their account and family are now. @throws ApiError 401 UNAUTHORIZED, and those of `standing`. */
export function clientTokenVerifier(jwtSecret: string, { issuer, resource }: Audience, standing: QueryStanding): VerifyToken {
  const key = createSecretKey(jwtSecret, 'utf8');
  return async token => {
    const options = { algorithms: ['HS256'], typ: 'at+jwt', issuer, audience: resource, requiredClaims: ['exp', 'iat'], clockTolerance: 0 };
    const { payload } = await jwtVerify(token, key, options).catch((error: unknown) => { throw refusal(error); });
    const { uid, session } = callerOfClientToken(payload);
    return callerOfClientToken(payload, await standing(uid, session?.id, payload.iat ?? 0));
  };
}
