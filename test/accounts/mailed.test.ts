import { test } from 'tap';
import { createDatabase } from '../harness/database.ts';
import { code, linked, mailsTo } from './mails.ts';
import { OPEN, PASSWORD, refusal, serveAccounts, serveAt, sessionOf } from './people.ts';
import { settingsFile } from './settings-file.ts';

const NEW = 'Battery-staple-2';

test('a forgotten password is set anew by a link, once', async t => {
  const people = await serveAccounts(t);
  const { post, register, login, request } = people;
  const { access, refresh } = await register('ada@example.org');
  const asked = await post('/auth/forgot-password', { email: ' ADA@example.org' });
  t.same([asked.status, asked.body.success], [200, true]);
  const token = await linked(people, 'ada@example.org', /new password/);
  t.match(token, /^[0-9a-f]{80}$/);
  const reset = (password: string, sent = token) => post('/auth/reset-password', { token: sent, password });
  t.same(refusal(await reset('weak')), [400, 'WEAK_PASSWORD'], 'before the token is looked at');
  t.same(refusal(await reset(NEW, 'unknown')), [400, 'INVALID_TOKEN']);
  t.same(refusal(await post('/auth/reset-password', { token })), [400, 'INVALID_INPUT']);
  const done = await reset(NEW);
  t.same([done.status, 'tokens' in done.body], [200, false], 'nobody is signed in by it');
  t.same(refusal(await reset(NEW)), [401, 'TOKEN_ALREADY_USED']);
  t.same(refusal(await request('/auth/me', { as: access })), [401, 'SESSION_REVOKED'], 'every session is ended');
  t.same(refusal(await post('/auth/refresh', { refreshToken: refresh })), [401, 'SESSION_REVOKED']);
  t.match((await request('/auth/me', { as: (await login('ada@example.org', NEW)).access })).body.user, { emailVerified: true },
    'it proves the address');
});

test('one of two concurrent resets sets the password; only the newest link counts, for a limited time', async t => {
  const people = await serveAccounts(t);
  const { post, register, sql } = people;
  await register('ada@example.org');
  await post('/auth/forgot-password', { email: 'ada@example.org' });
  const first = await linked(people, 'ada@example.org', /new password/);
  await people.mailbox?.clear();
  await post('/auth/forgot-password', { email: 'ada@example.org' });
  const second = await linked(people, 'ada@example.org', /new password/);
  t.same(refusal(await post('/auth/reset-password', { token: first, password: NEW })), [400, 'INVALID_TOKEN']);
  const raced = await Promise.all([NEW, 'Other-staple-3'].map(password => post('/auth/reset-password', { token: second, password })));
  t.same(raced.map(({ status }) => status).sort(), [200, 401]);
  await people.mailbox?.clear();
  await post('/auth/forgot-password', { email: 'ada@example.org' });
  const third = await linked(people, 'ada@example.org', /new password/);
  await sql`update service.one_time_tokens set expires_at = clock_timestamp() - interval '1 second' where used_at is null`;
  t.same(refusal(await post('/auth/reset-password', { token: third, password: NEW })), [401, 'TOKEN_EXPIRED']);
});

test('asking for mail does not reveal whether an address has an account', async t => {
  const people = await serveAccounts(t);
  const { post, register, sql } = people;
  await register('ada@example.org');
  await register('off@example.org');
  await sql`update service.users set disabled = true where email = 'off@example.org'`;
  await people.mailbox?.clear();
  for (const path of ['/auth/forgot-password', '/auth/magic-link', '/auth/otp']) {
    const answers = await Promise.all(['ada', 'off', 'nobody'].map(name => post(path, { email: `${name}@example.org` })));
    t.equal(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size, 1, path);
    t.same(refusal(await post(path, { email: 'nonsense' })), [400, 'INVALID_INPUT']);
  }
  t.match((await post('/auth/otp', { email: 'nobody@example.org' })).body, { success: true, expiresInSeconds: 600 });
  await linked(people, 'ada@example.org', /link/);
  for (const name of ['off', 'nobody']) t.same(await mailsTo(people, `${name}@example.org`), [], `${name} gets no mail`);
});

test('people sign in by a mailed link or code, once', async t => {
  const people = await serveAccounts(t);
  const { post, sql } = people;
  await sql`insert into service.users (email) values ('ada@example.org')`;
  await post('/auth/magic-link', { email: 'ada@example.org' });
  const token = await linked(people, 'ada@example.org', /sign-in link/);
  const first = await post('/auth/magic-link/verify', { token });
  t.match(first.body.user, { email: 'ada@example.org', providerId: 'magic-link', emailVerified: true });
  t.same(refusal(await post('/auth/magic-link/verify', { token })), [401, 'TOKEN_ALREADY_USED']);
  t.same(refusal(await post('/auth/reset-password', { token, password: NEW })), [400, 'INVALID_TOKEN'], 'it is no reset');
  await post('/auth/otp', { email: 'ada@example.org' });
  const digits = await code(people, 'ada@example.org');
  const wrong = digits === '000000' ? '000001' : '000000';
  t.same(refusal(await post('/auth/otp/verify', { email: 'ada@example.org', code: wrong })), [401, 'INVALID_CODE']);
  t.same(refusal(await post('/auth/otp/verify', { email: 'eve@example.org', code: digits })), [401, 'INVALID_CODE'],
    'a code is of its address');
  t.same(refusal(await post('/auth/otp/verify', { email: 'ada@example.org', code: '12345' })), [400, 'INVALID_INPUT']);
  t.match((await post('/auth/otp/verify', { email: ' ADA@example.org', code: digits })).body.user, { providerId: 'otp' });
  t.same(refusal(await post('/auth/otp/verify', { email: 'ada@example.org', code: digits })), [401, 'INVALID_CODE']);
  const without = await serveAccounts(t, { ...OPEN, AUTH_MAGIC_LINK: 'false', AUTH_EMAIL_OTP: 'false' });
  for (const path of ['/auth/magic-link', '/auth/otp/verify']) t.same(refusal(await without.post(path)), [501, 'FEATURE_DISABLED']);
});

test('a password from before the address was proven is removed by the first proof', async t => {
  const people = await serveAccounts(t);
  const { post, register, request, sql } = people;
  await register('first@example.org');
  const squatter = await register('ada@example.org');
  await sql`insert into service.user_identities (provider, provider_id, uid, email, email_verified) values
    ('github', '1', ${squatter.uid}, 'squatter@example.org', true), ('google', '2', ${squatter.uid}, 'ada@example.org', true)`;
  const scanned = await linked(people, 'ada@example.org', /Confirm/);
  t.equal((await request(`/auth/verify-email?token=${scanned}`, { as: null })).status, 200, 'a scanner opens the link');
  t.equal((await request(`/auth/verify-email?token=${scanned}`, { as: null })).status, 200, 'and again');
  t.match((await request('/auth/me', { as: squatter.access })).body.user, { emailVerified: true }, 'which takes nothing away');
  await post('/auth/magic-link', { email: 'ada@example.org' });
  const owner = sessionOf(await post('/auth/magic-link/verify', { token: await linked(people, 'ada@example.org', /sign-in link/) }));
  t.equal(owner.uid, squatter.uid);
  t.same(refusal(await request('/auth/me', { as: squatter.access })), [401, 'SESSION_REVOKED']);
  t.same(refusal(await post('/auth/refresh', { refreshToken: squatter.refresh })), [401, 'SESSION_REVOKED']);
  t.same(refusal(await post('/auth/login', { email: 'ada@example.org', password: PASSWORD })), [401, 'INVALID_CREDENTIALS']);
  t.same((await sql`select provider from service.user_identities`).map(row => row['provider'] as string), ['google'],
    'what vouches for the address stays');
  t.equal((await request('/auth/me', { as: owner.access })).status, 200);
});

test('a proof keeps the prover\'s own credentials', async t => {
  const people = await serveAccounts(t);
  const { post, register, login, request } = people;
  await register('first@example.org');
  // Opened in her own session.
  const ada = await register('ada@example.org');
  await request(`/auth/verify-email?token=${await linked(people, 'ada@example.org', /Confirm/)}`, { as: ada.access });
  await post('/auth/magic-link', { email: 'ada@example.org' });
  await post('/auth/magic-link/verify', { token: await linked(people, 'ada@example.org', /sign-in link/) });
  await login('ada@example.org');
  t.equal((await request('/auth/me', { as: ada.access })).status, 200);
  // By the password.
  await register('bob@example.org');
  const bobs = await linked(people, 'bob@example.org', /Confirm/);
  t.same(refusal(await post('/auth/verify-email', { token: bobs })), [409, 'PROOF_REQUIRED']);
  t.same(refusal(await post('/auth/verify-email', { token: 'unknown', password: PASSWORD })), [400, 'INVALID_TOKEN']);
  t.same(refusal(await post('/auth/verify-email', { token: bobs, password: 'Wrong-horse-1' })), [401, 'INVALID_CREDENTIALS']);
  t.match((await post('/auth/verify-email', { token: bobs, password: PASSWORD })).body, { user: { emailVerified: true }, tokens: {} },
    'and signs in');
  t.same(refusal(await post('/auth/verify-email', { token: bobs, password: PASSWORD })), [401, 'TOKEN_ALREADY_USED']);
  await login('bob@example.org');
  // By neither.
  await register('cyd@example.org');
  const removed = await post('/auth/verify-email', { token: await linked(people, 'cyd@example.org', /Confirm/), removeUnproven: true });
  t.match(removed.body, { success: true, passwordRemoved: true });
  t.same(refusal(await post('/auth/login', { email: 'cyd@example.org', password: PASSWORD })), [401, 'INVALID_CREDENTIALS']);
  t.same(refusal(await request('/auth/verify-email', { as: null })), [400, 'INVALID_INPUT']);
  t.same(refusal(await request('/auth/verify-email?token=unknown', { as: null })), [400, 'INVALID_TOKEN']);
});

test('a verification can be asked for again', async t => {
  const people = await serveAccounts(t, { ...OPEN, ALLOW_ANONYMOUS: 'true' });
  const { post, register, request } = people;
  const { access } = await register('ada@example.org');
  await linked(people, 'ada@example.org', /Confirm/);
  await people.mailbox?.clear();
  t.equal((await post('/auth/send-verification', {}, access)).status, 200);
  await request(`/auth/verify-email?token=${await linked(people, 'ada@example.org', /Confirm/)}`, { as: null });
  t.same(refusal(await post('/auth/send-verification', {}, access)), [400, 'ALREADY_VERIFIED']);
  t.same(refusal(await post('/auth/send-verification')), [401, 'UNAUTHORIZED']);
  const guest = sessionOf(await post('/auth/anonymous'));
  t.same(refusal(await post('/auth/send-verification', {}, guest.access)), [409, 'UNDELIVERABLE_ADDRESS']);
  t.same(refusal(await post('/auth/change-email', { newEmail: 'g@example.org' }, guest.access)), [403, 'ANONYMOUS_USER']);
});

test('an address changes once the new one is confirmed', async t => {
  const people = await serveAccounts(t);
  const { post, register, login, request } = people;
  const { access } = await register('ada@example.org');
  await register('taken@example.org');
  const change = (newEmail: string) => post('/auth/change-email', { newEmail }, access);
  t.same(refusal(await change('ADA@example.org')), [400, 'EMAIL_UNCHANGED']);
  t.same(refusal(await change('taken@example.org')), [409, 'EMAIL_EXISTS']);
  t.same(refusal(await change('x@anonymous.local')), [409, 'UNDELIVERABLE_ADDRESS']);
  t.same(refusal(await post('/auth/change-email', {}, access)), [400, 'INVALID_INPUT']);
  const asked = await change('Countess@example.org');
  t.match(asked.body, { success: true, pendingEmail: 'countess@example.org', expiresAt: /^\d{4}-.*Z$/ });
  t.match((await request('/auth/me', { as: access })).body.user, { email: 'ada@example.org', pendingEmail: 'countess@example.org' });
  const token = await linked(people, 'countess@example.org', /Confirm your new/);
  t.match((await mailsTo(people, 'ada@example.org', /about to change/))[0]?.text, /countess@example\.org/, 'the old address is told');
  t.match((await post('/auth/confirm-email-change', { token }, access)).body,
    { success: true, user: { email: 'countess@example.org', emailVerified: true }, removedProviders: [] });
  t.same(refusal(await post('/auth/confirm-email-change', { token })), [401, 'TOKEN_ALREADY_USED']);
  t.match((await request('/auth/me', { as: access })).body.user, { email: 'countess@example.org', pendingEmail: null });
  await login('countess@example.org');
});

test('an account whose address another person confirms loses its earlier credentials', async t => {
  const people = await serveAccounts(t);
  const { post, register } = people;
  await register('first@example.org');
  const mallory = await register('mallory@example.org');
  await people.request(`/auth/verify-email?token=${await linked(people, 'mallory@example.org', /Confirm/)}`, { as: mallory.access });
  await post('/auth/change-email', { newEmail: 'victim@example.org' }, mallory.access);
  t.equal((await post('/auth/confirm-email-change', { token: await linked(people, 'victim@example.org', /Confirm your new/) })).status, 200,
    'the victim follows the link');
  await post('/auth/magic-link', { email: 'victim@example.org' });
  await post('/auth/magic-link/verify', { token: await linked(people, 'victim@example.org', /sign-in link/) });
  t.same(refusal(await post('/auth/login', { email: 'victim@example.org', password: PASSWORD })), [401, 'INVALID_CREDENTIALS']);
  t.same(refusal(await people.request('/auth/me', { as: mallory.access })), [401, 'SESSION_REVOKED']);
});

test('with confirmation first, registering reveals no account, and signing in waits for the link', async t => {
  const people = await serveAccounts(t, { ...OPEN, AUTH_REQUIRE_EMAIL_VERIFICATION: 'true' });
  const { post, request, login } = people;
  const register = (email: string) => post('/auth/register', { email, password: PASSWORD });
  const answers = [await register('ada@example.org'), await register('ada@example.org')];
  t.same(answers.map(({ status, body }) => [status, body]), [[200, { confirmationRequired: true }], [200, { confirmationRequired: true }]]);
  const token = await linked(people, 'ada@example.org', /Confirm/);
  t.equal((await mailsTo(people, 'ada@example.org')).length, 1, 'one mail');
  t.same(refusal(await post('/auth/login', { email: 'ada@example.org', password: 'Wrong-horse-1' })), [401, 'INVALID_CREDENTIALS']);
  t.same(refusal(await post('/auth/login', { email: 'ada@example.org', password: PASSWORD })), [403, 'EMAIL_NOT_CONFIRMED']);
  t.equal((await mailsTo(people, 'ada@example.org')).length, 1, 'not another within a minute');
  await request(`/auth/verify-email?token=${token}`, { as: null });
  await login('ada@example.org');
});

test('an invited person chooses a password within seven days', async t => {
  const people = await serveAccounts(t);
  const { request, post, login, sql } = people;
  const invited = await request('/admin/users', { method: 'POST', body: JSON.stringify({ email: 'ada@example.org', roles: ['editor'] }) });
  t.match(invited.body, { invitationSent: true, user: { roles: ['editor'] } });
  t.notOk('temporaryPassword' in invited.body);
  t.match((await mailsTo(people, 'ada@example.org', /invited/))[0]?.text, /7 days/);
  const [row] = await sql`select extract(day from expires_at - created_at)::int as days from service.one_time_tokens
    where purpose = 'invitation'`;
  t.equal(row?.['days'], 7);
  t.equal((await post('/auth/reset-password', { token: await linked(people, 'ada@example.org', /invited/), password: NEW })).status, 200);
  const { uid, access } = await login('ada@example.org', NEW);
  const reset = await request(`/admin/users/${uid}/reset-password`, { method: 'POST' });
  t.match(reset.body, { invitationSent: true });
  t.same(refusal(await request('/auth/me', { as: access })), [401, 'SESSION_REVOKED']);
  t.equal(
    (await post('/auth/reset-password', { token: await linked(people, 'ada@example.org', /new password/), password: PASSWORD })).status,
    200,
  );
  await login('ada@example.org');
});

test('without mail no mail is promised', async t => {
  const { url } = await createDatabase(t, { template: 'served' });
  const { post, register } = await serveAt(t, url,
    { ...OPEN, NODE_ENV: 'production', DATABASE_URL: url, CORS_ORIGINS: 'https://app.example.com' });
  const { access } = await register('ada@example.org');
  for (const path of ['/auth/forgot-password', '/auth/magic-link', '/auth/otp']) {
    for (const email of ['ada@example.org', 'nobody@example.org']) {
      t.same(refusal(await post(path, { email })), [503, 'EMAIL_NOT_CONFIGURED'], path);
    }
  }
  t.same(refusal(await post('/auth/send-verification', {}, access)), [503, 'EMAIL_NOT_CONFIGURED']);
  t.same(refusal(await post('/auth/change-email', { newEmail: 'a@b.cc' }, access)), [503, 'EMAIL_NOT_CONFIGURED']);
});

test('account routes are limited', async t => {
  const { post, register, request } = await serveAccounts(t);
  const { access } = await register('ada@example.org');
  const statuses: number[] = [];
  for (let n = 0; n < 6; n++) {
    statuses.push((await post('/auth/forgot-password', { email: `${n % 2 ? ' ADA' : 'ada'}@example.org` })).status);
  }
  t.same(statuses, [200, 200, 200, 200, 200, 429], 'five mails to one address');
  t.equal((await post('/auth/otp', { email: 'ada@example.org' })).status, 200, 'codes are counted by themselves');
  const guesses = await Promise.all(Array.from({ length: 7 },
    (_, n) => post('/auth/otp/verify', { email: 'ada@example.org', code: `00000${n}` })));
  t.equal(guesses.filter(({ status }) => status === 429).length, 2, 'five guesses');
  const strict = await Promise.all(Array.from({ length: 60 }, () => post('/auth/magic-link/verify', { token: 'unknown' })));
  const refused = strict.filter(({ status }) => status === 429);
  t.ok(refused.length > 0);
  t.match(refused[0]?.body, { error: { code: 'RATE_LIMITED', message: /Try again in/ } });
  t.match(refused[0]?.headers.get('retry-after'), /^\d+$/);
  const attempts = await Promise.all(Array.from({ length: 210 }, () => post('/auth/login', {})));
  t.equal(attempts.filter(({ status }) => status === 429).length, 11, 'the registration counted too');
  t.equal((await request('/auth/me', { as: access })).status, 200, 'who is signed in is not limited');
  t.equal((await post('/auth/refresh', { refreshToken: 'x' })).status, 401);
});

test('where no identity may be removed a proof that would have to is refused, and its link stays good', async t => {
  const people = await serveAccounts(t, { ...OPEN, ...settingsFile(t, { unlinkIdentities: false }) });
  const { register, post, sql } = people;
  await register('first@example.org');
  const { uid } = await register('ada@example.org');
  await sql`insert into service.user_identities (provider, provider_id, uid, email) values ('github', '1', ${uid}, 'mallory@example.org')`;
  for (const path of ['magic-link', 'forgot-password', 'otp']) await post(`/auth/${path}`, { email: 'ada@example.org' });
  const magic = { token: await linked(people, 'ada@example.org', /sign-in link/) };
  const refused = { status: 409, code: 'UNVERIFIED_IDENTITIES', details: { providers: ['github'] } };
  const proofs: [path: string, body: object][] = [['magic-link/verify', magic],
    ['reset-password', { token: await linked(people, 'ada@example.org', /new password/), password: PASSWORD }],
    ['otp/verify', { email: 'ada@example.org', code: await code(people, 'ada@example.org') }],
    ['verify-email', { token: await linked(people, 'ada@example.org', /Confirm/), removeUnproven: true }]];
  for (const [path, body] of proofs) {
    const answer = await post(`/auth/${path}`, body);
    t.match({ status: answer.status, ...answer.body.error }, refused, path);
  }
  await sql`delete from service.user_identities`;
  t.equal((await post('/auth/magic-link/verify', magic)).status, 200, 'an admin has decided');
});
