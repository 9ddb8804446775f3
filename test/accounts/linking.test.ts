import { test, type Test } from 'tap';
import { CLIENT, madeIssuer } from './issuer.ts';
import { mailsTo } from './mails.ts';
import { OPEN, PASSWORD, refusal, serveAccounts, serveAt, sessionOf } from './people.ts';

const ADA = 'ada@example.org';

/** A service with the providers `acme` and `other`, and what their ID tokens of a subject say. */
async function served(t: Pick<Test, 'teardown'>) {
  const issuers = { acme: await madeIssuer(t), other: await madeIssuer(t) };
  const ofIssuers = Object.entries(issuers).map(([name, { url }]) => ({
    [`SERVICE_OIDC_${name.toUpperCase()}_ISSUER`]: url, [`SERVICE_OIDC_${name.toUpperCase()}_CLIENT_ID`]: CLIENT.id,
  }));
  const env = Object.assign({ ...OPEN, ALLOW_ANONYMOUS: 'true' }, ...ofIssuers) as Record<string, string>;
  const people = await serveAccounts(t, env);
  await people.sql`select service_private.create_first_admin('admin@example.org', 'hash')`;
  type Name = keyof typeof issuers;
  const told = async (name: Name, claims: object = {}) => ({ idToken: await issuers[name].idToken({ claims: { ...claims } }) });
  return {
    ...people, env, told,
    signIn: async (name: Name, claims: object = {}) => people.post(`/auth/${name}`, await told(name, claims)),
    link: async (name: Name, as: string | null, claims: object = {}) => people.post(`/auth/link/${name}`, await told(name, claims), as),
    identities: async (as: string) => (await people.request('/auth/identities', { as })).body.identities as { provider: string }[],
    unlink: (as: string | null, path: string) => people.request(`/auth/identities/${path}`, { method: 'DELETE', as }),
    guest: async () => sessionOf(await people.post('/auth/anonymous')),
  };
}

test('an identity is linked, shown, signs in, and is removed', async t => {
  const { register, link, signIn, identities, unlink } = await served(t);
  const { uid, access } = await register('ada@home.example');
  t.same(await identities(access), []);
  t.match(await link('acme', access, { picture: 'https://example.org/a.png' }), {
    status: 200, body: { success: true, provider: 'acme', alreadyLinked: false, photoURL: 'https://example.org/a.png' } });
  t.match((await link('acme', access)).body, { alreadyLinked: true });
  t.match(await identities(access), [{ provider: 'acme', providerId: 'ada-1', email: ADA, emailVerified: true, createdAt: /Z$/ }]);
  t.match((await signIn('acme')).body.user, { uid, providerId: 'acme', email: 'ada@home.example' });
  t.match(await unlink(access, 'acme'), { status: 200, body: { success: true, message: /./ } });
  t.same(await identities(access), []);
  t.same(refusal(await unlink(access, 'acme')), [404, 'NOT_FOUND']);
});

test('one of several identities of a provider goes by its id, all without one', async t => {
  const { register, link, identities, unlink } = await served(t);
  const { access } = await register('ada@home.example');
  for (const sub of ['a', 'b', 'c &/ü']) t.equal((await link('acme', access, { sub, email: undefined })).status, 200);
  t.same(refusal(await unlink(access, 'acme?providerId=d')), [404, 'NOT_FOUND']);
  t.equal((await unlink(access, `acme?providerId=${encodeURIComponent('c &/ü')}`)).status, 200);
  t.match(await identities(access), [{ providerId: 'a' }, { providerId: 'b' }]);
  for (const odd of ['other', '%00', 'acme?providerId=%00', 'acme?providerId=', 'acme?providerId=%FF']) {
    t.equal((await unlink(access, odd)).status < 500, true, odd);
  }
  t.equal((await identities(access)).length, 2);
  t.equal((await unlink(access, 'acme')).status, 200);
  t.same(await identities(access), []);
});

test('the last way in stays, also when two requests race', async t => {
  const { signIn, link, unlink, identities } = await served(t);
  for (let round = 0; round < 4; round++) {
    const { access } = sessionOf(await signIn('acme', { sub: `ada-${round}`, email: `ada${round}@example.org` }));
    t.same(refusal(await unlink(access, 'acme')), [400, 'INVALID_ACCOUNT']);
    t.equal((await link('other', access, { sub: `ada-${round}` })).status, 200);
    const ends = await Promise.all(['acme', 'other'].map(name => unlink(access, name)));
    t.same(ends.map(({ status }) => status).sort(), [200, 400]);
    t.equal((await identities(access)).length, 1);
  }
});

test('an identity has one account, also when two link it at once', async t => {
  const { register, link, signIn } = await served(t);
  const [one, other] = [await register('one@example.org'), await register('two@example.org')];
  t.equal((await link('acme', one.access)).status, 200);
  t.same(refusal(await link('acme', other.access)), [409, 'IDENTITY_ALREADY_LINKED']);
  for (let round = 0; round < 6; round++) {
    const ends = await Promise.all([one, other].map(({ access }) => link('other', access, { sub: `raced-${round}` })));
    t.same(ends.map(({ status }) => status).sort(), [200, 409]);
    const [first] = ends;
    const owner = first?.status === 200 ? one.uid : other.uid;
    t.equal((await signIn('other', { sub: `raced-${round}` })).body.user.uid, owner);
  }
});

test('linking needs a live session of a person; a second factor where there is one', async t => {
  const { register, link, unlink, request, sql, login } = await served(t);
  const { uid, access } = await register('ada@home.example');
  t.same(refusal(await link('acme', null)), [401, 'UNAUTHORIZED']);
  t.same(refusal(await unlink(null, 'acme')), [401, 'UNAUTHORIZED']);
  t.same(refusal(await request('/auth/identities', { as: null })), [401, 'UNAUTHORIZED']);
  const made = await request('/admin/api-keys', { method: 'POST', body: JSON.stringify({ name: 'k', scopes: ['data:read'] }) });
  t.same(refusal(await link('acme', made.body.key.key)), [403, 'API_KEY_FORBIDDEN']);
  const other = await login('ada@home.example');
  t.equal((await link('acme', access)).status, 200);
  await sql`insert into service.mfa_factors (uid, factor_type, sealed_secret, next_recovery_codes, verified_at)
    values (${uid}, 'totp', 'x', '{}', now())`;
  t.same(refusal(await link('other', other.access)), [403, 'AAL2_REQUIRED']);
  t.same(refusal(await unlink(other.access, 'acme')), [403, 'AAL2_REQUIRED']);
});

test('a guest who links is an account with the address that the provider tells', async t => {
  const { guest, link, register, request, signIn, mailbox } = await served(t);
  await register('taken@example.org');
  const one = await guest();
  t.same(refusal(await link('acme', one.access, { email: 'taken@example.org' })), [409, 'EMAIL_EXISTS']);
  t.match((await request('/auth/me', { as: one.access })).body.user, { isAnonymous: true });
  t.equal((await link('acme', one.access, { name: 'Ada' })).status, 200);
  t.match((await signIn('acme')).body.user, { uid: one.uid, email: ADA, emailVerified: true, isAnonymous: false, displayName: 'Ada' });

  const unknown = await guest();
  t.equal((await link('acme', unknown.access, { sub: 'no address', email: undefined })).status, 200);
  t.match((await signIn('acme', { sub: 'no address', email: undefined })).body.user,
    { uid: unknown.uid, email: /@acme\.placeholder\.service$/, emailVerified: false });

  const unproven = await guest();
  t.equal((await link('other', unproven.access, { email: 'bob@example.org', email_verified: false })).status, 200);
  t.ok((await mailsTo({ mailbox }, 'bob@example.org')).length > 0, 'the link to confirm it is mailed');
});

test('where registration is closed, guests stay guests', async t => {
  const { guest, env, url, told } = await served(t);
  const { access } = await guest();
  const { post } = await serveAt(t, url, { ...env, DISABLE_SELF_REGISTRATION: 'true' });
  t.same(refusal(await post('/auth/link/acme', await told('acme'), access)), [403, 'REGISTRATION_DISABLED']);
  t.same(refusal(await post('/auth/acme', await told('acme'))), [403, 'REGISTRATION_DISABLED']);
});

test('a provider that vouches for the account\'s own address proves it, and all that is there stays', async t => {
  const { register, link, request, sql, login, identities } = await served(t);
  const { uid, access } = await register(ADA);
  t.equal((await link('other', access, { sub: 'x', email: 'else@example.org' })).status, 200);
  t.match(await sql`select is_proven from service.user_identities where uid = ${uid}`, [{ is_proven: false }]);
  t.equal((await link('acme', access)).status, 200);
  t.match((await request('/auth/me', { as: access })).body.user, { emailVerified: true });
  t.equal((await identities(access)).length, 2);
  t.equal((await login(ADA, PASSWORD)).uid, uid, 'the password, too');
});

test('an identity that was linked before the address was proven goes with the first proof by a mailed link', async t => {
  const { register, link, sql, signIn } = await served(t);
  const { uid, access } = await register(ADA);
  t.equal((await link('other', access, { sub: 'a stranger', email: 'eve@example.org' })).status, 200);
  await sql`select service_private.prove_address(${uid})`;
  t.same(await sql`select from service.user_identities where uid = ${uid}`, []);
  t.not((await signIn('other', { sub: 'a stranger', email: 'eve@example.org' })).body.user.uid, uid);
});
