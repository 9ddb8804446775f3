// A mailed link is worth something only for the address and the generation that it was made for, a change of address also only as long
// as the session that asked for it.
import { test } from 'tap';
import { codeOf, enroll } from '../accounts/authenticator.ts';
import { OPEN, PASSWORD, refusal, serveAccounts, sessionOf, type Accounts, type Session } from '../accounts/people.ts';
import { fromAfar, openPostOffice, type PostOffice } from '../accounts/post-office.ts';
import type { Answer } from '../harness/service.ts';

const NEW = 'Battery-staple-2';

type Person = Session & { email: string; newEmail: string };
type World = Accounts & { office: PostOffice; ask: (path: string, body?: object, as?: string | null) => Promise<Answer> };

/** The request that mails an account a link or a code, and its redemption. */
const LINKS: Record<string, {
  refused: [number, string]; send: (world: World, person: Person) => Promise<(as?: string) => Promise<Answer>>;
}> = {
  'a reset': {
    refused: [400, 'INVALID_TOKEN'],
    async send({ ask, office }, { email }) {
      await ask('/auth/forgot-password', { email });
      const token = await office.linked(email, /new password/);
      return () => ask('/auth/reset-password', { token, password: NEW });
    },
  },
  'a sign-in link': {
    refused: [400, 'INVALID_TOKEN'],
    async send({ ask, office }, { email }) {
      await ask('/auth/magic-link', { email });
      const token = await office.linked(email, /sign-in link/);
      return () => ask('/auth/magic-link/verify', { token });
    },
  },
  'a code': {
    refused: [401, 'INVALID_CODE'],
    async send({ ask, office }, { email }) {
      await ask('/auth/otp', { email });
      const digits = await office.code(email);
      return () => ask('/auth/otp/verify', { email, code: digits });
    },
  },
  'a verification by GET': {
    refused: [400, 'INVALID_TOKEN'],
    async send({ ask, office, request }, { email, access }) {
      await ask('/auth/send-verification', {}, access);
      const token = await office.linked(email, /Confirm your email/);
      return () => request(`/auth/verify-email?token=${token}`, { as: null });
    },
  },
  'a verification by POST': {
    refused: [400, 'INVALID_TOKEN'],
    async send({ ask, office }, { email, access }) {
      await ask('/auth/send-verification', {}, access);
      const token = await office.linked(email, /Confirm your email/);
      return () => ask('/auth/verify-email', { token, password: PASSWORD });
    },
  },
  'a change of address': {
    refused: [400, 'INVALID_TOKEN'],
    async send({ ask, office }, { newEmail, access }) {
      await ask('/auth/change-email', { newEmail }, access);
      const token = await office.linked(newEmail, /Confirm your new/);
      return () => ask('/auth/confirm-email-change', { token });
    },
  },
};

/** Events of the account, or of the session that asked for the link, before the link is followed. */
const EVENTS: Record<string, (world: World, person: Person) => Promise<unknown>> = {
  'the password is changed': ({ ask }, { access }) => ask('/auth/change-password', { oldPassword: PASSWORD, newPassword: NEW }, access),
  'the password is reset': async ({ ask, office }, { email }) => {
    await ask('/auth/forgot-password', { email });
    return ask('/auth/reset-password', { token: await office.linked(email, /new password/), password: NEW });
  },
  'the address is proven by a sign-in link': async ({ ask, office }, { email }) => {
    await ask('/auth/magic-link', { email });
    return ask('/auth/magic-link/verify', { token: await office.linked(email, /sign-in link/) });
  },
  'an admin sets a password': ({ request }, { uid }) =>
    request(`/admin/users/${uid}`, { method: 'PUT', body: JSON.stringify({ password: NEW }) }),
  'an admin resets the password': ({ request }, { uid }) =>
    request(`/admin/users/${uid}/reset-password`, { method: 'POST', body: JSON.stringify({ password: NEW }) }),
  'an admin changes the address': ({ request }, { uid, email }) =>
    request(`/admin/users/${uid}`, { method: 'PUT', body: JSON.stringify({ email: `moved-${email}` }) }),
  'a DBA changes the address': ({ sql }, { uid, email }) => sql`update service.users set email = ${`moved-${email}`} where uid = ${uid}`,
  'a DBA ends every session': ({ sql }, { uid }) => sql`select service.end_all_sessions(${uid})`,
  'another change of address is confirmed': async ({ ask, office }, { access, email }) => {
    await ask('/auth/change-email', { newEmail: `other-${email}` }, access);
    return ask('/auth/confirm-email-change', { token: await office.linked(`other-${email}`, /Confirm your new/) }, access);
  },
};

/** Events that end the session which asked for a change of address; a link that proves the account's own address does not depend on it. */
const ENDS: Record<string, (world: World, person: Person) => Promise<unknown>> = {
  'its session signs out': ({ ask }, { refresh }) => ask('/auth/logout', { refreshToken: refresh }),
  'another session ends it': async ({ request, login }, { email, access }) => {
    const { body } = await request('/auth/sessions', { as: access });
    return request(`/auth/sessions/${body.sessions[0].id}`, { method: 'DELETE', as: (await login(email)).access });
  },
  'another session ends all others': async ({ request, login }, { email }) =>
    request('/auth/sessions', { method: 'DELETE', as: (await login(email)).access }),
};

test('a link is worth nothing once its account has another address or generation', async t => {
  const world = await openWorld(t);
  const cases: [
    link: string, event: string, happens: (world: World, person: Person) => Promise<unknown>,
  ][] = Object.keys(LINKS).flatMap(link =>
    Object.entries(link === 'a change of address' ? { ...EVENTS, ...ENDS } : EVENTS).map(([event, happens]) =>
      [link, event, happens] as (typeof cases)[number]));
  await Promise.all(cases.map(async ([link, event, happens], n) => {
    const person = await join(world, `person-${n}@example.org`);
    const follow = await LINKS[link]?.send(world, person);
    const happened = await happens(world, person) as Partial<Answer>;
    if (happened.status !== undefined) t.equal(happened.status, 200, event);
    t.same(refusal(await follow?.() as Answer), LINKS[link]?.refused, `${link}, then ${event}`);
    const [row] = await world.sql`select email from service.users where uid = ${person.uid}`;
    t.not(row?.['email'], person.newEmail, `${link}, then ${event}`);
  }));
});

test('a link is followed where nothing came between', async t => {
  const world = await openWorld(t);
  await Promise.all(Object.entries(LINKS).map(async ([link, { send }], n) => {
    const follow = await send(world, await join(world, `person-${n}@example.org`));
    t.equal((await follow()).status, 200, link);
  }));
});

test('a change of address that ends is no longer shown', async t => {
  const world = await openWorld(t);
  const pendingOf = async (access: string) => (await world.request('/auth/me', { as: access })).body.user.pendingEmail as string | null;
  await Promise.all(Object.entries(ENDS).map(async ([event, happens], n) => {
    const person = await join(world, `person-${n}@example.org`);
    await world.ask('/auth/change-email', { newEmail: person.newEmail }, person.access);
    t.equal(await pendingOf(person.access), person.newEmail, 'while it waits');
    await happens(world, person);
    t.equal(await pendingOf((await world.login(person.email)).access), null, event);
  }));
});

test('a squatter who began a change of address loses it with the first proof of the owner', async t => {
  const world = await openWorld(t);
  const { ask, office, login, request } = world;
  const proofs: Record<string, (email: string, verification: string) => Promise<Answer>> = {
    'a sign-in link': async email => {
      await ask('/auth/magic-link', { email });
      return ask('/auth/magic-link/verify', { token: await office.linked(email, /sign-in link/) });
    },
    'a reset': async email => {
      await ask('/auth/forgot-password', { email });
      return ask('/auth/reset-password', { token: await office.linked(email, /new password/), password: NEW });
    },
    'the verification link, by POST': (_email, token) => ask('/auth/verify-email', { token, removeUnproven: true }),
  };
  for (const [name, prove] of Object.entries(proofs)) {
    const email = `victim-${name.length}@example.org`;
    const squatter = await world.register(email);
    const verification = await office.linked(email, /Confirm your email/);
    const newEmail = `mallory-${name.length}@example.net`;
    await ask('/auth/change-email', { newEmail }, squatter.access);
    const token = await office.linked(newEmail, /Confirm your new/);
    t.equal((await prove(email, verification)).status, 200, name);
    t.same(refusal(await ask('/auth/confirm-email-change', { token })), [400, 'INVALID_TOKEN'], name);
    t.same(refusal(await request('/auth/me', { as: squatter.access })), [401, 'SESSION_REVOKED'], name);
    t.same(refusal(await ask('/auth/login', { email, password: PASSWORD })), [401, 'INVALID_CREDENTIALS'], name);
    await t.rejects(login(newEmail), /INVALID_CREDENTIALS/, name);
  }
});

test('a change that another person confirms leaves its asker no session, no second factor and no password', async t => {
  const world = await openWorld(t);
  const { ask, office, request } = world;
  const mallory = await world.register('mallory@example.net');
  const oldLink = await office.linked('mallory@example.net', /Confirm your email/);
  await ask('/auth/magic-link', { email: 'mallory@example.net' });
  const proven = sessionOf(await ask('/auth/magic-link/verify', { token: await office.linked('mallory@example.net', /sign-in link/) }));
  await ask('/auth/forgot-password', { email: 'mallory@example.net' });
  await ask('/auth/reset-password', { token: await office.linked('mallory@example.net', /new password/), password: PASSWORD });
  const session = await world.login('mallory@example.net');
  t.equal(proven.uid, mallory.uid);
  await ask('/auth/change-email', { newEmail: 'victim@example.org' }, session.access);
  const { factorId, secret } = await enroll(world, session.access);
  t.equal((await ask('/auth/mfa/verify', { factorId, code: codeOf(secret) }, session.access)).status, 200);
  await ask('/auth/forgot-password', { email: 'mallory@example.net' });
  const oldReset = await office.linked('mallory@example.net', /new password/);

  t.equal((await ask('/auth/confirm-email-change', { token: await office.linked('victim@example.org', /Confirm your new/) })).status, 200,
    'the victim follows the link');
  t.same(refusal(await request('/auth/me', { as: session.access })), [401, 'SESSION_REVOKED']);
  t.same(refusal(await ask('/auth/refresh', { refreshToken: session.refresh })), [401, 'SESSION_REVOKED']);
  t.same(refusal(await ask('/auth/reset-password', { token: oldReset, password: NEW })), [400, 'INVALID_TOKEN'],
    'a link to the old address');
  t.same(refusal(await ask('/auth/verify-email', { token: oldLink, password: PASSWORD })), [400, 'INVALID_TOKEN'],
    'a link to the old address');
  await ask('/auth/magic-link', { email: 'victim@example.org' });
  const victim = sessionOf(await ask('/auth/magic-link/verify', { token: await office.linked('victim@example.org', /sign-in link/) }));
  t.same((await request('/auth/mfa/factors', { as: victim.access })).body.factors, [], 'no second factor keeps the victim out');
  t.same(refusal(await ask('/auth/login', { email: 'victim@example.org', password: PASSWORD })), [401, 'INVALID_CREDENTIALS']);
});

test('a change that a session of the account confirms keeps what it has', async t => {
  const world = await openWorld(t);
  const { ask, office, login, request } = world;
  const { access } = await world.register('ada@example.org');
  await request(`/auth/verify-email?token=${await office.linked('ada@example.org', /Confirm your email/)}`, { as: access });
  await ask('/auth/change-email', { newEmail: 'countess@example.org' }, access);
  t.equal(
    (await ask('/auth/confirm-email-change', { token: await office.linked('countess@example.org', /Confirm your new/) }, access)).status,
    200,
  );
  t.match((await request('/auth/me', { as: access })).body.user, { email: 'countess@example.org', pendingEmail: null });
  await ask('/auth/magic-link', { email: 'countess@example.org' });
  await ask('/auth/magic-link/verify', { token: await office.linked('countess@example.org', /sign-in link/) });
  await login('countess@example.org');
  t.equal((await request('/auth/me', { as: access })).status, 200);
});

async function openWorld(t: Parameters<typeof serveAccounts>[0]): Promise<World> {
  const office = await openPostOffice(t);
  const service = await serveAccounts(t, { ...OPEN, ...office.env });
  const ask: World['ask'] = (path, body, as = null) => service.post(path, body, as, fromAfar());
  await service.register('root@example.org');
  return { ...service, office, ask, login: async email => sessionOf(await ask('/auth/login', { email, password: PASSWORD })) };
}

/** An account with a password that nothing has proven, signed in; its password is hashed once for all. */
async function join({ sql, login }: World, email: string): Promise<Person> {
  await sql`select service_private.create_account(${email}, (select password_hash from service.users where email = 'root@example.org'),
    null, '{}')`;
  return { ...await login(email), email, newEmail: `new-${email}` };
}
