/** The caller of a request. */
export type Caller = {
  uid: string;
  roles: string[];
  /** `anonymous` is a request without a sign-in; a signed-in guest is a `user`. */
  kind: 'user' | 'key' | 'service' | 'anonymous';
  /** The arguments of `service.enter`, $1 to $5 of every statement. Built once a token: a request only passes them on. */
  claims: EnteringValues;
  /** Milliseconds since the epoch. The caller is refused from this moment on. */
  expiresAt: number;
  isGuest: boolean;
  /** The sign-in that its token came from, and with how many factors; a token that the service did not issue names none. */
  session?: { id: string; aal: string };
  /** For an API key: its scopes, and its own limit of requests in 15 minutes, where it has one. */
  key?: { id: string; scopes: readonly string[]; rateLimit: number | null };
  /** The OAuth client that acts for the account, and how far the account lets it. */
  client?: { id: string; scopes: readonly string[] };
};

/** The scopes that bound what a caller may do, whatever its roles are: of an API key, or of a client. Undefined: nothing bounds it. */
export function scopesOf({ key, client }: Pick<Caller, 'key' | 'client'>): readonly string[] | undefined {
  return (key ?? client)?.scopes;
}

export type EnteringValues = readonly [uid: string, roles: string, isAnonymous: string, jwt: string, requestClaims: string];

/** The database role of such a caller in PostgREST and Supabase. An API key is not trusted with everything, as service_role is. */
const POSTGREST_ROLES: Record<Caller['kind'], string> = {
  user: 'authenticated', key: 'authenticated', service: 'service_role', anonymous: 'anon',
};

/** A caller without a sign-in. It has a uid of its own, because a null uid means that no caller has entered, and matches no policy. */
export const anonymousCaller: Caller = {
  uid: 'anonymous',
  roles: ['anon'],
  kind: 'anonymous',
  claims: enteringValues('anonymous', verifiedClaims('anonymous', ['anon'], false, {})),
  expiresAt: Infinity,
  isGuest: false,
};

/** The service key. It passes row security through the policies' admin arm, never around it. */
export const serviceCaller: Caller = {
  uid: 'service',
  roles: ['admin'],
  kind: 'service',
  claims: enteringValues('service', verifiedClaims('service', ['admin'], false, {})),
  expiresAt: Infinity,
  isGuest: false,
};

/** Whether the two see and may do the same; their credentials may be two. */
export function isSameCaller(one: Caller, other: Caller): boolean {
  return one === other || (
    one.kind === other.kind && isSameList(one.claims, other.claims) && isSameList(scopesOf(one) ?? [], scopesOf(other) ?? [])
  );
}

function isSameList(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((item, i) => item === other[i]);
}

/** The claims of a caller: `service.jwt()`. */
export type VerifiedClaims = { sub: string; roles: string[]; is_anonymous: boolean };

/** The server's own claims come last, so that a token's claim of the same name cannot replace them. */
export function verifiedClaims(uid: string, roles: string[], isAnonymous: boolean, custom: Record<string, unknown>): VerifiedClaims {
  return { ...custom, sub: uid, roles, is_anonymous: isAnonymous };
}

/**
 * The last value is `request.jwt.claims`, as service_private.request_claims makes it: ready, it costs a request nothing. Its `sub` is a
 * person or is not there, since `auth.uid()` of Supabase casts it to uuid.
 */
export function enteringValues(kind: Caller['kind'], claims: VerifiedClaims): EnteringValues {
  const { sub, roles, is_anonymous: isAnonymous, ...custom } = claims;
  const person = kind === 'user' ? { sub } : {};
  const forPostgrest = { ...custom, ...person, role: POSTGREST_ROLES[kind], roles, is_anonymous: isAnonymous };
  return [sub, roles.join(','), String(isAnonymous), JSON.stringify(claims), JSON.stringify(forPostgrest)];
}

/** The claims as functions in SQL take them from DBAs, such as service.access: JSON. */
export function claimsOf({ claims: [uid, roles, isAnonymous, jwt] }: Pick<Caller, 'claims'>): string {
  return `{"uid":${JSON.stringify(uid)},"roles":${JSON.stringify(roles)},"isAnonymous":"${isAnonymous}","jwt":${jwt}}`;
}
