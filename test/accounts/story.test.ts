import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import { test } from 'tap';
import { createDatabase } from '../harness/database.ts';
import { ecKey, rsaKey } from '../identity/token-samples.ts';
import { answerNew, codeOf, enroll, laterOn, pending, signIn } from './authenticator.ts';
import { linked } from './mails.ts';
import { OPEN, PASSWORD, refusal, lendAccounts, serveAt, sessionOf } from './people.ts';
import { settingsFile } from './settings-file.ts';

const NEW = 'Battery-staple-2';

test('a person is invited, signs in with two factors, signs out elsewhere, and forgets the password', async t => {
  const people = await lendAccounts(t, {});
  const { post, request, mailbox, login } = people;
  const ada = 'ada@example.org';
  const invited = await request('/admin/users',
    { method: 'POST', body: JSON.stringify({ email: ada, displayName: 'Ada', roles: ['editor'] }) });
  t.match([invited.status, invited.body], [201, { invitationSent: true, user: { email: ada } }]);
  const invitation = await linked(people, ada, /invited|invitation/i);
  t.equal((await post('/auth/reset-password', { token: invitation, password: PASSWORD })).status, 200);

  const phone = await login(ada);
  const enrolled = await enroll(people, phone.access, { friendlyName: 'Phone' });
  t.equal((await post('/auth/mfa/verify', { factorId: enrolled.factorId, code: codeOf(enrolled.secret) }, phone.access)).status, 200);
  const laptop = await signIn(people, ada, enrolled);
  t.match((await request('/auth/me', { as: laptop.access })).body.user,
    { email: ada, displayName: 'Ada', roles: ['editor'], emailVerified: true, providerId: 'mfa' });

  t.equal((await request('/auth/sessions', { as: laptop.access })).body.sessions.length, 2);
  t.equal((await request('/auth/sessions', { as: laptop.access, method: 'DELETE' })).status, 200);
  t.same(refusal(await request('/auth/me', { as: phone.access })), [401, 'SESSION_REVOKED']);
  t.same(refusal(await post('/auth/refresh', { refreshToken: phone.refresh })), [401, 'SESSION_REVOKED']);
  t.equal((await request('/auth/me', { as: laptop.access })).status, 200);

  const waiting = await pending(people, ada);
  await mailbox?.clear();
  await post('/auth/forgot-password', { email: ada });
  t.equal((await post('/auth/reset-password', { token: await linked(people, ada, /new password/), password: NEW })).status, 200);
  t.same(refusal(await request('/auth/me', { as: laptop.access })), [401, 'SESSION_REVOKED']);
  t.same(refusal(await post('/auth/mfa/challenge', { factorId: enrolled.factorId }, waiting)), [401, 'SESSION_REVOKED']);
  t.same(refusal(await post('/auth/login', { email: ada, password: PASSWORD })), [401, 'INVALID_CREDENTIALS']);
  const asked = await post('/auth/login', { email: ada, password: NEW });
  t.same(refusal(asked), [401, 'MFA_REQUIRED'], 'a mailbox is one factor');
  await laterOn(people);
  const again = sessionOf(await answerNew(people, enrolled.factorId, codeOf(enrolled.secret), asked.body.error.details.mfaToken));
  t.equal((await request('/auth/me', { as: again.access })).status, 200);
});

test('others verify our tokens by what is published, while the signing key changes', async t => {
  const { url } = await createDatabase(t, { template: 'served' });
  const [before, after] = [rsaKey('2026-05').signing, ecKey('2026-11').signing];
  const start = async (...keys: (typeof before)[]) => {
    const signingKeys = keys.map(({ kid, privateKeyPem: privateKey }) => ({ kid, privateKey }));
    const service = await serveAt(t, url, { ...OPEN, ...settingsFile(t, { signingKeys }) });
    const published = createRemoteJWKSet(new URL(`${service.address}/.well-known/jwks.json`));
    return { ...service, verifies: (token: string) =>
      jwtVerify(token, published).then(({ payload }) => payload['uid'], (error: unknown) => (error as { code: string }).code) };
  };
  const first = await start(before);
  const { access: old, refresh, uid } = await first.register('ada@example.org');
  t.match(decodeProtectedHeader(old), { alg: 'RS256', kid: '2026-05' });
  t.equal(await first.verifies(old), uid);

  const both = await start(after, before);
  const { access: current } = sessionOf(await both.post('/auth/refresh', { refreshToken: refresh }));
  t.match(decodeProtectedHeader(current), { alg: 'ES256', kid: '2026-11' });
  for (const token of [old, current]) {
    t.equal(await both.verifies(token), uid);
    t.equal((await both.request('/auth/me', { as: token })).status, 200);
  }
  t.equal(await first.verifies(current), 'ERR_JWKS_NO_MATCHING_KEY', 'a gateway of before does not publish it yet');

  const last = await start(after);
  t.equal(await last.verifies(current), uid);
  t.equal(await last.verifies(old), 'ERR_JWKS_NO_MATCHING_KEY');
  t.same(refusal(await last.request('/auth/me', { as: old })), [401, 'UNAUTHORIZED']);
});
