// Requests about one account that come at once to two gateways on one database.
import { test, type Test } from 'tap';
import { createDatabase } from '../harness/database.ts';
import type { Answer } from '../harness/service.ts';
import { newDevice, ORIGIN, passkeyActions } from './devices.ts';
import { CLIENT, madeIssuer } from './issuer.ts';
import { OPEN, PASSWORD, refusal, serveAt, sessionOf } from './people.ts';
import { fromAfar } from './post-office.ts';

const ROUNDS = [0, 1, 2, 3, 4];
const SIX = [0, 1, 2, 3, 4, 5];
type Name = 'acme' | 'other';

async function served(t: Pick<Test, 'teardown'>) {
  const { url, sql } = await createDatabase(t, { template: 'served' });
  const issuers = { acme: await madeIssuer(t), other: await madeIssuer(t) };
  const env = {
    ...OPEN, ALLOW_ANONYMOUS: 'true', FRONTEND_URL: ORIGIN, TRUSTED_PROXY_HOPS: '1', SERVICE_OIDC_ACME_ISSUER: issuers.acme.url,
    SERVICE_OIDC_ACME_CLIENT_ID: CLIENT.id, SERVICE_OIDC_OTHER_ISSUER: issuers.other.url, SERVICE_OIDC_OTHER_CLIENT_ID: CLIENT.id,
  };
  await sql`select service_private.create_first_admin('admin@example.org', 'hash')`;
  const gateways = [await serveAt(t, url, env), await serveAt(t, url, env)] as const;
  const told = async (name: Name, claims: object) => ({ idToken: await issuers[name].idToken({ claims: { ...claims } }) });
  const post = (n: number, path: string, body: object = {}, as: string | null = null) =>
    gateways[n % 2 as 0 | 1].post(path, body, as, fromAfar());
  const remove = (n: number, path: string, as: string) => gateways[n % 2 as 0 | 1].request(path, { method: 'DELETE', as });
  /** The gateways know the issuers' keys, so that answers do not wait for them one by one. */
  for (const [n] of gateways.entries()) for (const name of ['acme', 'other'] as const) {
    await post(n, `/auth/${name}`, await told(name, { sub: 'first', email: 'first@example.org' }));
  }
  return { sql, gateways, told, post, remove, ...passkeyActions((path, body, as) => post(0, path, body, as)) };
}

const outcomes = (answers: Answer[]) => answers.map(({ status, body }) => `${status} ${body.error?.code ?? ''}`).sort();

test('first sign-ins at once, by two providers at two gateways, make one account', async t => {
  const { sql, told, post } = await served(t);
  for (const round of ROUNDS) {
    const email = `ada${round}@example.org`;
    const tokens = await Promise.all(Array.from({ length: 8 }, async (_, n) => {
      const name = n % 4 < 2 ? 'acme' : 'other';
      return { n, name, token: await told(name, { sub: `ada-${round}`, email }) };
    }));
    const answers = await Promise.all(tokens.map(({ n, name, token }) => post(n, `/auth/${name}`, token)));
    t.same(outcomes(answers), tokens.map(() => '200 '));
    t.equal(new Set(answers.map(({ body }) => body.user.uid)).size, 1);
    t.same(await sql`
      select i.provider from service.user_identities i join service.users u on u.uid = i.uid
      where u.email = ${email} and i.is_proven order by i.provider`, [{ provider: 'acme' }, { provider: 'other' }]);
  }
});

test('beside a registration there is one account, and no provider comes into a stranger\'s', async t => {
  const { sql, told, post } = await served(t);
  for (const round of ROUNDS) {
    const email = `ada${round}@example.org`;
    const tokens = [await told('acme', { sub: `ada-${round}`, email }), await told('other', { sub: `ada-${round}`, email })];
    const [registered, ...rest] = await Promise.all([
      post(0, '/auth/register', { email, password: PASSWORD }), post(1, '/auth/acme', tokens[0]), post(0, '/auth/other', tokens[1]),
      ...round % 2 === 0 ? [] : [post(1, '/auth/register', { email, password: PASSWORD })],
    ]) as [Answer, ...Answer[]];
    const [first, second, other] = rest as [Answer, Answer, Answer | undefined];
    const isRegistered = [registered, other].some(answer => answer?.status === 201);
    for (const answer of [first, second]) {
      t.same(answer.status === 200 ? 200 : refusal(answer), isRegistered ? [403, 'EMAIL_NOT_VERIFIED'] : 200);
    }
    const [account, ...others] = await sql<{ uid: string; providers: number; has_password: boolean }[]>`
      select u.uid, u.password_hash is not null as has_password,
        (select count(*)::int from service.user_identities i where i.uid = u.uid) as providers
      from service.users u where u.email = ${email}`;
    t.same(others, []);
    t.match(account, isRegistered ? { has_password: true, providers: 0 } : { has_password: false, providers: 2 });
  }
});

test('guests who link one address at once become one account', async t => {
  const { told, post, gateways } = await served(t);
  for (const round of ROUNDS) {
    const email = `ada${round}@example.org`;
    const guests = await Promise.all([0, 1].map(async n => sessionOf(await post(n, '/auth/anonymous'))));
    const tokens = [await told('acme', { sub: `ada-${round}`, email }), await told('other', { sub: `ada-${round}`, email })];
    const answers = await Promise.all(guests.map(({ access }, n) =>
      post(n, `/auth/link/${n === 0 ? 'acme' : 'other'}`, tokens[n], access)));
    t.same(outcomes(answers), ['200 ', '409 EMAIL_EXISTS']);
    const { access = '' } = guests[answers.findIndex(({ status }) => status === 409)] ?? {};
    t.match((await gateways[0].request('/auth/me', { as: access })).body.user, { isAnonymous: true });
  }
});

test('of the last two ways in one stays, when both are removed at once', async t => {
  const { sql, told, post, remove, enrol } = await served(t);
  for (const round of ROUNDS) {
    const token = await told('acme', { sub: `ada-${round}`, email: `ada${round}@example.org` });
    const { uid, access } = sessionOf(await post(0, '/auth/acme', token));
    const made = await enrol(access, newDevice());
    t.equal(made.status, 201);
    const paths = ['/auth/identities/acme', `/auth/passkeys/${made.body.passkey.id}`];
    const answers = await Promise.all(paths.map((path, n) => remove(n + round, path, access)));
    t.same(outcomes(answers), ['200 ', '400 INVALID_ACCOUNT']);
    t.match(await sql`
      select (select count(*) from service.user_identities where uid = ${uid}) + (select count(*) from service.passkeys where uid = ${uid})
        as kept`, [{ kept: '1' }]);
  }
});

test('an answer to a challenge that comes at once to two gateways is taken once', async t => {
  const { post, signInOptions, optionsOf } = await served(t);
  const { access } = sessionOf(await post(0, '/auth/register', { email: 'ada@example.org', password: PASSWORD }));
  for (const round of ROUNDS) {
    const device = newDevice(); // each makes one passkey of an account
    const created = { credential: device.createJSON(ORIGIN, await optionsOf(access)) };
    const makes = await Promise.all(SIX.map(n => post(n, '/auth/passkeys', created, access)));
    t.same(outcomes(makes), ['201 ', ...Array.from({ length: 5 }, () => '400 INVALID_CHALLENGE')], `a new passkey, ${round}`);
    const signed = { credential: device.getJSON(ORIGIN, await signInOptions()) };
    const signIns = await Promise.all(SIX.map(n => post(n, '/auth/passkeys/login', signed)));
    t.same(outcomes(signIns), ['200 ', ...Array.from({ length: 5 }, () => '400 INVALID_CHALLENGE')], `a sign-in, ${round}`);
  }
});
