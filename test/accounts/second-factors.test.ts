import { decodeJwt } from 'jose';
import { pino } from 'pino';
import { test } from 'tap';
import { createDatabase } from '../harness/database.ts';
import { openService, SERVICE_KEY } from '../harness/service.ts';
import { answerNew, challenged, codeOf, enroll, laterOn, pending, signIn, withSecondFactor, wrongCodeOf } from './authenticator.ts';
import { code, linked } from './mails.ts';
import { OPEN, PASSWORD, refusal, serveAccounts, serveAt, sessionOf } from './people.ts';

const PRODUCTION = { NODE_ENV: 'production', CORS_ORIGINS: 'https://app.example.com' };
const WITH_GUESTS = { ...OPEN, ALLOW_ANONYMOUS: 'true', APP_NAME: 'Corner: Shop' };

test('an app is enrolled, verified by its first code, and asked for from then on', async t => {
  const people = await serveAccounts(t, WITH_GUESTS);
  const { post, register, request } = people;
  const { access, refresh, uid } = await register('ada@example.org');
  const answer = await post('/auth/mfa/enroll', { friendlyName: 'Phone' }, access);
  t.equal(answer.status, 201);
  t.equal(answer.headers.get('cache-control'), 'no-store');
  const { factor, totp: { secret, uri, qrUri }, recoveryCodes } = answer.body;
  t.same(factor, { id: factor.id, factorType: 'totp', friendlyName: 'Phone' });
  t.match(secret, /^[A-Z2-7]{32}$/, '20 bytes');
  t.equal(uri,
    `otpauth://totp/Corner%3A%20Shop:ada%40example.org?secret=${secret}&issuer=Corner%3A%20Shop&algorithm=SHA1&digits=6&period=30`);
  t.equal(qrUri, uri);
  t.equal(new Set(recoveryCodes).size, 10);
  for (const one of recoveryCodes) t.match(one, /^[0-9A-F]{5}-[0-9A-F]{5}$/);
  t.match((await post('/auth/mfa/enroll', { issuer: 'Else' }, access)).body,
    { factor: { friendlyName: null }, totp: { uri: /^otpauth:\/\/totp\/Else:.*issuer=Else&/ } });
  t.equal((await post('/auth/login', { email: 'ada@example.org', password: PASSWORD })).status, 200,
    'one that is not verified asks for nothing');
  const verify = (given: string) => post('/auth/mfa/verify', { factorId: factor.id, code: given }, access);
  t.same(refusal(await verify(wrongCodeOf(secret))), [401, 'INVALID_CODE']);
  t.match((await verify(codeOf(secret))).body, { success: true, message: /\w/ });
  t.same(refusal(await post('/auth/mfa/verify', { factorId: factor.id, code: codeOf(secret) }, access)), [403, 'AAL2_REQUIRED'],
    'the session has one factor still');
  t.match((await request('/auth/mfa/factors', { as: access })).body, { factors: [
    { id: factor.id, factorType: 'totp', friendlyName: 'Phone', verified: true, createdAt: /^\d{4}-.*Z$/ },
    { factorType: 'totp', friendlyName: null, verified: false },
  ] });

  await laterOn(people);
  const asked = await post('/auth/login', { email: 'ada@example.org', password: PASSWORD });
  t.same(refusal(asked), [401, 'MFA_REQUIRED']);
  const { mfaToken, ...details } = asked.body.error.details;
  t.same(details, { factors: [{ id: factor.id, factorType: 'totp', friendlyName: 'Phone' }] });
  const claims = decodeJwt(mfaToken);
  t.match(claims, { uid, purpose: 'mfa-pending' });
  t.equal((claims.exp ?? 0) - (claims.iat ?? 0), 300);
  const challenge = await post('/auth/mfa/challenge', { factorId: factor.id }, mfaToken);
  t.match(challenge.body, { challengeId: /^[0-9a-f-]{36}$/, factorId: factor.id });
  const life = Date.parse(challenge.body.expiresAt) - Date.now();
  t.ok(life > 240_000 && life <= 301_000, 'five minutes');
  const session = await post('/auth/mfa/challenge/verify', { challengeId: challenge.body.challengeId, code: codeOf(secret) }, mfaToken);
  t.match([session.status, session.body.user], [200, { uid, providerId: 'mfa', email: 'ada@example.org' }]);
  const both = sessionOf(session);
  t.equal(decodeJwt(both.access)['aal'], 'aal2');
  t.match((await request('/auth/me', { as: both.access })).body.user, { providerId: 'mfa' });
  t.equal(decodeJwt(sessionOf(await post('/auth/refresh', { refreshToken: both.refresh })).access)['aal'], 'aal2');
  t.equal(decodeJwt(sessionOf(await post('/auth/refresh', { refreshToken: refresh })).access)['aal'], 'aal1',
    'a session of before goes on as it was');
  t.equal((await request('/auth/sessions', { as: both.access })).body.sessions.length, 3);
});

test('a session with one factor is raised to two, and routes that need two ask for them', async t => {
  const people = await serveAccounts(t, WITH_GUESTS);
  const { post, register, request } = people;
  await register('first@example.org');
  const ada = await withSecondFactor(people, 'ada@example.org');
  const bob = await register('bob@example.org');
  const unenroll = (factorId: string, as: string | null) =>
    request('/auth/mfa/unenroll', { method: 'DELETE', as, body: JSON.stringify({ factorId }) });
  t.same(refusal(await post('/auth/mfa/enroll', {}, ada.access)), [403, 'AAL2_REQUIRED']);
  t.same(refusal(await unenroll(ada.factorId, ada.access)), [403, 'AAL2_REQUIRED']);
  t.same(refusal(await post('/auth/change-email', { newEmail: 'new@example.org' }, ada.access)), [403, 'AAL2_REQUIRED']);
  const raised = await answerNew(people, ada.factorId, codeOf(ada.secret), ada.access);
  t.match(raised.body.user, { uid: ada.uid, providerId: 'mfa' });
  const { access } = sessionOf(raised);
  t.equal((await post('/auth/change-email', { newEmail: 'new@example.org' }, access)).status, 200);
  const second = await enroll(people, access, { friendlyName: 'Tablet' });
  t.same(refusal(await post('/auth/mfa/verify', { factorId: second.factorId, code: codeOf(second.secret) }, ada.access)),
    [403, 'AAL2_REQUIRED']);
  t.same(refusal(await post('/auth/mfa/challenge', { factorId: second.factorId }, access)), [400, 'FACTOR_NOT_VERIFIED']);
  t.same(refusal(await post('/auth/mfa/verify', { factorId: ada.factorId, code: codeOf(ada.secret) }, access)), [400, 'ALREADY_VERIFIED']);
  t.equal((await post('/auth/mfa/verify', { factorId: second.factorId, code: codeOf(second.secret) }, access)).status, 200);
  t.equal((await post('/auth/login', { email: 'ada@example.org', password: PASSWORD })).body.error.details.factors.length, 2);

  const theirs = await enroll(people, bob.access);
  t.same(refusal(await unenroll(theirs.factorId, bob.access)), [403, 'AAL2_REQUIRED'], 'always');
  for (const factorId of [theirs.factorId, 'unknown', '00000000-0000-0000-0000-000000000000']) {
    t.same(refusal(await post('/auth/mfa/verify', { factorId, code: '123456' }, access)), [404, 'NOT_FOUND']);
    t.same(refusal(await post('/auth/mfa/challenge', { factorId }, access)), [404, 'NOT_FOUND']);
    t.same(refusal(await unenroll(factorId, access)), [404, 'NOT_FOUND']);
  }
  t.match((await unenroll(ada.factorId, access)).body, { success: true });
  t.same(refusal(await post('/auth/login', { email: 'ada@example.org', password: PASSWORD })), [401, 'MFA_REQUIRED']);
  t.equal((await unenroll(second.factorId, access)).status, 200);
  t.equal((await post('/auth/login', { email: 'ada@example.org', password: PASSWORD })).status, 200, 'the last one is gone');

  const guest = sessionOf(await post('/auth/anonymous'));
  t.same(refusal(await post('/auth/mfa/enroll', {}, guest.access)), [403, 'ANONYMOUS_USER']);
  const wrong: [path: string, body: object, field: string][] = [
    ['enroll', { friendlyName: 'x'.repeat(256) }, 'friendlyName'], ['enroll', { issuer: 7 }, 'issuer'],
    ['verify', { code: '12345', factorId: 'x' }, 'code'], ['verify', { code: 'A1B2C-D3E4F', factorId: 'x' }, 'code'],
    ['challenge', {}, 'factorId'], ['challenge/verify', { challengeId: 'x', code: 'A1B2C-D3E4G' }, 'code'],
  ];
  for (const [path, body, field] of wrong) {
    const answer = await post(`/auth/mfa/${path}`, body, bob.access);
    t.match([...refusal(answer), answer.body.error.message], [400, 'INVALID_INPUT', new RegExp(`^${field}: `)]);
  }
  for (const [method, path] of [
    ['POST', 'enroll'], ['POST', 'verify'], ['GET', 'factors'], ['DELETE', 'unenroll'], ['POST', 'challenge'], ['POST', 'challenge/verify'],
  ] as const) {
    const body = method === 'GET' ? {} : { body: '{}' };
    t.same(refusal(await request(`/auth/mfa/${path}`, { method, as: null, ...body })), [401, 'UNAUTHORIZED'], path);
    t.same(refusal(await request(`/auth/mfa/${path}`, { method, as: SERVICE_KEY, ...body })), [404, 'NOT_FOUND'], path);
  }
});

test('a recovery code stands in for the app, once', async t => {
  const people = await serveAccounts(t);
  const { sql } = people;
  const ada = await withSecondFactor(people, 'ada@example.org');
  const [first = '', second = '', third = ''] = ada.recoveryCodes;
  const token = await pending(people, 'ada@example.org');
  const both = sessionOf(await answerNew(people, ada.factorId, first, token));
  t.equal(decodeJwt(both.access)['aal'], 'aal2');
  t.same(refusal(await answerNew(people, ada.factorId, first, token)), [401, 'INVALID_CODE']);
  t.equal((await answerNew(people, ada.factorId, second.toLowerCase().replace('-', ''), token)).status, 200, 'however it is typed');
  const [{ held } = {}] = await sql`select count(*)::int as held from service.recovery_codes`;
  t.equal(held, 8);
  const other = await enroll(people, both.access);
  t.equal((await answerNew(people, ada.factorId, third, token)).status, 200, 'those of before hold until the new factor is verified');
  t.same(refusal(await answerNew(people, ada.factorId, other.recoveryCodes[0] ?? '', token)), [401, 'INVALID_CODE']);
  t.equal((await people.post('/auth/mfa/verify', { factorId: other.factorId, code: codeOf(other.secret) }, both.access)).status, 200);
  t.same(refusal(await answerNew(people, ada.factorId, ada.recoveryCodes[3] ?? '', token)), [401, 'INVALID_CODE'],
    'then the new ones take their place');
  t.equal((await answerNew(people, ada.factorId, other.recoveryCodes[0] ?? '', token)).status, 200, 'with every factor');
  for (const factorId of [ada.factorId, other.factorId]) {
    t.equal((await people.request('/auth/mfa/unenroll', { method: 'DELETE', as: both.access, body: JSON.stringify({ factorId }) })).status,
      200);
  }
  t.same(await sql`select from service.recovery_codes`, [], 'with the last factor they go');
});

test('nothing of a second factor is stored that can be used', async t => {
  const people = await serveAccounts(t);
  const { secret, recoveryCodes } = await withSecondFactor(people, 'ada@example.org');
  const [rows] = await people.sql`
    select (select f::text from service.mfa_factors f) || (select string_agg(c::text, '') from service.recovery_codes c) as all,
      (select bool_and(exists (select from service.recovery_codes c where c.code_hash = sha256(replace(g, '-', '')::bytea)))
       from jsonb_array_elements_text(${people.sql.json(recoveryCodes)}) g) as hashed`;
  t.ok(rows?.['hashed'], 'of recovery codes SHA-256');
  for (const given of [
    secret, Buffer.from(secret).toString('hex'), recoveryCodes[0] ?? '',
    Buffer.from(recoveryCodes[0]?.replace('-', '') ?? '').toString('hex'),
  ]) {
    t.notOk(String(rows?.['all']).includes(given));
  }
});

test('every way to sign in asks for the second factor', async t => {
  const people = await serveAccounts(t, WITH_GUESTS);
  const { post, register, sql } = people;
  const unconfirmed = await linkOf();
  const ada = await withSecondFactor(people, 'ada@example.org');

  async function linkOf(): Promise<() => Promise<string>> {
    await register('first@example.org');
    return () => linked(people, 'ada@example.org', /Confirm/);
  }

  const withPassword = await post('/auth/verify-email', { token: await unconfirmed(), password: PASSWORD });
  t.same(refusal(withPassword), [401, 'MFA_REQUIRED'], 'confirming the address by the password');
  t.equal((await answerNew(people, ada.factorId, codeOf(ada.secret), withPassword.body.error.details.mfaToken)).status, 200);
  t.same(refusal(await post('/auth/login', { email: 'ada@example.org', password: 'Wrong-horse-1' })), [401, 'INVALID_CREDENTIALS'],
    'nobody else is told');

  await post('/auth/magic-link', { email: 'ada@example.org' });
  const token = await linked(people, 'ada@example.org', /sign-in link/);
  const byLink = await post('/auth/magic-link/verify', { token });
  t.same(refusal(byLink), [401, 'MFA_REQUIRED']);
  t.same(refusal(await post('/auth/magic-link/verify', { token })), [401, 'TOKEN_ALREADY_USED'],
    'the token that it was exchanged for goes on');
  await laterOn(people);
  t.equal((await answerNew(people, ada.factorId, codeOf(ada.secret), byLink.body.error.details.mfaToken)).status, 200);

  await post('/auth/otp', { email: 'ada@example.org' });
  const byCode = await post('/auth/otp/verify', { email: 'ada@example.org', code: await code(people, 'ada@example.org') });
  t.same(refusal(byCode), [401, 'MFA_REQUIRED']);
  t.match(byCode.body.error.details, { mfaToken: /^ey/, factors: [{ id: ada.factorId }] });

  const guest = sessionOf(await post('/auth/anonymous'));
  await sql`update service.mfa_factors set uid = ${guest.uid}`;
  t.same(refusal(await post('/auth/anonymous/link', { email: 'guest@example.org', password: PASSWORD }, guest.access)),
    [401, 'MFA_REQUIRED'], 'whatever a DBA did');
  t.equal((await post('/auth/refresh', { refreshToken: ada.refresh })).status, 200, 'a session that was begun goes on');
});

test('secrets outlive their key, as long as it is listed', async t => {
  const { url, sql } = await createDatabase(t, { template: 'served' });
  const [first, second] = ['the first key of second factors 0123', 'the second key of second factors 012'];
  const sealed = async () =>
    (await sql<{ secret: Buffer }[]>`select sealed_secret as secret from service.mfa_factors`)[0]?.secret.toString('hex');
  const start = async (env: Record<string, string>) => ({ ...await serveAt(t, url, { ...OPEN, ...env }), sql, url });
  const ada = await withSecondFactor(await start({}), 'ada@example.org');
  const withoutKey = await sealed();
  const own = await start({ MFA_ENCRYPTION_KEY: first });
  await signIn(own, 'ada@example.org', ada);
  const byFirst = await sealed();
  t.not(byFirst, withoutKey, 'what JWT_SECRET had sealed is sealed anew when it is used');
  await signIn(own, 'ada@example.org', ada);
  t.equal(await sealed(), byFirst, 'and then stays');
  const without = await start({ MFA_ENCRYPTION_KEY: second });
  const token = await pending(without, 'ada@example.org');
  t.same(refusal(await answerNew(without, ada.factorId, codeOf(ada.secret), token)), [500, 'INTERNAL_ERROR'],
    'without its key no code is right');
  t.equal((await answerNew(without, ada.factorId, ada.recoveryCodes[0] ?? '', token)).status, 200, 'recovery codes need none');
  await signIn(await start({ MFA_ENCRYPTION_KEY: `${second}, ${first}` }), 'ada@example.org', ada);
  await signIn(without, 'ada@example.org', ada);
  await sql`update service.mfa_factors set sealed_secret = set_byte(sealed_secret, 40, get_byte(sealed_secret, 40) # 1)`;
  await laterOn({ sql });
  t.same(refusal(await answerNew(without, ada.factorId, codeOf(ada.secret), await pending(without, 'ada@example.org'))),
    [500, 'INTERNAL_ERROR'], 'nor when it was tampered with');
});

test('a factor enrolled before the address was verified is removed by another person\'s first proof', async t => {
  const people = await serveAccounts(t);
  const { post, register, request } = people;
  await register('first@example.org');
  const squatter = await withSecondFactor(people, 'ada@example.org');
  await post('/auth/magic-link', { email: 'ada@example.org' });
  const owner = await post('/auth/magic-link/verify', { token: await linked(people, 'ada@example.org', /sign-in link/) });
  t.equal(owner.status, 200, 'nobody keeps the owner out');
  t.same((await request('/auth/mfa/factors', { as: sessionOf(owner).access })).body.factors, []);

  await register('dan@example.org');
  await request(`/auth/verify-email?token=${await linked(people, 'dan@example.org', /Confirm/)}`, { as: null });
  const dans = await enroll(people, (await people.login('dan@example.org')).access);
  await post('/auth/mfa/verify', { factorId: dans.factorId, code: codeOf(dans.secret) }, (await people.login('dan@example.org')).access);
  await post('/auth/magic-link', { email: 'dan@example.org' });
  t.equal((await post('/auth/magic-link/verify', { token: await linked(people, 'dan@example.org', /sign-in link/) })).status, 200,
    'nor with the help of a mail scanner');

  await withSecondFactor(people, 'bob@example.org');
  await post('/auth/forgot-password', { email: 'bob@example.org' });
  t.equal(
    (await post('/auth/reset-password', { token: await linked(people, 'bob@example.org', /new password/), password: PASSWORD })).status,
    200,
  );
  t.equal((await post('/auth/login', { email: 'bob@example.org', password: PASSWORD })).status, 200);

  const cyd = await withSecondFactor(people, 'cyd@example.org');
  await request(`/auth/verify-email?token=${await linked(people, 'cyd@example.org', /Confirm/)}`, { as: cyd.access });
  await post('/auth/magic-link', { email: 'cyd@example.org' });
  const proven = await post('/auth/magic-link/verify', { token: await linked(people, 'cyd@example.org', /sign-in link/) });
  t.same(refusal(proven), [401, 'MFA_REQUIRED'], 'who proved it in her own session keeps it');
  await post('/auth/forgot-password', { email: 'cyd@example.org' });
  t.equal(
    (await post('/auth/reset-password', { token: await linked(people, 'cyd@example.org', /new password/), password: PASSWORD })).status,
    200,
  );
  await pending(people, 'cyd@example.org');
  t.ok(squatter.uid !== cyd.uid && (await challenged(people, cyd.factorId, await pending(people, 'cyd@example.org'))) !== '');
});

test('without a key of their own secrets hang on JWT_SECRET, which a start in production says', async t => {
  const { url } = await createDatabase(t, { template: 'served' });
  const warned = async (env: Record<string, string>) => {
    const lines: string[] = [];
    const service = await openService(url, { ...PRODUCTION, ...env, DATABASE_URL: url }, url,
      pino({ level: 'warn' }, { write: (line: string) => { lines.push(line); } }));
    await service.close();
    return lines.filter(line => line.includes('MFA_ENCRYPTION_KEY')).length;
  };
  t.equal(await warned({}), 1);
  t.equal(await warned({ MFA_ENCRYPTION_KEY: 'the first key of second factors 0123' }), 0);
  t.equal(await warned({ SERVICE_AUTH: 'off' }), 0);
  t.equal(await warned({ NODE_ENV: 'test' }), 0);
  for (const wrong of ['too short', 'the first key of second factors 0123,', `the first key of second factors 0123,${'0'.repeat(32)}`]) {
    await t.rejects(warned({ MFA_ENCRYPTION_KEY: wrong }),
      { message: /^MFA_ENCRYPTION_KEY must be one or more secrets, separated by commas, each of at least 32/ });
  }
});
