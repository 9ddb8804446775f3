/** Second factors: an authenticator app, and recovery codes. */
import type { Options } from '../request.ts';
import type { SessionHolder } from './session.ts';

export interface Factor {
  id: string;
  factorType: string;
  friendlyName: string | null;
  verified: boolean;
  createdAt: string;
}
/** `uri` is shown as a QR code. The secret and the recovery codes are told this once. */
export interface EnrolledFactor {
  factor: Pick<Factor, 'id' | 'factorType' | 'friendlyName'>;
  totp: { secret: string; uri: string };
  recoveryCodes: string[];
}

/** POST /auth/mfa/enroll. Signing in asks for the factor once `verifyFactor` has had a code of it. */
export function enrollFactor(
  { call }: SessionHolder, body: { friendlyName?: string; issuer?: string } = {}, options?: Options,
): Promise<EnrolledFactor> {
  return call({ method: 'POST', path: ['mfa', 'enroll'], body }, options);
}

/** POST /auth/mfa/verify */
export function verifyFactor({ call }: SessionHolder, body: { factorId: string; code: string }, options?: Options): Promise<void> {
  return call({ method: 'POST', path: ['mfa', 'verify'], body }, options);
}

/** GET /auth/mfa/factors */
export async function listFactors({ call }: SessionHolder, options?: Options): Promise<Factor[]> {
  return (await call<{ factors: Factor[] }>({ method: 'GET', path: ['mfa', 'factors'] }, options)).factors;
}

/** DELETE /auth/mfa/unenroll, in a session of two factors. */
export function removeFactor({ call }: SessionHolder, body: { factorId: string }, options?: Options): Promise<void> {
  return call({ method: 'DELETE', path: ['mfa', 'unenroll'], body }, options);
}
