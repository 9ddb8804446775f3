import { randomBytes } from 'node:crypto';
import { ApiError } from '../../../error.ts';
import { object, optional, readBody, text } from '../../../http/fields.ts';
import { switchedOff } from '../../../http/feature-table.ts';
import { privateReply } from '../../../http/private-reply.ts';
import type { Call, Reply, Route } from '../../../http/route.ts';
import { hashOf } from '../../../identity/opaque-token.ts';
import { done } from '../done.ts';
import type { AuthOptions } from '../options.ts';
import { admitAny, requirePerson } from '../person.ts';
import type { Sessions } from '../sessions.ts';
import {
  challengeOf, creationOptions, requestOptions, verifyAssertion, verifyCreation, type Person,
} from './ceremony.ts';
import { relyingParty } from './relying-party.ts';

type Known = { uid: string; public_key: Buffer; counter: string; handle: Buffer };

/** Passkeys: one is both factors, because its authenticator has verified the person. */
export function passkeyRoutes({ ask, config, callerOf, limits, log }: AuthOptions, sessions: Sessions): Route[] {
  const party = relyingParty(config);
  const routes: Route[] = [
    { method: 'POST', path: '/auth/passkeys/login/options', admit: admitAny, handle: signInOptions },
    { method: 'POST', path: '/auth/passkeys/login', admit: admitAny, handle: signIn },
    { method: 'POST', path: '/auth/passkeys/options', admit: person, handle: options },
    { method: 'POST', path: '/auth/passkeys', admit: person, handle: add },
    { method: 'GET', path: '/auth/passkeys', handle: list },
    { method: 'PATCH', path: '/auth/passkeys/:id', admit: person, handle: rename },
    { method: 'DELETE', path: '/auth/passkeys/:id', admit: person, handle: remove },
  ];
  return routes.map(route => ({ ...route, handle: call => limits.perAddress(call, 'strict').then(() => route.handle(call)) }));

  async function person(call: Call): Promise<{ uid: string; sessionId: string | null }> {
    const { uid, session } = await requirePerson(call, callerOf);
    return { uid, sessionId: session?.id ?? null };
  }

  function requireParty() {
    if (party === undefined) throw switchedOff({ feature: 'passkeys', setting: 'WEBAUTHN_RP_ID' });
    return party;
  }

  async function options(call: Call): Promise<Reply> {
    const { uid, sessionId } = await person(call);
    const own = requireParty();
    const challenge = newChallenge();
    const [row] = await ask(uid, sql => sql<{ person: Person }[]>`
      select service_private.begin_passkey(${uid}, ${sessionId}, ${hashOf(textOf(challenge))}) as person`);
    if (row === undefined) throw new Error('service_private.begin_passkey() returned nothing.');
    return privateReply({ options: await creationOptions(own, config.appName, row.person, challenge) });
  }

  async function add(call: Call): Promise<Reply> {
    const { uid, sessionId } = await person(call);
    const own = requireParty();
    const { credential, friendlyName = null } = readBody(call.json(), { credential: object, friendlyName: optional(text(255)) });
    const challenge = await read(() => challengeOf(credential), invalid);
    await ask(uid, sql => sql`select service_private.take_passkey_challenge(${hashOf(challenge)}, ${uid})`);
    const { credential: made, credentialBackedUp } = await read(() => verifyCreation(credential, own, challenge), invalid);
    const { id, publicKey, counter, transports = [] } = made;
    const [row] = await ask(uid, sql => sql<{ passkey: object }[]>`
      select service_private.add_passkey(${uid}, ${sessionId}, ${id}, ${Buffer.from(publicKey)}, ${counter},
        array(select jsonb_array_elements_text(${sql.json(transports.map(String))})), ${credentialBackedUp}, ${friendlyName}) as passkey`);
    return privateReply({ passkey: row?.passkey }, { status: 201 });
  }

  async function list(call: Call): Promise<Reply> {
    const { uid } = await person(call);
    const [row] = await ask(uid, sql => sql<{ passkeys: object }[]>`select service_private.passkeys_of(${uid}) as passkeys`);
    return privateReply({ passkeys: row?.passkeys });
  }

  async function rename(call: Call): Promise<Reply> {
    const { uid, sessionId } = await person(call);
    const { friendlyName } = readBody(call.json(), { friendlyName: text(255) });
    const [row] = await ask(uid, sql => sql<{ passkey: object }[]>`
      select service_private.rename_passkey(${uid}, ${sessionId}, ${call.params['id'] ?? ''}, ${friendlyName}) as passkey`);
    return privateReply({ passkey: row?.passkey });
  }

  async function remove(call: Call): Promise<Reply> {
    const { uid, sessionId } = await person(call);
    await ask(uid, sql => sql`select service_private.remove_passkey(${uid}, ${sessionId}, ${call.params['id'] ?? ''})`);
    return done('The passkey was removed.');
  }

  /** The same for everybody: which accounts have passkeys is not told. */
  async function signInOptions(call: Call): Promise<Reply> {
    const own = requireParty();
    const challenge = newChallenge();
    await ask(call.ip, sql => sql`select service_private.keep_passkey_challenge(${hashOf(textOf(challenge))})`);
    return privateReply({ options: await requestOptions(own, challenge) });
  }

  async function signIn(call: Call): Promise<Reply> {
    const own = requireParty();
    const { credential } = readBody(call.json(), { credential: object });
    const refuse = (reason: unknown) => {
      log.warn({ requestId: call.requestId, reason: (reason as Error).message }, 'A sign-in with a passkey was refused.');
      return refused();
    };
    const challenge = await read(() => challengeOf(credential), refuse);
    await ask(call.ip, sql => sql`select service_private.take_passkey_challenge(${hashOf(challenge)})`);
    const { id = '', response } = credential as { id?: unknown; response?: { userHandle?: unknown } };
    const [known] = await ask(call.ip, sql => sql<Known[]>`
      select uid, public_key, counter, handle from service_private.passkey_for_sign_in(${String(id)})`);
    const verified = await read(() => {
      if (known === undefined) throw new Error('no account has this passkey');
      if (response?.userHandle !== known.handle.toString('base64url')) throw new Error('the user handle is another account\'s');
      return verifyAssertion(credential, own, challenge, {
        id: String(id), publicKey: new Uint8Array(known.public_key), counter: Number(known.counter),
      });
    }, refuse);
    const { newCounter: counter, credentialBackedUp: isBackedUp } = verified;
    return sessions.beginByPasskey(call, { uid: known?.uid ?? '', id: String(id), counter, isBackedUp }, refuse);
  }
}

async function read<T>(work: () => T | Promise<T>, refuse: (reason: unknown) => ApiError): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw refuse(error);
  }
}

function invalid(): ApiError {
  return new ApiError(400, 'INVALID_INPUT', 'credential: does not verify as a new passkey of this service.');
}

function refused(): ApiError {
  return new ApiError(401, 'INVALID_CREDENTIALS', 'This passkey does not sign in.');
}

function newChallenge(): Uint8Array<ArrayBuffer> {
  return new Uint8Array(randomBytes(32));
}

function textOf(challenge: Uint8Array): string {
  return Buffer.from(challenge).toString('base64url');
}
