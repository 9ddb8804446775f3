import { SignJWT } from 'jose';
import { test } from 'tap';
import { JWT_SECRET, tokenFor } from '../harness/service.ts';
import { answerNew, challenged, codeOf, enroll, pending, withSecondFactor, wrongCodeOf } from './authenticator.ts';
import { OPEN, PASSWORD, refusal, serveAccounts } from './people.ts';

const codesOf = (answers: { status: number; body: { error?: { code: string } } }[]) =>
  answers.map(({ status, body }) => body.error?.code ?? status).sort();

test('a code is taken once, whichever challenge it answers, and none of before it', async t => {
  const people = await serveAccounts(t);
  const { post } = people;
  const ada = await withSecondFactor(people, 'ada@example.org');
  const token = await pending(people, 'ada@example.org');
  const challenges = await Promise.all([1, 2, 3, 4].map(() => challenged(people, ada.factorId, token)));
  const code = codeOf(ada.secret);
  const answer = (challengeId: string | undefined, sent = code) => post('/auth/mfa/challenge/verify', { challengeId, code: sent }, token);
  const raced = await Promise.all(challenges.map(id => answer(id)));
  t.same(codesOf(raced), [200, 'INVALID_CODE', 'INVALID_CODE', 'INVALID_CODE']);
  const open = challenges[raced.findIndex(({ status }) => status !== 200)];
  t.same(refusal(await answer(open)), [401, 'INVALID_CODE'], 'nor later');
  t.same(refusal(await answer(open, codeOf(ada.secret, -1))), [401, 'INVALID_CODE'], 'the one before it is over, taken or not');
  t.equal((await answer(open, codeOf(ada.secret, 1))).status, 200, 'the next one may come early');
  t.same(refusal(await answer(open, codeOf(ada.secret, 1))), [400, 'INVALID_CHALLENGE'], 'an answered challenge is over');
});

test('a verified factor\'s first code does not sign in as well', async t => {
  const people = await serveAccounts(t);
  const { access } = await people.register('ada@example.org');
  const { factorId, secret } = await enroll(people, access);
  const code = codeOf(secret);
  const raced = await Promise.all([1, 2, 3].map(() => people.post('/auth/mfa/verify', { factorId, code }, access)));
  t.same(codesOf(raced), [200, 'AAL2_REQUIRED', 'AAL2_REQUIRED'], 'one of three verifies it');
  t.same(refusal(await answerNew(people, factorId, code, access)), [401, 'INVALID_CODE']);
});

test('five wrong codes spend a challenge, however many come at once', async t => {
  const people = await serveAccounts(t);
  const ada = await withSecondFactor(people, 'ada@example.org');
  const token = await pending(people, 'ada@example.org');
  const challengeId = await challenged(people, ada.factorId, token);
  const answer = (code: string) => people.post('/auth/mfa/challenge/verify', { challengeId, code }, token);
  const wrong = wrongCodeOf(ada.secret);
  const tried = await Promise.all([wrong, 'FFFFF-00000', wrong, wrong, wrong, wrong, wrong].map(answer));
  t.same(codesOf(tried), ['CHALLENGE_EXHAUSTED', 'CHALLENGE_EXHAUSTED', ...Array<string>(5).fill('INVALID_CODE')]);
  t.same(refusal(await answer(codeOf(ada.secret))), [401, 'CHALLENGE_EXHAUSTED'], 'the right one comes too late');
  t.same(refusal(await answer(ada.recoveryCodes[0] ?? '')), [401, 'CHALLENGE_EXHAUSTED']);
  const over = await answer(wrong); // 1 to enrol, 9 answers: the limit is reached
  t.same([...refusal(over), Number(over.headers.get('retry-after')) > 0], [429, 'RATE_LIMITED', true],
    'and one account is tried ten times');
});

test('a recovery code that is raced signs in once', async t => {
  const people = await serveAccounts(t);
  const ada = await withSecondFactor(people, 'ada@example.org');
  const token = await pending(people, 'ada@example.org');
  const challenges = await Promise.all([1, 2, 3].map(() => challenged(people, ada.factorId, token)));
  const raced = await Promise.all(challenges.map(challengeId =>
    people.post('/auth/mfa/challenge/verify', { challengeId, code: ada.recoveryCodes[4] }, token)));
  t.same(codesOf(raced), [200, 'INVALID_CODE', 'INVALID_CODE']);
});

test('challenges are of their account, and end', async t => {
  const people = await serveAccounts(t);
  const { post, register, sql } = people;
  const ada = await withSecondFactor(people, 'ada@example.org');
  const mallory = await register('mallory@example.org');
  const token = await pending(people, 'ada@example.org');
  const challengeId = await challenged(people, ada.factorId, token);
  const answer = (as: string, id: unknown = challengeId) =>
    post('/auth/mfa/challenge/verify', { challengeId: id, code: codeOf(ada.secret) }, as);
  t.same(refusal(await answer(mallory.access)), [400, 'INVALID_CHALLENGE'], 'somebody else\'s');
  for (const id of ['unknown', '00000000-0000-0000-0000-000000000000', '\'; drop table service.users']) {
    t.same(refusal(await answer(token, id)), [400, 'INVALID_CHALLENGE']);
  }
  t.same(refusal(await post('/auth/mfa/challenge', { factorId: ada.factorId }, mallory.access)), [404, 'NOT_FOUND']);
  await sql`update service.mfa_challenges set expires_at = clock_timestamp() - interval '1 millisecond'`;
  t.same(refusal(await answer(token)), [400, 'INVALID_CHALLENGE'], 'one that has expired');
  const next = await challenged(people, ada.factorId, token);
  t.same((await sql`select id from service.mfa_challenges`).map(({ id }) => String(id)), [next], 'and it is gone when the next one begins');
  t.equal((await answer(token, next)).status, 200);
});

test('a sign-in that waits ends with what it was begun with', async t => {
  const people = await serveAccounts(t);
  const { post, request, sql } = people;
  const ada = await withSecondFactor(people, 'ada@example.org');
  const goesOn = (as: string) => post('/auth/mfa/challenge', { factorId: ada.factorId }, as);
  const answer = (challengeId: string, as: string) => post('/auth/mfa/challenge/verify', { challengeId, code: codeOf(ada.secret) }, as);
  const ofBefore = await pending(people, 'ada@example.org');
  const challengeId = await challenged(people, ada.factorId, ofBefore);
  t.equal((await post('/auth/change-password', { oldPassword: PASSWORD, newPassword: PASSWORD }, ada.access)).status, 200);
  t.same(refusal(await goesOn(ofBefore)), [401, 'SESSION_REVOKED'], 'within one second too');
  t.same(refusal(await answer(challengeId, ofBefore)), [401, 'SESSION_REVOKED']);
  const again = await pending(people, 'ada@example.org');
  t.same(refusal(await answer(challengeId, again)), [400, 'INVALID_CHALLENGE'], 'a challenge of before');
  await sql`select service.end_all_sessions(${ada.uid})`;
  t.same(refusal(await goesOn(again)), [401, 'SESSION_REVOKED']);
  const last = await pending(people, 'ada@example.org');
  const open = await challenged(people, ada.factorId, last);
  await sql`update service.users set disabled = true`;
  t.same(refusal(await goesOn(last)), [401, 'UNAUTHORIZED']);
  t.same(refusal(await answer(open, last)), [401, 'UNAUTHORIZED']);
  t.same(refusal(await post('/auth/login', { email: 'ada@example.org', password: PASSWORD })), [403, 'FORBIDDEN']);
  await sql`update service.users set disabled = false`;
  t.equal((await answer(open, last)).status, 200, 'what was ended was the account, not the code');
  await sql`delete from service.users`;
  t.same(refusal(await goesOn(last)), [401, 'UNAUTHORIZED']);
  t.same(await sql`select from service.mfa_factors`, []);
  t.equal((await request('/auth/config', { as: null })).status, 200);
});

test('the token of a sign-in that waits is no access token, nor is anything else such a token', async t => {
  const people = await serveAccounts(t, { ...OPEN, AUTH_REQUIRE: 'false', AUTH_ALLOW_USER_LOOKUP: 'true' }, { template: 'served_store' });
  const { post, request } = people;
  const ada = await withSecondFactor(people, 'ada@example.org');
  const token = await pending(people, 'ada@example.org');
  const routes: [method: string, path: string][] = [
    ['GET', '/auth/me'], ['PATCH', '/auth/me'], ['GET', '/auth/sessions'], ['DELETE', '/auth/sessions'], ['DELETE', '/auth/sessions/x'],
    ['POST', '/auth/change-password'], ['POST', '/auth/find-user'], ['POST', '/auth/change-email'], ['POST', '/auth/send-verification'],
    ['POST', '/auth/anonymous/link'], ['POST', '/auth/mfa/enroll'], ['POST', '/auth/mfa/verify'], ['GET', '/auth/mfa/factors'],
    ['DELETE', '/auth/mfa/unenroll'], ['POST', '/auth/logout'], ['GET', '/data/collections'], ['GET', '/data/products'],
    ['POST', '/data/products'], ['GET', '/admin/users'], ['POST', '/admin/bootstrap'], ['GET', '/meta/contract'],
  ];
  for (const [method, path] of routes) {
    t.same(refusal(await request(path, { method, as: token, ...(method !== 'GET' && { body: '{}' }) })), [401, 'UNAUTHORIZED'],
      `${method} ${path}`);
  }
  t.same(refusal(await post('/auth/refresh', { refreshToken: token })), [401, 'INVALID_TOKEN']);
  const signed = (claims: object, secret = JWT_SECRET, lives = '5m') =>
    new SignJWT({ purpose: 'mfa-pending', uid: ada.uid, tokensValidAfter: null, ...claims })
    .setProtectedHeader({ alg: 'HS256' }).setIssuedAt().setExpirationTime(lives).sign(new TextEncoder().encode(secret));
  const attacks: Record<string, string> = {
    'of another secret': await signed({}, 'another secret that is long enough 0123456789'),
    'expired': await signed({}, JWT_SECRET, '-1s'),
    'of another purpose': await signed({ purpose: 'file-read' }),
    'of nobody': await signed({ uid: undefined }),
    'of no account': await signed({ uid: 'nobody' }),
    'without a signature': `${token.split('.').slice(0, 2).join('.')}.`,
    'without an end': await new SignJWT({ purpose: 'mfa-pending', uid: ada.uid }).setProtectedHeader({ alg: 'HS256' })
      .sign(new TextEncoder().encode(JWT_SECRET)),
    'a refresh token': ada.refresh,
  };
  for (const [name, as] of Object.entries(attacks)) {
    t.same(refusal(await post('/auth/mfa/challenge', { factorId: ada.factorId }, as)), [401, 'UNAUTHORIZED'], name);
    t.same(refusal(await post('/auth/mfa/challenge/verify', { challengeId: 'x', code: '123456' }, as)), [401, 'UNAUTHORIZED'], name);
  }
  t.same(refusal(await post('/auth/mfa/challenge', { factorId: ada.factorId })), [401, 'UNAUTHORIZED'], 'nor is none');
  const claimed = await tokenFor(ada.uid, [], { aal: 'aal2' });
  t.same(refusal(await post('/auth/mfa/enroll', {}, claimed)), [403, 'AAL2_REQUIRED'],
    'two factors are the session\'s, not what a token says');
});

test('unfinished enrolments stay few', async t => {
  const people = await serveAccounts(t);
  const { access } = await people.register('ada@example.org');
  const made = [];
  for (let n = 0; n < 12; n++) made.push((await enroll(people, access)).factorId);
  const { body } = await people.request('/auth/mfa/factors', { as: access });
  t.same(body.factors.map(({ id }: { id: string }) => id), made.slice(2), 'the newest ten');
});
