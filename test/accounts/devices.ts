/** Authenticators, and what people do with their passkeys. */
import { AuthenticatorEmulator, PasskeysCredentialsMemoryRepository, WebAuthnEmulator } from 'nid-webauthn-emulator';
import type { Accounts } from './people.ts';

export const ORIGIN = 'https://app.example.org';

type CreationOptions = Parameters<WebAuthnEmulator['createJSON']>[1];
type RequestOptions = Parameters<WebAuthnEmulator['getJSON']>[1];
export type Credential = ReturnType<WebAuthnEmulator['getJSON']>;
export type Device = WebAuthnEmulator;

/** A device with passkeys of its own. */
export function newDevice(params: ConstructorParameters<typeof AuthenticatorEmulator>[0] = {}): Device {
  return new WebAuthnEmulator(new AuthenticatorEmulator({ credentialsRepository: new PasskeysCredentialsMemoryRepository(), ...params }));
}

/** Requests of a page at ORIGIN. */
export function passkeyActions(post: Accounts['post']) {
  const optionsOf = async (as: string) => (await post('/auth/passkeys/options', {}, as)).body.options as CreationOptions;
  const signInOptions = async () => (await post('/auth/passkeys/login/options')).body.options as RequestOptions;
  return {
    optionsOf, signInOptions,
    enrol: async (as: string, device: Device, { origin = ORIGIN, friendlyName = 'Phone' } = {}) =>
      post('/auth/passkeys', { credential: device.createJSON(origin, await optionsOf(as)), friendlyName }, as),
    signIn: async (device: Device, origin = ORIGIN) =>
      post('/auth/passkeys/login', { credential: device.getJSON(origin, await signInOptions()) }),
    send: (credential: object) => post('/auth/passkeys/login', { credential }),
  };
}
