import { optional, readBody, text, textOf, token, type Field } from '../../http/fields.ts';
import { privateReply } from '../../http/private-reply.ts';
import type { Call, Reply, Route } from '../../http/route.ts';
import { hashOfRecoveryCode, isRecoveryCode, newRecoveryCodes } from '../../identity/recovery-codes.ts';
import { newTotpSecret, timeStepOf, totpUri } from '../../identity/totp.ts';
import { done } from './done.ts';
import type { AuthOptions } from './options.ts';
import { admitAny, requirePerson } from './person.ts';
import { wrongCode, type Sessions } from './sessions.ts';

const DIGITS = /^\d{6}$/;

const firstCode: Field<string> = {
  expected: 'must be a code of six digits',
  read: given => textOf(given, 6, code => DIGITS.test(code)),
};

const anyCode: Field<string> = {
  expected: 'must be a code of six digits, or a recovery code such as A1B2C-D3E4F',
  read: given => textOf(given, 11, code => DIGITS.test(code) || isRecoveryCode(code)),
};

type Factor = { id: string; sealed_secret: Buffer };
type Enrolled = { factor: object; email: string };

/** Second factors: an authenticator app, and recovery codes for when it is lost. */
export function secondFactorRoutes(options: AuthOptions, sessions: Sessions): Route[] {
  const { ask, callerOf, limits, sealing, mfaTokens, config } = options;
  const routes: Route[] = [
    { method: 'POST', path: '/auth/mfa/enroll', admit: person, handle: enroll },
    { method: 'POST', path: '/auth/mfa/verify', admit: person, handle: verify },
    { method: 'GET', path: '/auth/mfa/factors', handle: list },
    { method: 'DELETE', path: '/auth/mfa/unenroll', admit: person, handle: unenroll },
    { method: 'POST', path: '/auth/mfa/challenge', admit: admitAny, handle: challenge },
    { method: 'POST', path: '/auth/mfa/challenge/verify', admit: admitAny, handle: answer },
  ];
  return routes.map(route => ({ ...route, handle: call => limits.perAddress(call, 'strict').then(() => route.handle(call)) }));

  /** The database receives the session, because it knows with how many factors the session began. */
  async function person(call: Call): Promise<{ uid: string; sessionId: string | null }> {
    const { uid, session } = await requirePerson(call, callerOf);
    return { uid, sessionId: session?.id ?? null };
  }

  /** The account whose second factor is required: that of a session, or of a pending sign-in. */
  async function claimant(call: Call): Promise<string> {
    const pending = await mfaTokens.read(call.header('authorization'));
    if (pending === undefined) return (await person(call)).uid;
    await ask(pending.uid, sql => sql`select service_private.require_pending_sign_in(${pending.uid}, ${pending.tokensValidAfter})`);
    return pending.uid;
  }

  async function enroll(call: Call): Promise<Reply> {
    const { uid, sessionId } = await person(call);
    const body = readBody(call.json(), { friendlyName: optional(text(255)), issuer: optional(text(255)) });
    const { friendlyName = null, issuer = config.appName } = body;
    const [secret, recoveryCodes] = [await newTotpSecret(), newRecoveryCodes()];
    const hashes = recoveryCodes.map(code => hashOfRecoveryCode(code).toString('hex'));
    const [row] = await ask(uid, sql => sql<{ enrolled: Enrolled }[]>`
      select service_private.enroll_factor(${uid}, ${sessionId}, ${friendlyName}, ${sealing.seal(secret, uid)},
        array(select decode(h, 'hex') from jsonb_array_elements_text(${sql.json(hashes)}) h)) as enrolled`);
    if (row === undefined) throw new Error('service_private.enroll_factor() returned nothing.');
    const uri = totpUri(secret, issuer, row.enrolled.email);
    return privateReply({ factor: row.enrolled.factor, totp: { secret, uri, qrUri: uri }, recoveryCodes }, { status: 201 });
  }

  async function verify(call: Call): Promise<Reply> {
    const { uid, sessionId } = await person(call);
    const { factorId, code } = readBody(call.json(), { factorId: token, code: firstCode });
    await limits.perSubject(call, 'mfaVerify', uid);
    const [factor] = await ask(uid, sql => sql<Factor[]>`
      select id, sealed_secret from service_private.unverified_factor(${uid}, ${sessionId}, ${factorId})`);
    const timeStep = await timeStepOfFactor(uid, factor, code);
    if (timeStep === undefined) throw wrongCode();
    await ask(uid, sql => sql`select service_private.verify_factor(${uid}, ${sessionId}, ${factorId}, ${timeStep})`);
    return done('Signing in asks for a code of this factor from now on.');
  }

  async function list(call: Call): Promise<Reply> {
    const { uid } = await person(call);
    const [row] = await ask(uid, sql => sql<{ factors: object }[]>`select service_private.factors_of(${uid}) as factors`);
    return privateReply({ factors: row?.factors });
  }

  async function unenroll(call: Call): Promise<Reply> {
    const { uid, sessionId } = await person(call);
    const { factorId } = readBody(call.json(), { factorId: token });
    await ask(uid, sql => sql`select service_private.remove_factor(${uid}, ${sessionId}, ${factorId})`);
    return done('The factor was removed.');
  }

  async function challenge(call: Call): Promise<Reply> {
    const uid = await claimant(call);
    const { factorId } = readBody(call.json(), { factorId: token });
    const [row] = await ask(uid, sql => sql<{ challenge: object }[]>`
      select service_private.begin_challenge(${uid}, ${factorId}) as challenge`);
    return privateReply(row?.challenge ?? {});
  }

  /** A recovery code needs no key: it helps also where that is lost. */
  async function answer(call: Call): Promise<Reply> {
    const uid = await claimant(call);
    const { challengeId, code } = readBody(call.json(), { challengeId: token, code: anyCode });
    await limits.perSubject(call, 'mfaVerify', uid);
    if (isRecoveryCode(code)) return sessions.beginByCode(call, { uid, challengeId, recoveryCode: hashOfRecoveryCode(code) });
    const [factor] = await ask(uid, sql => sql<Factor[]>`
      select id, sealed_secret from service_private.challenged_factor(${uid}, ${challengeId})`);
    return sessions.beginByCode(call, { uid, challengeId, timeStep: await timeStepOfFactor(uid, factor, code) });
  }

  async function timeStepOfFactor(uid: string, factor: Factor | undefined, code: string): Promise<number | undefined> {
    if (factor === undefined) throw new Error('No factor was returned.');
    const { id, sealed_secret: sealed } = factor;
    const { text: secret, isStale } = sealing.open(sealed, uid);
    if (isStale) await ask(uid, sql => sql`select service_private.reseal_factor(${id}, ${sealed}, ${sealing.seal(secret, uid)})`);
    return timeStepOf(secret, code);
  }
}

