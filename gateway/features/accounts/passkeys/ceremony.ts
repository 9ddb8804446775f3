import {
  generateAuthenticationOptions, generateRegistrationOptions, verifyAuthenticationResponse, verifyRegistrationResponse,
  type AuthenticationResponseJSON, type RegistrationResponseJSON, type WebAuthnCredential,
} from '@simplewebauthn/server';
import { decodeClientDataJSON } from '@simplewebauthn/server/helpers';
import type { RelyingParty } from './relying-party.ts';

/** EdDSA, ES256, RS256. */
const ALGORITHMS = [-8, -7, -257];

/** An account that makes a passkey: service_private.begin_passkey. */
export type Person = { email: string; displayName: string | null; handle: string; passkeys: { id: string; transports: string[] }[] };

export function creationOptions({ id }: RelyingParty, name: string, person: Person, challenge: Uint8Array<ArrayBuffer>) {
  return generateRegistrationOptions({
    rpName: name, rpID: id, userName: person.email, userDisplayName: person.displayName ?? '', challenge,
    userID: new Uint8Array(Buffer.from(person.handle, 'hex')), attestationType: 'none', excludeCredentials: person.passkeys,
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' }, supportedAlgorithmIDs: ALGORITHMS,
  });
}

export function requestOptions({ id }: RelyingParty, challenge: Uint8Array<ArrayBuffer>) {
  return generateAuthenticationOptions({ rpID: id, userVerification: 'required', challenge });
}

/** The challenge that was answered. @throws Error for what is no answer of an authenticator. */
export function challengeOf(credential: object): string {
  const { response } = credential as { response?: { clientDataJSON?: unknown } };
  const { challenge } = decodeClientDataJSON(String(response?.clientDataJSON));
  if (typeof challenge !== 'string' || challenge === '') throw new Error('there is no challenge');
  return challenge;
}

/** The new credential. @throws Error with the reason. */
export async function verifyCreation(credential: object, { id, origins }: RelyingParty, expectedChallenge: string) {
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    response: credential as RegistrationResponseJSON, expectedChallenge, expectedOrigin: [...origins], expectedRPID: id,
    requireUserVerification: true, supportedAlgorithmIDs: ALGORITHMS,
  });
  if (!verified) throw new Error('the attestation does not verify');
  return registrationInfo;
}

/** @throws Error with the reason. */
export async function verifyAssertion(
  given: object, { id, origins }: RelyingParty, expectedChallenge: string, credential: WebAuthnCredential,
) {
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: given as AuthenticationResponseJSON, expectedChallenge, expectedOrigin: [...origins], expectedRPID: id, credential,
    requireUserVerification: true,
  });
  if (!verified) throw new Error('the signature does not verify');
  return authenticationInfo;
}
