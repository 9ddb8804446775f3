import { test } from 'tap';
import { OPEN, PASSWORD, refusal, serveAccounts, sessionOf } from './people.ts';
import { fromAfar, openPostOffice } from './post-office.ts';
import type { Answer } from '../harness/service.ts';

const CONFIRM = /Confirm your email/;
const POLICY = { ...OPEN, ALLOW_ANONYMOUS: 'true', AUTH_REQUIRE_EMAIL_VERIFICATION: 'true' };

async function confirmFirst(t: Parameters<typeof serveAccounts>[0]) {
  const office = await openPostOffice(t);
  const service = await serveAccounts(t, { ...POLICY, ...office.env });
  const ask = (path: string, body: object = {}, as: string | null = null) => service.post(path, body, as, fromAfar());
  return {
    ...service, office, ask,
    guest: async () => sessionOf(await ask('/auth/anonymous')),
    link: (email: string, as: string) => ask('/auth/anonymous/link', { email, password: PASSWORD }, as),
    me: async (as: string) => (await service.request('/auth/me', { as })).body.user,
  };
}

test('confirm first: linking a guest opens no session, and the guest stays one until the link is followed', async t => {
  const { ask, guest, link, me, office, request } = await confirmFirst(t);
  const { uid, access, refresh } = await guest();
  const answer = await link('ADA@example.org', access);
  t.same([answer.status, answer.body], [200, { confirmationRequired: true }]);
  t.match(await me(access), { uid, isAnonymous: true, email: /@anonymous\.local$/, emailVerified: false, pendingEmail: 'ada@example.org' });
  t.same(refusal(await ask('/auth/login', { email: 'ada@example.org', password: PASSWORD })), [401, 'INVALID_CREDENTIALS']);
  const token = await office.linked('ada@example.org', CONFIRM);
  for (const once of ['a scanner', 'its reader']) {
    t.equal((await request(`/auth/verify-email?token=${token}`, { as: null })).status, 200, once);
  }
  t.same(refusal(await request('/auth/me', { as: access })), [401, 'SESSION_REVOKED'], 'outside the guest\'s session it ends');
  t.same(refusal(await ask('/auth/refresh', { refreshToken: refresh })), [401, 'SESSION_REVOKED']);
  const account = sessionOf(await ask('/auth/login', { email: 'ada@example.org', password: PASSWORD }));
  t.equal(account.uid, uid);
  t.match(await me(account.access), { isAnonymous: false, email: 'ada@example.org', emailVerified: true, pendingEmail: null });
  await ask('/auth/magic-link', { email: 'ada@example.org' });
  await ask('/auth/magic-link/verify', { token: await office.linked('ada@example.org', /sign-in link/) });
  t.same(refusal(await ask('/auth/login', { email: 'ada@example.org', password: PASSWORD })), [401, 'INVALID_CREDENTIALS'],
    'a GET proved nothing');
});

test('confirm first: a link that the guest follows keeps the session and the password', async t => {
  const { ask, guest, link, me, office, request } = await confirmFirst(t);
  const { access } = await guest();
  await link('ada@example.org', access);
  const token = await office.linked('ada@example.org', CONFIRM);
  t.equal((await request(`/auth/verify-email?token=${token}`, { as: access })).status, 200);
  t.match(await me(access), { isAnonymous: false, email: 'ada@example.org', emailVerified: true });
  await ask('/auth/magic-link', { email: 'ada@example.org' });
  await ask('/auth/magic-link/verify', { token: await office.linked('ada@example.org', /sign-in link/) });
  t.equal((await ask('/auth/login', { email: 'ada@example.org', password: PASSWORD })).status, 200);
});

test('confirm first: a guest\'s link is confirmed by POST as any verification', async t => {
  const { ask, guest, link, office } = await confirmFirst(t);
  const asGuest = async (email: string) => {
    const { uid, access } = await guest();
    await link(email, access);
    return { uid, access, token: await office.linked(email, CONFIRM) };
  };
  const ada = await asGuest('ada@example.org');
  t.same(refusal(await ask('/auth/verify-email', { token: ada.token })), [409, 'PROOF_REQUIRED']);
  t.same(refusal(await ask('/auth/verify-email', { token: ada.token, password: 'Wrong-horse-1' })), [401, 'INVALID_CREDENTIALS']);
  const signedIn = await ask('/auth/verify-email', { token: ada.token, password: PASSWORD });
  t.match(signedIn.body.user, { uid: ada.uid, email: 'ada@example.org', isAnonymous: false, emailVerified: true });
  t.same(refusal(await ask('/auth/verify-email', { token: ada.token, password: PASSWORD })), [401, 'TOKEN_ALREADY_USED']);
  const bob = await asGuest('bob@example.org');
  t.match((await ask('/auth/verify-email', { token: bob.token, removeUnproven: true })).body, { success: true, passwordRemoved: true });
  t.same(refusal(await ask('/auth/login', { email: 'bob@example.org', password: PASSWORD })), [401, 'INVALID_CREDENTIALS']);
});

test('confirm first: neither a guest nor an account learns whether an address is taken', async t => {
  const { ask, guest, link, me, office, request } = await confirmFirst(t);
  await ask('/auth/register', { email: 'ada@example.org', password: PASSWORD });
  await request(`/auth/verify-email?token=${await office.linked('ada@example.org', CONFIRM)}`, { as: null });
  await ask('/auth/register', { email: 'bob@example.org', password: PASSWORD });
  await request(`/auth/verify-email?token=${await office.linked('bob@example.org', CONFIRM)}`, { as: null });
  const bob = sessionOf(await ask('/auth/login', { email: 'bob@example.org', password: PASSWORD }));
  const told = async (open: (email: string) => Promise<{ answer: Answer; as: string }>) => {
    const seen: string[] = [];
    for (const name of ['ada', 'eve']) {
      const { answer: { status, text }, as } = await open(`${name}@example.org`);
      const { pendingEmail } = await me(as);
      seen.push(`${status} ${text} ${pendingEmail}`.replaceAll(name, '<name>').replace(/"expiresAt":"[^"]*"/, ''));
    }
    return new Set(seen);
  };
  const linked = await told(async email => {
    const { access } = await guest();
    return { answer: await link(email, access), as: access };
  });
  t.equal(linked.size, 1, [...linked].join('; '));
  const changed = await told(async email => ({ answer: await ask('/auth/change-email', { newEmail: email }, bob.access), as: bob.access }));
  t.equal(changed.size, 1, [...changed].join('; '));
  await office.linked('eve@example.org', /Confirm your new/);
  t.same(office.letters().filter(({ to }) => to === 'ada@example.org').map(({ subject }) => CONFIRM.test(subject)), [true],
    'the owner of a taken address gets no further mail');
});

test('confirm first: a guest\'s link ends with its session, and is worth nothing once the address is taken', async t => {
  const { ask, guest, link, office, request, sql } = await confirmFirst(t);
  const follow = (token: string, as: string | null = null) => request(`/auth/verify-email?token=${token}`, { as });
  const gone = await guest();
  await link('ada@example.org', gone.access);
  const ended = await office.linked('ada@example.org', CONFIRM);
  await ask('/auth/logout', { refreshToken: gone.refresh });
  t.same(refusal(await follow(ended)), [400, 'INVALID_TOKEN']);
  const late = await guest();
  await link('ada@example.org', late.access);
  const token = await office.linked('ada@example.org', CONFIRM);
  await ask('/auth/register', { email: 'ada@example.org', password: PASSWORD });
  t.same(refusal(await follow(token, late.access)), [409, 'EMAIL_EXISTS']);
  await sql`delete from service.users where email = 'ada@example.org'`;
  await sql`update service.one_time_tokens set expires_at = clock_timestamp() - interval '1 second'`;
  t.same(refusal(await follow(token)), [401, 'TOKEN_EXPIRED']);
  t.same(refusal(await ask('/auth/verify-email', { token, password: PASSWORD })), [401, 'TOKEN_EXPIRED']);
  const named = await guest();
  const mails: number[] = [];
  for (let n = 0; n < 6; n++) mails.push((await link(`person-${n}@example.org`, named.access)).status);
  t.same(mails, [200, 200, 200, 200, 200, 429], 'a guest mails five');
});
