/** The session as it is kept: what the service answered, and when its access token ends by the clock of this machine. */

export interface User {
  uid: string;
  email: string;
  displayName: string | null;
  photoURL: string | null;
  /** How the session began: `password`, `otp`, the name of a provider. `password` after a refresh; `me()` knows. */
  providerId: string;
  isAnonymous: boolean;
  emailVerified: boolean;
  roles: string[];
  metadata: Record<string, unknown>;
  /** The address that is to be confirmed. */
  pendingEmail: string | null;
}

export interface Session {
  readonly user: User;
  readonly accessToken: string;
  /** Milliseconds since 1970 by the clock of this machine, however wrong it goes. */
  readonly expiresAt: number;
}

export interface State extends Session {
  /** Blank where a cookie has it. */
  readonly refreshToken: string;
  /** When the access token was asked for, by the same clock. */
  readonly askedAt: number;
}

/** The body of a sign-in's answer. */
export interface Granted {
  user?: User;
  tokens?: { accessToken: string; refreshToken: string; accessTokenExpiresAt: number };
}

/**
 * The state after an answer. The token's lifetime, which the service states by its own clock at both ends, counts from the moment it was
 * asked for: so the clocks are never compared, and the token ends here before it ends there. Undefined where the answer has no session, or
 * lacks a part of it.
 */
export function stateOf(granted: Granted | undefined, askedAt: number, before?: State): State | undefined {
  const { user, tokens } = granted ?? {};
  const { iat, exp } = claimsOf(tokens?.accessToken ?? '');
  const expiresAt = iat === undefined || exp === undefined ? tokens?.accessTokenExpiresAt : askedAt + (exp - iat) * 1000;
  return readState(JSON.stringify({ ...tokens, user: user ?? before?.user, askedAt, expiresAt }));
}

/** Reads what was kept. Undefined for anything else that stands there. */
export function readState(text: string | null | undefined): State | undefined {
  try {
    const { user, accessToken, refreshToken, askedAt, expiresAt } = JSON.parse(text ?? '') as Partial<State>;
    const isWhole = typeof user?.uid === 'string' && typeof accessToken === 'string' && typeof refreshToken === 'string'
      && typeof askedAt === 'number' && typeof expiresAt === 'number';
    return isWhole ? { user, accessToken, refreshToken, askedAt, expiresAt } : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the token is good for so many milliseconds, or for half of its life where that is shorter. Not where the clock was set back. */
export function lasts({ askedAt, expiresAt }: State, time: number, milliseconds: number): boolean {
  return time >= askedAt && time < expiresAt - Math.min(milliseconds, (expiresAt - askedAt) / 2);
}

/** The claims of an access token, which only the service verifies. */
export function claimsOf(token: string): { iat?: number; exp?: number; uid?: string; sub?: string } {
  try {
    return JSON.parse(atob((token.split('.')[1] ?? '').replace(/-/g, '+').replace(/_/g, '/'))) as object;
  } catch {
    return {};
  }
}
