/** Second factors: an authenticator app, and recovery codes. */
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
export function enrollFactor({ call }: SessionHolder, body: { friendlyName?: string; issuer?: string } = {}): Promise<EnrolledFactor> {
  return call('POST', '/auth/mfa/enroll', body);
}

/** POST /auth/mfa/verify */
export function verifyFactor({ call }: SessionHolder, body: { factorId: string; code: string }): Promise<void> {
  return call('POST', '/auth/mfa/verify', body);
}

/** GET /auth/mfa/factors */
export async function listFactors({ call }: SessionHolder): Promise<Factor[]> {
  return (await call<{ factors: Factor[] }>('GET', '/auth/mfa/factors')).factors;
}

/** DELETE /auth/mfa/unenroll, in a session of two factors. */
export function removeFactor({ call }: SessionHolder, body: { factorId: string }): Promise<void> {
  return call('DELETE', '/auth/mfa/unenroll', body);
}
