/** Passkeys, by `@simplewebauthn/browser`, which a project installs that imports this: `@rowgate/client/passkeys`. */
import { startAuthentication, startRegistration } from '@simplewebauthn/browser';
import type { SessionHolder } from './session.ts';
import type { Session } from './state.ts';

export interface Passkey {
  id: string;
  friendlyName: string | null;
  createdAt: string;
  lastUsedAt: string | null;
  backedUp: boolean;
}
interface Options<Start extends (asked: { optionsJSON: never }) => unknown> {
  options: Parameters<Start>[0]['optionsJSON'];
}

/** POST /auth/passkeys/login/options, then /auth/passkeys/login. A passkey is both factors. */
export async function signInWithPasskey({ call, enter }: SessionHolder): Promise<Session> {
  const { options } = await call<Options<typeof startAuthentication>>('POST', '/auth/passkeys/login/options', {});
  return await enter('/auth/passkeys/login', { credential: await startAuthentication({ optionsJSON: options }) }) as Session;
}

/** POST /auth/passkeys/options, then /auth/passkeys: adds one to the account that is signed in. */
export async function addPasskey({ call }: SessionHolder, { friendlyName }: { friendlyName?: string } = {}): Promise<Passkey> {
  const { options } = await call<Options<typeof startRegistration>>('POST', '/auth/passkeys/options', {});
  const credential = await startRegistration({ optionsJSON: options });
  return (await call<{ passkey: Passkey }>('POST', '/auth/passkeys', { credential, friendlyName })).passkey;
}

/** GET /auth/passkeys */
export async function listPasskeys({ call }: SessionHolder): Promise<Passkey[]> {
  return (await call<{ passkeys: Passkey[] }>('GET', '/auth/passkeys')).passkeys;
}

/** PATCH /auth/passkeys/:id */
export async function renamePasskey({ call }: SessionHolder, id: string, friendlyName: string): Promise<Passkey> {
  return (await call<{ passkey: Passkey }>('PATCH', `/auth/passkeys/${encodeURIComponent(id)}`, { friendlyName })).passkey;
}

/** DELETE /auth/passkeys/:id */
export function removePasskey({ call }: SessionHolder, id: string): Promise<void> {
  return call('DELETE', `/auth/passkeys/${encodeURIComponent(id)}`);
}
