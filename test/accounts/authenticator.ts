/** An authenticator app, and what people do with one. */
import { generateSync } from 'otplib';
import type { Answer } from '../harness/service.ts';
import { PASSWORD, sessionOf, type Accounts, type Session } from './people.ts';

type People = Pick<Accounts, 'post' | 'register' | 'sql'>;
export type Enrolled = { factorId: string; secret: string; recoveryCodes: string[] };

/** The code that it shows now, or so many times 30 seconds from now. */
export function codeOf(secret: string, steps = 0): string {
  return generateSync({ secret, epoch: Math.floor(Date.now() / 1000) + 30 * steps });
}

/** One that is none of those that may be taken now. */
export function wrongCodeOf(secret: string): string {
  const taken = [-2, -1, 0, 1, 2].map(steps => codeOf(secret, steps));
  return ['000000', '000001', '000002', '000003', '000004', '000005'].find(code => !taken.includes(code)) ?? '';
}

/** Codes of now are taken again, as if the last one was long ago. */
export async function laterOn({ sql }: Pick<Accounts, 'sql'>): Promise<void> {
  await sql`update service.mfa_factors set last_time_step = 0`;
}

export async function enroll({ post }: Pick<Accounts, 'post'>, as: string, body: object = {}): Promise<Enrolled> {
  const { status, body: { factor, totp, recoveryCodes }, text } = await post('/auth/mfa/enroll', body, as);
  if (status !== 201) throw new Error(text);
  return { factorId: factor.id, secret: totp.secret, recoveryCodes };
}

/** With a verified factor. */
export async function withSecondFactor(people: People, email: string): Promise<Session & Enrolled> {
  const session = await people.register(email);
  const enrolled = await enroll(people, session.access);
  const { status, text } = await people.post('/auth/mfa/verify', { factorId: enrolled.factorId, code: codeOf(enrolled.secret) },
    session.access);
  if (status !== 200) throw new Error(text);
  await laterOn(people);
  return { ...session, ...enrolled };
}

/** A password is right: the token that goes on with the sign-in. */
export async function pending({ post }: Pick<Accounts, 'post'>, email: string): Promise<string> {
  const { status, body, text } = await post('/auth/login', { email, password: PASSWORD });
  if (status !== 401 || body.error.code !== 'MFA_REQUIRED') throw new Error(text);
  return body.error.details.mfaToken;
}

export async function challenged({ post }: Pick<Accounts, 'post'>, factorId: string, as: string): Promise<string> {
  const { status, body, text } = await post('/auth/mfa/challenge', { factorId }, as);
  if (status !== 200) throw new Error(text);
  return body.challengeId;
}

export async function answerNew(people: Pick<Accounts, 'post'>, factorId: string, code: string, as: string): Promise<Answer> {
  return people.post('/auth/mfa/challenge/verify', { challengeId: await challenged(people, factorId, as), code }, as);
}

/** Signs in with both factors. */
export async function signIn(people: People, email: string, { factorId, secret }: Enrolled): Promise<Session> {
  await laterOn(people);
  return sessionOf(await answerNew(people, factorId, codeOf(secret), await pending(people, email)));
}
