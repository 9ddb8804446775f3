/** Passkeys, by `@simplewebauthn/browser`, which a project installs that imports this: `@rowgate/client/passkeys`. */
import { startAuthentication, startRegistration } from '@simplewebauthn/browser';
import type { Options } from '../request.ts';
import type { SessionHolder } from './session.ts';
import type { Session } from './state.ts';

export interface Passkey {
  id: string;
  friendlyName: string | null;
  createdAt: string;
  lastUsedAt: string | null;
  backedUp: boolean;
}
interface Asked<Start extends (asked: { optionsJSON: never }) => unknown> {
  options: Parameters<Start>[0]['optionsJSON'];
}

/** POST /auth/passkeys/login/options, then /auth/passkeys/login. A passkey is both factors. */
export async function signInWithPasskey({ call, enter }: SessionHolder): Promise<Session> {
  const request = { method: 'POST', path: ['passkeys', 'login', 'options'], body: {} } as const;
  const { options } = await call<Asked<typeof startAuthentication>>(request);
  const credential = await startAuthentication({ optionsJSON: options });
  return await enter({ path: ['passkeys', 'login'], body: { credential } }) as Session;
}

/** POST /auth/passkeys/options, then /auth/passkeys: adds one to the account that is signed in. */
export async function addPasskey({ call }: SessionHolder, { friendlyName }: { friendlyName?: string } = {}): Promise<Passkey> {
  const { options } = await call<Asked<typeof startRegistration>>({ method: 'POST', path: ['passkeys', 'options'], body: {} });
  const credential = await startRegistration({ optionsJSON: options });
  return (await call<{ passkey: Passkey }>({ method: 'POST', path: ['passkeys'], body: { credential, friendlyName } })).passkey;
}

/** GET /auth/passkeys */
export async function listPasskeys({ call }: SessionHolder, options?: Options): Promise<Passkey[]> {
  return (await call<{ passkeys: Passkey[] }>({ method: 'GET', path: ['passkeys'] }, options)).passkeys;
}

/** PATCH /auth/passkeys/:id */
export async function renamePasskey({ call }: SessionHolder, id: string, friendlyName: string, options?: Options): Promise<Passkey> {
  return (await call<{ passkey: Passkey }>({ method: 'PATCH', path: ['passkeys', id], body: { friendlyName } }, options)).passkey;
}

/** DELETE /auth/passkeys/:id */
export async function removePasskey({ call }: SessionHolder, id: string, options?: Options): Promise<void> {
  await call({ method: 'DELETE', path: ['passkeys', id] }, options);
}
