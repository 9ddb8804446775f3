/** Who makes a request. */
export type Caller = {
  uid: string;
  roles: string[];
  /** `anonymous` is a request without a sign-in; a signed-in guest is a `user`. */
  kind: 'user' | 'service' | 'anonymous';
  /** The JSON text that `service.enter` takes. Built once a token: a request only passes it on. */
  claims: string;
  /** Milliseconds since the epoch. The caller is refused from this moment on. */
  expiresAt: number;
};

/** No sign-in. A uid of its own, because a null uid means that nobody entered and matches no policy. */
export const anonymousCaller: Caller = {
  uid: 'anonymous',
  roles: ['anon'],
  kind: 'anonymous',
  claims: claimsText('anonymous', ['anon'], false, {}),
  expiresAt: Infinity,
};

/** The service key. It passes row security through the policies' admin arm, never around it. */
export const serviceCaller: Caller = {
  uid: 'service',
  roles: ['admin'],
  kind: 'service',
  claims: claimsText('service', ['admin'], false, {}),
  expiresAt: Infinity,
};

/** What the server knows stands last, so that a token's own claim of that name cannot replace it. */
export function claimsText(uid: string, roles: string[], isAnonymous: boolean, custom: Record<string, unknown>): string {
  const jwt = { ...custom, sub: uid, roles, is_anonymous: isAnonymous };
  return JSON.stringify({ uid, roles: roles.join(','), isAnonymous, jwt });
}
