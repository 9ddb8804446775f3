import { test } from 'tap';
import {
  createAuth, createClient, enrollFactor, listFactors, memory, removeFactor, RowgateError, verifyFactor, type Auth,
} from '../../../client/src/index.ts';
import { codeOf, laterOn } from '../../accounts/authenticator.ts';
import { code, linked } from '../../accounts/mails.ts';
import { OPEN, PASSWORD, serveAccounts } from '../../accounts/people.ts';
import { until } from '../../harness/until.ts';
import { schema, type Schema } from '../store.types.ts';
import { ADA, refused } from './people.ts';

const NEW = 'Battery-staple-2';

/** Another browser. */
function browser(url: string): Auth {
  return createAuth({ url, storage: memory() });
}

test('a guest becomes an account, and keeps its uid', async t => {
  const { address } = await serveAccounts(t, { ...OPEN, ALLOW_ANONYMOUS: 'true' });
  const auth = browser(address);
  const guest = await auth.anonymous();
  t.equal(guest.user.isAnonymous, true);
  const account = await auth.linkAnonymous(ADA);
  t.match(account, { user: { uid: guest.user.uid, isAnonymous: false, email: ADA.email } });
  t.equal((await auth.me()).providerId, 'password');
});

test('mailed links and codes sign in, prove the address, and set a new password', async t => {
  const people = await serveAccounts(t);
  const { address } = people;
  const auth = browser(address);
  await auth.register(ADA);
  await auth.signOut();
  await auth.sendMagicLink({ email: ADA.email });
  const token = await linked(people, ADA.email, /[Ss]ign in|sign-in/);
  t.match(await auth.verifyMagicLink({ token }), { user: { email: ADA.email, emailVerified: true } });
  await auth.signOut();
  await auth.sendCode({ email: ADA.email });
  t.same(await refused(auth.verifyCode({ email: ADA.email, code: '000000' })), ['INVALID_CODE', 401]);
  t.equal(await auth.session(), undefined);
  t.match(await auth.verifyCode({ email: ADA.email, code: await code(people, ADA.email) }), { user: { email: ADA.email } });
  await auth.forgotPassword({ email: ADA.email });
  await browser(address).resetPassword({ token: await linked(people, ADA.email, /new password/), password: NEW });
  t.same(await refused(auth.me()), ['SESSION_REVOKED', 401], 'every session is ended');
  t.equal(await auth.session(), undefined);
  t.same(await refused(auth.login(ADA)), ['INVALID_CREDENTIALS', 401]);
  t.ok(await auth.login({ ...ADA, password: NEW }));
});

test('where addresses are confirmed first, registering has no session', async t => {
  const people = await serveAccounts(t, { ...OPEN, AUTH_REQUIRE_EMAIL_VERIFICATION: 'true' });
  const auth = browser(people.address);
  t.equal(await auth.register(ADA), undefined);
  t.equal(await auth.session(), undefined);
  t.same(await refused(auth.login(ADA)), ['EMAIL_NOT_CONFIRMED', 403]);
  const token = await linked(people, ADA.email, /./);
  t.match(await auth.verifyEmail({ token, password: PASSWORD }), { user: { email: ADA.email } });
  t.ok(await auth.session());
});

test('a second factor: the refusal has what the sign-in goes on with, and a session is raised to two', async t => {
  const people = await serveAccounts(t);
  const auth = browser(people.address);
  await auth.register(ADA);
  const { factor, totp, recoveryCodes } = await enrollFactor(auth, { friendlyName: 'Phone' });
  await verifyFactor(auth, { factorId: factor.id, code: codeOf(totp.secret) });
  t.match(await listFactors(auth), [{ id: factor.id, friendlyName: 'Phone', verified: true }]);
  t.same(await refused(removeFactor(auth, { factorId: factor.id })), ['AAL2_REQUIRED', 403]);
  await laterOn(people);
  await auth.answerFactor({ factorId: factor.id, code: codeOf(totp.secret) });
  await auth.signOut();
  try {
    await auth.login(ADA);
    t.fail('a password is not enough');
  } catch (error) {
    if (!(error instanceof RowgateError && error.code === 'MFA_REQUIRED')) throw error;
    const { mfaToken, factors: [first] } = error.details;
    t.match(first, { id: factor.id, factorType: 'totp', friendlyName: 'Phone' });
    const answer = (given: string) => auth.answerFactor({ mfaToken, factorId: first?.id ?? '', code: given });
    t.same(await refused(answer(recoveryCodes[0]?.replace(/./, 'Z') ?? '')), ['INVALID_INPUT', 400]);
    t.equal(await auth.session(), undefined);
    t.match(await answer(recoveryCodes[0] ?? ''), { user: { email: ADA.email } });
  }
  await removeFactor(auth, { factorId: factor.id });
  await auth.signOut();
  t.ok(await auth.login(ADA));
});

test('the own account: names, sessions, password and address', async t => {
  const people = await serveAccounts(t);
  const [auth, other] = [browser(people.address), browser(people.address)];
  await auth.register(ADA);
  await other.login(ADA);
  t.equal((await auth.updateMe({ displayName: 'Ada' })).displayName, 'Ada');
  t.equal((await auth.session())?.user.displayName, null, 'the session tells it after a refresh');
  t.equal((await auth.refresh())?.user.displayName, 'Ada');
  const open = await auth.sessions();
  t.equal(open.filter(({ isCurrentSession }) => isCurrentSession).length, 1);
  t.equal(open.length, 2);
  await auth.endOtherSessions();
  t.same(await refused(other.me()), ['SESSION_REVOKED', 401]);
  await other.login(ADA);
  await auth.endSession((await auth.sessions()).find(({ isCurrentSession }) => !isCurrentSession)?.id ?? '');
  t.same(await refused(other.me()), ['SESSION_REVOKED', 401]);
  t.match(await auth.changeEmail({ newEmail: 'new@example.org' }), { pendingEmail: 'new@example.org' });
  await auth.confirmEmailChange({ token: await linked(people, 'new@example.org', /./) });
  t.equal((await auth.me()).email, 'new@example.org');
  await auth.changePassword({ oldPassword: PASSWORD, newPassword: NEW });
  t.equal(await auth.session(), undefined, 'it ends every session');
  t.ok(await auth.login({ email: 'new@example.org', password: NEW }));
});

test('a client with a session sends its token, and refreshes it once where it is refused', async t => {
  const { address } = await serveAccounts(t, { ...OPEN, JWT_ACCESS_EXPIRES_IN: '2s' }, { template: 'served_store' });
  let standing = 0;
  const auth = createAuth({ url: address, storage: memory(), now: () => standing || Date.now() });
  const sent: string[] = [];
  const db = createClient<Schema>({
    url: address, schema, auth, warn: () => undefined,
    fetch: (...request) => { sent.push(new Headers(request[1]?.headers).get('authorization') ?? ''); return fetch(...request); },
  });
  t.equal(db.auth, auth);
  t.same(await refused(db.from('products').list({ limit: 1 })), ['UNAUTHORIZED', 401], 'without a session there is no token');
  await db.auth.register(ADA);
  t.ok(await db.from('products').list({ limit: 1 }));
  const [before] = sent.splice(0).slice(-1);
  await auth.signOut();
  t.same(await refused(db.from('products').list({ limit: 1 })), ['UNAUTHORIZED', 401]);
  await auth.login(ADA);
  sent.length = 0;
  standing = Date.now();
  const end = standing + 2_500;
  await until('the token is over, by every clock but that of the client', () => Date.now() > end);
  t.ok(await db.from('products').list({ limit: 1 }));
  t.equal(sent.length, 2, 'refused, then sent again');
  t.not(sent[0], sent[1]);
  t.match(before, /^Bearer /);
});
