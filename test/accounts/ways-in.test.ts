// Ways into accounts beside a model in memory, by random requests to two gateways on one database.
import { decodeJwt } from 'jose';
import { test } from 'tap';
import { createDatabase } from '../harness/database.ts';
import { generator, runs, seed } from '../harness/effort.ts';
import type { Answer } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { codeOf, laterOn } from './authenticator.ts';
import { newDevice, ORIGIN, passkeyActions, type Device } from './devices.ts';
import { CLIENT, madeIssuer } from './issuer.ts';
import { code, linked } from './mails.ts';
import { OPEN, refusal, serveAt, sessionOf } from './people.ts';
import { fromAfar } from './post-office.ts';
import { createModel, hasUnproven, Refused, type Account, type Link, type Purpose, type Session, type Told } from './ways-in-model.ts';

type Gateway = Awaited<ReturnType<typeof serveAt>>;
type Post = Gateway['post'];

/** Each has the mail of two addresses, two subjects at each provider, a password, and devices. */
const PEOPLE = ['ada', 'bob', 'eve'];
const PROVIDERS = ['acme', 'other'];
const addressesOf = (person: string) => [`${person}@example.org`, `${person}@home.example`];
const ADDRESSES = PEOPLE.flatMap(addressesOf);
const personOf = (address: string) => PEOPLE.find(person => addressesOf(person).includes(address)) ?? '';
const passwordOf = (person: string) => `Correct-horse-${person}-1`;

const SUBJECTS: Record<Exclude<Purpose, 'otp'>, RegExp> = {
  'verification': /Confirm your email/, 'magic-link': /sign-in link/, 'password-reset': /new password/, 'email-change': /Confirm your new/,
};
const ASKS: Record<'magic-link' | 'otp' | 'password-reset', string> = {
  'magic-link': '/auth/magic-link', 'otp': '/auth/otp', 'password-reset': '/auth/forgot-password',
};

test('ways in are those of the model, whatever happens in which order at which gateway', async t => {
  const { url, sql } = await createDatabase(t, { template: 'served' });
  const issuers = Object.fromEntries(await Promise.all(PROVIDERS.map(async name => [name, await madeIssuer(t)] as const)));
  const env = {
    ...OPEN, ALLOW_ANONYMOUS: 'true', FRONTEND_URL: ORIGIN, TRUSTED_PROXY_HOPS: '1', SERVICE_RATE_LIMIT_STORE: 'sql',
    ...Object.fromEntries(PROVIDERS.flatMap(name => [
      [`SERVICE_OIDC_${name.toUpperCase()}_ISSUER`, issuers[name]?.url ?? ''], [`SERVICE_OIDC_${name.toUpperCase()}_CLIENT_ID`, CLIENT.id],
    ])),
  };
  await sql`select service_private.create_first_admin('admin@example.org', 'hash')`;
  const gateways = [await serveAt(t, url, env), await serveAt(t, url, env)];
  const below = generator(seed);
  const pick = <T>(list: readonly T[]): T | undefined => list[below(list.length)];
  const one = <T>(list: readonly T[]): T => pick(list) as T;
  const maybe = <T>(value: T): T | undefined => below(2) === 0 ? value : undefined;

  const model = createModel();
  const tokens = new Map<Session, { access: string; refresh: string }>();
  const mailed = new Map<Link, string>();
  /** Also of passkeys that are gone. */
  const devices: { id: string; of: string; device: Device }[] = [];
  const done: Record<string, number> = {};
  const wrong: object[] = [];
  const expect = (what: string, found: unknown, expected: unknown) => {
    if (JSON.stringify(found) !== JSON.stringify(expected)) wrong.push({ what, found, expected });
  };
  const count = (name: string) => { done[name] = (done[name] ?? 0) + 1; };

  const access = (session: Session) => tokens.get(session)?.access ?? '';
  /** A session that may be over, or one of this person that is not. */
  const anySession = () => pick([...tokens.keys()].slice(-30));
  const liveOf = (person: string) => pick([...tokens.keys()].filter(({ of, isOver }) => of === person && !isOver));
  const oneSession = () => below(4) === 0 ? anySession() : liveOf(one(PEOPLE));
  /** Mostly one that no account has. */
  const anAddress = () => one([...ADDRESSES.filter(address => below(4) > 0 && model.at(address) === undefined), one(ADDRESSES)]);
  const told = (of: string): Told => {
    const email = one([...addressesOf(of), one(ADDRESSES), null]);
    const vouches = email !== null && personOf(email) === of && below(3) > 0; // an honest provider
    return { provider: one(PROVIDERS), id: `${of}-${1 + below(2)}`, email, vouches };
  };
  const idTokenOf = ({ provider, id, email, vouches }: Told) => issuers[provider]?.idToken({ claims: {
    sub: id, email: email === null ? undefined : below(4) === 0 ? email.toUpperCase() : email,
    email_verified: vouches || one([false, undefined]),
  } });

  /** Compares an answer with the model's; returns that if there is one. */
  function both<T>(what: string, answer: Answer, predict: () => T): T | undefined {
    try {
      const predicted = predict();
      expect(what, answer.status < 300 ? 'done' : refusal(answer), 'done');
      count(what);
      return answer.status < 300 ? predicted : undefined;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      expect(what, refusal(answer), [error.status, error.code]);
      count(`${what}: ${error.code}`);
      return undefined;
    }
  }

  /** Looks at the session of an answer; where a second factor is asked for, its person goes on. */
  async function signedIn(what: string, post: Post, answer: Answer, predict: () => Session | undefined): Promise<void> {
    let waits: Account | undefined;
    const session = both(what, answer, () => {
      try {
        return predict();
      } catch (error) {
        if (error instanceof Refused) waits = error.account;
        throw error;
      }
    });
    if (session !== undefined) keep(session, answer);
    if (waits?.factor === undefined || answer.body.error?.code !== 'MFA_REQUIRED') return;
    const { factor } = waits;
    const { mfaToken, factors } = answer.body.error.details;
    expect('the factors that are asked for', factors.map(({ id }: { id: string }) => id), [factor.id]);
    const challenge = await post('/auth/mfa/challenge', { factorId: factor.id }, mfaToken);
    await laterOn({ sql });
    const sent = { challengeId: challenge.body.challengeId, code: codeOf(factor.secret) };
    const entered = await post('/auth/mfa/challenge/verify', sent, mfaToken);
    const through = both('enter a code', entered, () => model.enterCode(waits as Account, factor.of));
    if (through !== undefined) keep(through, entered);
  }

  function keep(session: Session, answer: Answer): void {
    const { account, method, aal } = session;
    const { uid, email, emailVerified, isAnonymous, providerId } = answer.body.user;
    if (account.uid === '') account.uid = uid;
    if (account.isGuest) account.email = email;
    expect(`a session by ${method}`, [uid, email, emailVerified, isAnonymous, providerId, decodeJwt(answer.body.tokens.accessToken)['aal']],
      [account.uid, account.email, account.isVerified, account.isGuest, method, aal]);
    tokens.set(session, sessionOf(answer));
  }

  async function mail(gateway: Gateway, purpose: Purpose, account: Account, more: { to?: string; session?: Session } = {}): Promise<void> {
    const link = model.mail(purpose, account, more);
    mailed.set(link, purpose === 'otp' ? await code(gateway, link.to) : await linked(gateway, link.to, SUBJECTS[purpose]));
  }

  /** Asks for a mail to an address that may have no account. */
  const asking = (purpose: keyof typeof ASKS) => async (gateway: Gateway, post: Post) => {
    const email = one(ADDRESSES);
    both(purpose, await post(ASKS[purpose], { email }), () => undefined);
    const account = model.at(email);
    if (account !== undefined) await mail(gateway, purpose, account);
  };

  /** The newest links, which are those of the person who has the mail. */
  const followed = (...purposes: Purpose[]) => {
    const links = model.links.filter(({ purpose }) => purposes.includes(purpose)).slice(-6);
    const fresh = links.filter(({ isUsed, isReplaced, account }) => !isUsed && !isReplaced && !account.isGone);
    const link = pick(below(4) === 0 ? links : fresh);
    return link && { link, token: mailed.get(link) ?? '', of: personOf(link.to) };
  };

  const steps: Record<string, [times: number, step: (gateway: Gateway, post: Post) => Promise<unknown>]> = {
    'register': [5, async (gateway, post) => {
      const [of, email] = [one(PEOPLE), anAddress()];
      const answer = await post('/auth/register', { email, password: passwordOf(of) });
      await signedIn('register', post, answer, () => model.register(of, email));
      if (answer.status < 300) await mail(gateway, 'verification', model.at(email) as Account);
    }],
    'sign in by password': [6, async (_, post) => {
      const [of, email] = [one(PEOPLE), one(ADDRESSES)];
      const answer = await post('/auth/login', { email, password: passwordOf(of) });
      await signedIn('sign in by password', post, answer, () => model.login(of, email));
    }],
    'sign in by a provider': [14, async (gateway, post) => {
      const of = one(PEOPLE);
      const says = told(of);
      const predicted = model.outcome(says);
      const [explained] = await sql<{ outcome: string; uid: string | null; reason: string | null }[]>`
        select outcome, uid, reason from service.sign_in_outcome(${says.provider}, ${says.id}, ${says.email}, ${says.vouches})`;
      expect('the outcome that a DBA is told', explained,
        { outcome: predicted.outcome, uid: predicted.account?.uid ?? null, reason: predicted.reason });
      const answer = await post(`/auth/${says.provider}`, { idToken: await idTokenOf(says) });
      await signedIn(`sign in by a provider, ${predicted.outcome}`, post, answer, () => model.provide(of, says));
      if (explained?.outcome === 'refused') {
        expect('why a provider is refused', answer.body.error?.details, { reason: explained.reason, provider: says.provider });
      }
      if (explained?.outcome === 'new' && answer.status < 300 && says.email !== null && !says.vouches) {
        await mail(gateway, 'verification', model.at(says.email) as Account);
      }
    }],
    'link a provider': [10, async (gateway, post) => {
      const session = oneSession();
      if (session === undefined) return;
      const says = told(session.of);
      const wasGuest = session.account.isGuest;
      const answer = await post(`/auth/link/${says.provider}`, { idToken: await idTokenOf(says) }, access(session));
      const alreadyLinked = both('link a provider', answer, () => model.link(session, says));
      if (alreadyLinked === undefined) return;
      expect('already linked', answer.body.alreadyLinked, alreadyLinked);
      if (wasGuest) await isHeardAsAccount(session);
      if (wasGuest && says.email !== null && !says.vouches) await mail(gateway, 'verification', session.account);
    }],
    'unlink a provider': [7, async gateway => {
      const session = oneSession();
      if (session === undefined) return;
      const { provider, id } = one([...session.account.identities, told(session.of)]);
      const only = maybe(id);
      const path = `/auth/identities/${provider}${only === undefined ? '' : `?providerId=${only}`}`;
      both('unlink a provider', await gateway.request(path, { method: 'DELETE', as: access(session) }),
        () => { model.unlink(session, provider, only); });
    }],
    'begin as a guest': [2, async (_, post) => {
      const of = one(PEOPLE);
      await signedIn('begin as a guest', post, await post('/auth/anonymous'), () => model.guest(of));
    }],
    'a guest gets a password': [3, async (gateway, post) => {
      const session = pick([...tokens.keys()].filter(({ account, isOver }) => account.isGuest && !isOver)) ?? oneSession();
      if (session === undefined) return;
      const email = anAddress();
      const answer = await post('/auth/anonymous/link', { email, password: passwordOf(session.of) }, access(session));
      await signedIn('a guest gets a password', post, answer, () => model.linkByPassword(session, email));
      if (answer.status >= 300) return;
      await isHeardAsAccount(session);
      await mail(gateway, 'verification', session.account);
    }],
    'enrol a passkey': [7, async (_, post) => {
      const session = oneSession();
      if (session === undefined || session.account.passkeys.length > 2) return;
      const options = await post('/auth/passkeys/options', {}, access(session));
      if (both('ask for a passkey', options, () => model.guarded(session)) === undefined) return;
      const device = newDevice();
      const answer = await post('/auth/passkeys', { credential: device.createJSON(ORIGIN, options.body.options) }, access(session));
      both('enrol a passkey', answer, () => { model.enrol(session, answer.body.passkey.id); });
      devices.push({ id: answer.body.passkey?.id, of: session.of, device });
    }],
    'sign in by a passkey': [7, async (_, post) => {
      const found = pick(devices.slice(-12));
      if (found === undefined) return;
      const answer = await passkeyActions(post).signIn(found.device);
      await signedIn('sign in by a passkey', post, answer, () => model.signInByPasskey(found.of, found.id));
    }],
    'remove a passkey': [4, async gateway => {
      const session = oneSession();
      const id = session && (pick(session.account.passkeys) ?? pick(devices))?.id;
      if (session === undefined || id === undefined) return;
      both('remove a passkey', await gateway.request(`/auth/passkeys/${id}`, { method: 'DELETE', as: access(session) }),
        () => { model.deletePasskey(session, id); });
    }],
    'enrol a factor': [2, async (_, post) => {
      const session = oneSession();
      if (session === undefined || (session.account.factor !== undefined && session.aal === 'aal2')) return;
      const enrolled = await post('/auth/mfa/enroll', {}, access(session));
      if (both('ask for a factor', enrolled, () => model.guarded(session)) === undefined) return;
      const { factor: { id }, totp: { secret } } = enrolled.body;
      both('enrol a factor', await post('/auth/mfa/verify', { factorId: id, code: codeOf(secret) }, access(session)),
        () => { model.enrolFactor(session, { id, secret }); });
    }],
    'remove a factor': [3, async gateway => {
      const session = oneSession();
      if (session === undefined) return;
      const factorId = session.account.factor?.id ?? '00000000-0000-4000-8000-000000000000';
      both('remove a factor',
        await gateway.request('/auth/mfa/unenroll', { method: 'DELETE', as: access(session), body: JSON.stringify({ factorId }) }),
        () => { model.deleteFactor(session); });
    }],
    'ask for a sign-in link': [2, asking('magic-link')],
    'ask for a code': [1, asking('otp')],
    'ask for a reset': [2, asking('password-reset')],
    'follow a link or enter a code': [6, async (_, post) => {
      const { link, token, of } = followed('magic-link', 'otp') ?? {};
      if (link === undefined || of === undefined) return;
      const isCode = link.purpose === 'otp';
      const answer = isCode
        ? await post('/auth/otp/verify', { email: link.to, code: token }) : await post('/auth/magic-link/verify', { token });
      await signedIn(`sign in by ${link.purpose}`, post, answer, () => model.proveByMail(link, of));
    }],
    'reset the password': [4, async (_, post) => {
      const { link, token, of } = followed('password-reset') ?? {};
      if (link === undefined || of === undefined) return;
      both('reset the password', await post('/auth/reset-password', { token, password: passwordOf(of) }), () => { model.reset(link, of); });
    }],
    'ask to verify the address': [3, async (gateway, post) => {
      const session = oneSession();
      if (session === undefined) return;
      const account = both('ask to verify the address', await post('/auth/send-verification', {}, access(session)),
        () => model.askToVerify(session));
      if (account !== undefined) await mail(gateway, 'verification', account);
    }],
    'open a verification link': [5, async gateway => {
      const { link, token, of = '' } = followed('verification') ?? {};
      if (link === undefined) return;
      const session = maybe(liveOf(of)); // without one, as a mail scanner does
      const answer = await gateway.request(`/auth/verify-email?token=${token}`, { as: session ? access(session) : null });
      both(`open a verification link ${session ? 'in a session' : 'as a scanner'}`, answer, () => { model.open(link, session); });
    }],
    'confirm a verification link': [5, async (_, post) => {
      const { link, token, of = '' } = followed('verification') ?? {};
      if (link === undefined) return;
      const session = maybe(liveOf(of));
      const by = { ...(session && { session }), password: below(3) === 0, removes: below(2) === 0 };
      const body = { token, removeUnproven: by.removes, ...(by.password && { password: passwordOf(of) }) };
      const answer = await post('/auth/verify-email', body, session ? access(session) : null);
      await signedIn('confirm a verification link', post, answer, () => model.confirm(link, of, by));
    }],
    'ask for another address': [6, async (gateway, post) => {
      const session = oneSession();
      if (session === undefined) return;
      const to = anAddress();
      const account = both('ask for another address', await post('/auth/change-email', { newEmail: to }, access(session)),
        () => model.askToChange(session, to));
      if (account !== undefined) await mail(gateway, 'email-change', account, { to, session });
    }],
    'confirm another address': [7, async (_, post) => {
      const { link, token, of = '' } = followed('email-change') ?? {};
      if (link === undefined) return;
      const session = maybe(liveOf(of));
      both(`confirm another address ${session?.account === link.account ? 'in its session' : 'elsewhere'}`,
        await post('/auth/confirm-email-change', { token }, session ? access(session) : null), () => { model.change(link, session); });
    }],
    'sign out': [2, async (_, post) => {
      const session = oneSession();
      if (session === undefined || session.isOver) return;
      both('sign out', await post('/auth/logout', { refreshToken: tokens.get(session)?.refresh }), () => { model.end(session); });
    }],
    'an admin deletes an account': [7, async gateway => {
      const account = pick(model.accounts);
      if (account === undefined) return;
      both('an admin deletes an account', await gateway.request(`/admin/users/${account.uid}`, { method: 'DELETE' }),
        () => { model.remove(account); });
    }],
    'look at the own account': [3, async gateway => {
      const session = anySession();
      if (session === undefined) return;
      const look = async (path: string) => gateway.request(path, { as: access(session) });
      const me = await look('/auth/me');
      if (both('look at the own account', me, () => model.live(session)) === undefined) return;
      expect('the account', [me.body.user.uid, me.body.user.email], [session.account.uid, session.account.email]);
      expect('its identities', (await look('/auth/identities')).body.identities
        .map(({ provider, providerId }: Record<string, string>) => `${provider} ${providerId}`).sort(),
      session.account.identities.map(({ provider, id }) => `${provider} ${id}`).sort());
      expect('its passkeys', (await look('/auth/passkeys')).body.passkeys.map(({ id }: { id: string }) => id).sort(),
        session.account.passkeys.map(({ id }) => id).sort());
    }],
  };

  /** Both gateways know that a guest is an account now. */
  async function isHeardAsAccount(session: Session): Promise<void> {
    for (const { post } of gateways) await until('a guest is an account', async () =>
      refusal(await post('/auth/anonymous/link', {}, access(session), fromAfar()))[1] === 'NOT_ANONYMOUS', { pause: 1 });
  }

  const heard = new Set<Session>();
  /** Sessions that ended get no answer, once both gateways have heard. */
  async function areHeardAsOver(): Promise<void> {
    for (const session of [...tokens.keys()].filter(ended => ended.isOver && !heard.has(ended))) {
      heard.add(session);
      for (const { request } of gateways) await until('a session is over', async () =>
        (await request('/auth/me', { as: access(session) })).status === 401, { pause: 1 });
    }
  }

  /** The database says of all accounts what the model says. */
  async function compare(after: string): Promise<void> {
    const stored = await sql<Record<string, unknown>[]>`
      select u.uid, u.email, u.email_verified as "isVerified", u.is_anonymous as "isGuest",
        service_private.has_unproven(u) as "hasUnproven",
        case when u.password_hash is not null then u.password_proven end as password,
        (select f.is_proven from service.mfa_factors f where f.uid = u.uid and f.verified_at is not null) as factor,
        array(select concat_ws(' ', i.provider, i.provider_id, coalesce(i.email, '-'), i.email_verified, i.is_proven)
          from service.user_identities i where i.uid = u.uid) as identities,
        array(select concat_ws(' ', p.id, p.is_proven) from service.passkeys p where p.uid = u.uid) as passkeys,
        array(select concat_ws(' ', s.method, s.aal) from service.sessions s where s.uid = u.uid and s.revoked_at is null) as sessions
      from service.users u where u.email <> 'admin@example.org'`;
    const flag = (value: boolean) => value ? 't' : 'f';
    const expected = model.accounts.map(account => ({
      uid: account.uid, email: account.email, isVerified: account.isVerified, isGuest: account.isGuest, hasUnproven: hasUnproven(account),
      password: account.password?.isProven ?? null, factor: account.factor?.isProven ?? null,
      identities: account.identities.map(({ provider, id, email, vouches, isProven }) =>
        [provider, id, email ?? '-', flag(vouches), flag(isProven)].join(' ')),
      passkeys: account.passkeys.map(({ id, isProven }) => `${id} ${flag(isProven)}`),
      sessions: account.sessions.map(({ method, aal }) => `${method} ${aal}`),
    }));
    const byUid = (rows: readonly Record<string, unknown>[]) => Object.fromEntries(rows.map(({ uid, ...row }) =>
      [uid, Object.fromEntries(Object.entries(row).map(([key, value]) => [key, Array.isArray(value) ? value.toSorted() : value]))]));
    const [found, meant] = [byUid(stored), byUid(expected)];
    for (const uid of new Set([...Object.keys(found), ...Object.keys(meant)])) expect(`an account after ${after}`, found[uid], meant[uid]);
    for (const account of model.accounts.filter(proven => !proven.isGuest && !hasUnproven(proven))) {
      const { password, factor, identities, passkeys, sessions, email } = account;
      const strangers = [password, factor, ...identities, ...passkeys, ...sessions].filter(held =>
        held !== undefined && held.of !== personOf(email));
      expect(`strangers who share the proven account of ${email} after ${after}`, strangers.length, 0);
    }
  }

  const names = Object.entries(steps).flatMap(([name, [times]]) => Array.from({ length: times }, () => name));
  const taken: string[] = [];
  for (let n = 0; n < runs(2_000) && wrong.length === 0; n++) {
    const [name, gateway] = [one(names), one(gateways)];
    taken.push(name);
    for (const { mailbox } of gateways) await mailbox?.clear();
    await sql`delete from service.rate_limits`;
    await steps[name]?.[1](gateway, (path, body, as) => gateway.post(path, body, as, fromAfar()));
    await areHeardAsOver();
    await compare(name);
  }
  t.same(wrong, [], JSON.stringify({ RANDOM_SEED: seed, last: taken.slice(-5), ...done }));
});
