import { test, type Test } from 'tap';
import { until } from '../harness/until.ts';
import { newDevice, ORIGIN, passkeyActions, type Credential } from './devices.ts';
import { CLIENT, madeIssuer } from './issuer.ts';
import { linked } from './mails.ts';
import { OPEN, refusal, serveAccounts, serveAt, sessionOf, type Accounts, type Session } from './people.ts';
import { fromAfar } from './post-office.ts';
import { settingsFile } from './settings-file.ts';

const SETTINGS = { ...OPEN, ALLOW_ANONYMOUS: 'true', FRONTEND_URL: ORIGIN, TRUSTED_PROXY_HOPS: '1' };

async function served(t: Pick<Test, 'teardown'>, env: Record<string, string> = {}) {
  const people = await serveAccounts(t, { ...SETTINGS, ...env });
  const post: Accounts['post'] = (path, body, as) => people.post(path, body, as, fromAfar());
  return {
    ...people, post, ...passkeyActions(post),
    passkeys: async ({ access }: Session) => (await people.request('/auth/passkeys', { as: access })).body.passkeys as { id: string }[],
    change: (method: 'PATCH' | 'DELETE', id: string, as: string, body?: object) =>
      people.request(`/auth/passkeys/${id}`, { method, as, ...(body && { body: JSON.stringify(body) }) }),
  };
}

test('a passkey is made, shown, signs in at aal2, is renamed and removed', async t => {
  const { register, enrol, signIn, passkeys, change, request, optionsOf } = await served(t);
  const ada = await register('ada@example.org');
  const device = newDevice();
  const options = await optionsOf(ada.access);
  t.match(options, {
    rp: { id: 'app.example.org' }, attestation: 'none', excludeCredentials: [],
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    pubKeyCredParams: [{ alg: -8 }, { alg: -7 }, { alg: -257 }], user: { name: 'ada@example.org' },
  });
  t.notMatch(Buffer.from(options.user.id, 'base64url').toString('latin1'), ada.uid, 'opaque');
  const made = await enrol(ada.access, device);
  t.match([made.status, made.body.passkey], [201, { friendlyName: 'Phone', createdAt: /Z$/, lastUsedAt: null, backedUp: true }]);
  const { id } = made.body.passkey;
  t.match((await optionsOf(ada.access)).excludeCredentials, [{ id }]);
  t.equal((await optionsOf(ada.access)).user.id, options.user.id, 'one name of an account for all its passkeys');

  const answer = await signIn(device);
  t.match([answer.status, answer.body.user], [200, { uid: ada.uid, providerId: 'passkey' }]);
  const session = sessionOf(answer);
  const { sessions } = (await request('/auth/sessions', { as: session.access })).body;
  t.ok(sessions.length >= 2);
  t.match(await passkeys(session), [{ id, lastUsedAt: /Z$/ }]);
  t.match((await change('PATCH', id, session.access, { friendlyName: 'Old phone' })).body.passkey, { id, friendlyName: 'Old phone' });
  t.match(await change('DELETE', id, session.access), { status: 200, body: { success: true, message: /./ } });
  t.same(refusal(await change('DELETE', id, session.access)), [404, 'NOT_FOUND']);
  t.same(refusal(await signIn(device)), [401, 'INVALID_CREDENTIALS'], 'it is gone');
});

test('a passkey signs in where a second factor is asked for, and stands before routes that need one', async t => {
  const { register, enrol, signIn, sql, post, optionsOf } = await served(t);
  const { uid, access } = await register('ada@example.org');
  const device = newDevice();
  t.equal((await enrol(access, device)).status, 201);
  await sql`insert into service.mfa_factors (uid, factor_type, sealed_secret, next_recovery_codes, verified_at, is_proven)
    values (${uid}, 'totp', 'x', '{}', now(), true)`;
  t.same(refusal(await post('/auth/passkeys/options', {}, access)), [403, 'AAL2_REQUIRED']);
  const session = sessionOf(await signIn(device));
  t.match(await optionsOf(session.access), { challenge: /./ });
});

test('a challenge is for one answer, one purpose and one account', async t => {
  const { register, optionsOf, signInOptions, send, post, enrol, sql } = await served(t);
  const [ada, bob] = [await register('ada@example.org'), await register('bob@example.org')];
  const device = newDevice();
  t.equal((await enrol(ada.access, device)).status, 201);
  const add = (credential: object, { access }: Session) => post('/auth/passkeys', { credential }, access);

  const credential = newDevice().createJSON(ORIGIN, await optionsOf(ada.access));
  t.same(refusal(await add(credential, bob)), [400, 'INVALID_CHALLENGE'], 'another account\'s');
  t.equal((await add(credential, ada)).status, 201, 'that answer has not spent it');
  t.same(refusal(await add(credential, ada)), [400, 'INVALID_CHALLENGE'], 'spent');

  const assertion = device.getJSON(ORIGIN, await signInOptions());
  t.equal((await send(assertion)).status, 200);
  t.same(refusal(await send(assertion)), [400, 'INVALID_CHALLENGE'], 'replayed');
  const foreign = device.getJSON(ORIGIN, { ...await signInOptions(), challenge: (await optionsOf(ada.access)).challenge });
  t.same(refusal(await send(foreign)), [400, 'INVALID_CHALLENGE'], 'one for a new passkey');
  const old = device.getJSON(ORIGIN, await signInOptions());
  await sql`update service.passkey_challenges set expires_at = now() - interval '1 second'`;
  t.same(refusal(await send(old)), [400, 'INVALID_CHALLENGE'], 'too old');
});

test('an assertion that comes many times at once signs in once', async t => {
  const { register, enrol, signInOptions, send } = await served(t);
  const { access } = await register('ada@example.org');
  const device = newDevice();
  t.equal((await enrol(access, device)).status, 201);
  const assertion = device.getJSON(ORIGIN, await signInOptions());
  const ends = await Promise.all(Array.from({ length: 8 }, () => send(assertion)));
  t.equal(ends.filter(({ status }) => status === 200).length, 1);
});

/** Each changes an answer that would have signed in. */
const WRONG: Record<string, (credential: Credential, other: Credential) => object> = {
  'another credential': (credential, { id, rawId }) => ({ ...credential, id, rawId }),
  'an unknown credential': credential => ({ ...credential, id: 'AAAA', rawId: 'AAAA' }),
  'no signature': ({ response, ...rest }) => ({ ...rest, response: { ...response, signature: '' } }),
  'another\'s signature': ({ response, ...rest }, other) =>
    ({ ...rest, response: { ...response, signature: other.response.signature } }),
  'another user handle': ({ response, ...rest }, other) =>
    ({ ...rest, response: { ...response, userHandle: other.response.userHandle } }),
  'no user handle': ({ response, ...rest }) => ({ ...rest, response: { ...response, userHandle: undefined } }),
  'another type': credential => ({ ...credential, type: 'password' }),
  'changed authenticator data': ({ response, ...rest }) => {
    const data = Buffer.from(response.authenticatorData, 'base64url');
    data[data.length - 1] = (data.at(-1) ?? 0) ^ 1;
    return { ...rest, response: { ...response, authenticatorData: data.toString('base64url') } };
  },
};

test('whatever does not verify does not sign in', async t => {
  const { register, enrol, signInOptions, send, signIn, post } = await served(t);
  const [ada, bob] = [await register('ada@example.org'), await register('bob@example.org')];
  const [device, other] = [newDevice(), newDevice()];
  t.equal((await enrol(ada.access, device)).status, 201);
  t.equal((await enrol(bob.access, other)).status, 201);
  for (const [name, change] of Object.entries(WRONG)) {
    const [options, others] = [await signInOptions(), await signInOptions()];
    t.same(refusal(await send(change(device.getJSON(ORIGIN, options), other.getJSON(ORIGIN, others)))), [401, 'INVALID_CREDENTIALS'], name);
  }
  for (const origin of ['https://evil.example', 'http://app.example.org', 'https://app.example.org:8443', 'https://sub.app.example.org']) {
    const options = await signInOptions();
    const assertion = device.getJSON(ORIGIN, options);
    const data = { type: 'webauthn.get', challenge: options.challenge, origin, crossOrigin: false };
    const clientDataJSON = Buffer.from(JSON.stringify(data)).toString('base64url');
    const sent = { ...assertion, response: { ...assertion.response, clientDataJSON } };
    t.same(refusal(await send(sent)), [401, 'INVALID_CREDENTIALS'], origin);
  }
  const unread = ['!', 'e30', 'bnVsbA'].map(clientDataJSON => ({ response: { clientDataJSON } }));
  for (const odd of [{}, { id: 1 }, { id: 'x', response: null }, ...unread]) {
    t.same(refusal(await send(odd)), [401, 'INVALID_CREDENTIALS'], JSON.stringify(odd));
    t.same(refusal(await post('/auth/passkeys', { credential: odd }, ada.access)), [400, 'INVALID_INPUT'], JSON.stringify(odd));
  }
  for (const body of [{}, { credential: [] }, { credential: 'x' }]) {
    t.same(refusal(await post('/auth/passkeys/login', body)), [400, 'INVALID_INPUT']);
  }
  t.equal((await signIn(device)).status, 200, 'the passkey itself still signs in');
});

test('a passkey of another relying party is neither taken nor signs in', async t => {
  const { register, enrol, optionsOf, post, url } = await served(t);
  const { access } = await register('ada@example.org');
  const options = await optionsOf(access);
  const foreign = newDevice().createJSON(ORIGIN, { ...options, rp: { ...options.rp, id: 'example.org' } });
  t.same(refusal(await post('/auth/passkeys', { credential: foreign }, access)), [400, 'INVALID_INPUT']);

  const device = newDevice();
  t.equal((await enrol(access, device)).status, 201);
  const wider = await serveAt(t, url, { ...SETTINGS, WEBAUTHN_RP_ID: 'example.org', WEBAUTHN_ORIGINS: ORIGIN });
  const { signInOptions, send } = passkeyActions((path, body, as) => wider.post(path, body, as, fromAfar()));
  const assertion = device.getJSON(ORIGIN, { ...await signInOptions(), rpId: 'app.example.org' });
  t.same(refusal(await send(assertion)), [401, 'INVALID_CREDENTIALS']);
});

test('a person who is not verified, and a counter that goes back, are refused', async t => {
  const { register, enrol, signIn, sql } = await served(t);
  const ada = await register('ada@example.org');
  const unverified = newDevice({ userMakeCredentialInteraction: () => ({ options: { uv: false, up: true } }) });
  t.same(refusal(await enrol(ada.access, unverified)), [400, 'INVALID_INPUT']);
  let uv = true;
  const device = newDevice({ userGetAssertionInteraction: () => ({ options: { uv, up: true } }) });
  t.equal((await enrol(ada.access, device)).status, 201);
  t.equal((await signIn(device)).status, 200);
  uv = false;
  t.same(refusal(await signIn(device)), [401, 'INVALID_CREDENTIALS'], 'the person was not verified');
  uv = true;
  await sql`update service.passkeys set counter = 1000`;
  t.same(refusal(await signIn(device)), [401, 'INVALID_CREDENTIALS'], 'a copy');
  const uncounted = newDevice({ signCounterIncrement: 0 });
  await sql`delete from service.passkeys`;
  t.equal((await enrol(ada.access, uncounted)).status, 201);
  t.same([(await signIn(uncounted)).status, (await signIn(uncounted)).status], [200, 200], 'one that does not count');
});

test('a credential has one account; guests, keys and nobody have none', async t => {
  const { register, optionsOf, post, request, enrol } = await served(t);
  const [ada, bob] = [await register('ada@example.org'), await register('bob@example.org')];
  const device = newDevice();
  const made = await enrol(ada.access, device);
  t.equal(made.status, 201);
  const credential = device.createJSON(ORIGIN, await optionsOf(bob.access));
  t.equal((await post('/auth/passkeys', { credential }, bob.access)).status, 201, 'another credential of the device');
  const guest = sessionOf(await post('/auth/anonymous'));
  t.same(refusal(await post('/auth/passkeys/options', {}, guest.access)), [403, 'ANONYMOUS_USER']);
  t.same(refusal(await post('/auth/passkeys/options')), [401, 'UNAUTHORIZED']);
  const key = await request('/admin/api-keys', { method: 'POST', body: JSON.stringify({ name: 'k', scopes: ['data:read'] }) });
  t.same(refusal(await post('/auth/passkeys/options', {}, key.body.key.key)), [403, 'API_KEY_FORBIDDEN']);
  for (const id of ['AAAA', '%00', made.body.passkey.id]) {
    t.ok([400, 404].includes((await request(`/auth/passkeys/${id}`, { method: 'DELETE', as: bob.access })).status), id);
  }
});

test('the same credential cannot be enrolled twice', async t => {
  const { register, sql } = await served(t);
  const [ada, bob] = [await register('ada@example.org'), await register('bob@example.org')];
  const add = ({ uid }: Session) => sql`select service_private.add_passkey(${uid}, null, 'AAAA', 'x', 0, '{}', false)`;
  await add(ada);
  await t.rejects(add(bob), { code: 'GW409', hint: 'CONFLICT' });
  await t.rejects(add(ada), { code: 'GW409', hint: 'CONFLICT' });
});

test('a DBA sees passkeys, and takes them away', async t => {
  const { register, enrol, sql } = await served(t);
  const { uid, access } = await register('ada@example.org');
  for (const friendlyName of ['Phone', 'Key']) t.equal((await enrol(access, newDevice(), { friendlyName })).status, 201);
  const found = await sql<{ id: string }[]>`select * from service.passkeys(${uid})`;
  t.match(found, [{ friendly_name: 'Phone', is_backed_up: true, is_proven: false, last_used_at: null }, { friendly_name: 'Key' }]);
  t.same(await sql`select service.delete_passkeys(${uid}, ${found[0]?.id ?? ''}) as one, service.delete_passkeys(${uid}) as rest,
    service.delete_passkeys(${uid}) as none`, [{ one: true, rest: true, none: false }]);
});

test('the last way in stays, be it a passkey', async t => {
  const { register, enrol, passkeys, change, sql } = await served(t);
  const ada = await register('ada@example.org');
  t.equal((await enrol(ada.access, newDevice())).status, 201);
  await sql`update service.users set password_hash = null where uid = ${ada.uid}`;
  const id = (await passkeys(ada))[0]?.id ?? '';
  t.same(refusal(await change('DELETE', id, ada.access)), [400, 'INVALID_ACCOUNT']);
  t.equal((await passkeys(ada)).length, 1);
});

test('the first proof of an address takes unproven passkeys away, one in the person\'s own session does not', async t => {
  const { register, enrol, sql } = await served(t);
  const [ada, bob] = [await register('ada@example.org'), await register('bob@example.org')];
  for (const { access } of [ada, bob]) t.equal((await enrol(access, newDevice())).status, 201);
  const unproven = (uid: string) => sql`
    select service_private.has_unproven(u) as unproven, (select count(*)::int from service.passkeys p where p.uid = u.uid) as passkeys
    from service.users u where u.uid = ${uid}`;
  await sql`select service_private.prove_address(${ada.uid})`;
  t.same(await unproven(ada.uid), [{ unproven: false, passkeys: 0 }]);
  await sql`select service_private.prove_address(${bob.uid}, keeps_password => true, keeps_identities => true)`;
  t.same(await unproven(bob.uid), [{ unproven: false, passkeys: 1 }]);
});

test('a change of address that another person confirms leaves the passkeys unproven, and the first proof takes them away', async t => {
  const { register, enrol, signIn, post, mailbox, sql } = await served(t);
  const { uid, access } = await register('eve@example.org');
  const device = newDevice();
  t.equal((await enrol(access, device)).status, 201);
  await sql`select service_private.prove_address(${uid}, keeps_password => true, keeps_identities => true)`;
  t.equal((await post('/auth/change-email', { newEmail: 'ada@example.org' }, access)).status, 200);
  const token = await linked({ mailbox }, 'ada@example.org', /Confirm your new/);
  t.equal((await post('/auth/confirm-email-change', { token })).status, 200);
  t.equal((await signIn(device)).body.user.uid, uid, 'until then it signs in');
  await post('/auth/magic-link', { email: 'ada@example.org' });
  const owner = await post('/auth/magic-link/verify', { token: await linked({ mailbox }, 'ada@example.org', /sign-in link/) });
  t.equal(owner.body.user.uid, uid);
  t.same(refusal(await signIn(device)), [401, 'INVALID_CREDENTIALS']);
});

test('a verification link asks before it removes a passkey that was made before', async t => {
  const { register, enrol, signIn, post, mailbox, sql } = await served(t);
  const { uid, access } = await register('ada@example.org');
  const device = newDevice();
  t.equal((await enrol(access, device)).status, 201);
  await sql`update service.users set password_hash = null where uid = ${uid}`;
  const token = await linked({ mailbox }, 'ada@example.org', /Confirm your email/);
  t.same(refusal(await post('/auth/verify-email', { token })), [409, 'PROOF_REQUIRED']);
  t.equal((await signIn(device)).status, 200);
  t.equal((await post('/auth/verify-email', { token, removeUnproven: true })).status, 200);
  t.same(refusal(await signIn(device)), [401, 'INVALID_CREDENTIALS']);
});

test('where no identity may be removed, a linked one refuses every proof; passkeys alone refuse none', async t => {
  const issuer = await madeIssuer(t);
  const { register, enrol, signIn, post, mailbox, sql, request } = await served(t, {
    SERVICE_OIDC_ACME_ISSUER: issuer.url, SERVICE_OIDC_ACME_CLIENT_ID: CLIENT.id, ...settingsFile(t, { unlinkIdentities: false }),
  });
  const { uid, access } = await register('ada@example.org');
  const told = async (sub: string, email_verified: boolean) => ({ idToken: await issuer.idToken({ claims: { sub, email_verified } }) });
  const device = newDevice();
  t.equal((await enrol(access, device)).status, 201);
  for (const sub of ['eve', 'ada']) t.equal((await post('/auth/link/acme', await told(sub, false), access)).status, 200);
  await post('/auth/magic-link', { email: 'ada@example.org' });
  const token = await linked({ mailbox }, 'ada@example.org', /sign-in link/);
  for (const [answer, providers] of [
    [await post('/auth/magic-link/verify', { token }), ['acme', 'acme']], [await post('/auth/acme', await told('ada', true)), ['acme']],
  ] as const) {
    t.same([answer.status, answer.body.error.code, answer.body.error.details], [409, 'UNVERIFIED_IDENTITIES', { providers }]);
  }
  t.match((await request('/auth/me', { as: access })).body.user, { emailVerified: false }, 'no proof, and the session goes on');
  t.equal((await signIn(device)).body.user.uid, uid, 'nothing was removed');
  await sql`select service.delete_identities(${uid}, 'acme')`;
  t.equal((await post('/auth/magic-link/verify', { token })).status, 200, 'a DBA has decided, and the link is still good');
  t.same(refusal(await signIn(device)), [401, 'INVALID_CREDENTIALS'], 'the passkey went with the proof');
});

test('a sign-in and the removal of its passkey take their locks in one order', async t => {
  const { register, enrol, passkeys, sql } = await served(t);
  const ada = await register('ada@example.org');
  t.equal((await enrol(ada.access, newDevice())).status, 201);
  const [{ id } = { id: '' }] = await passkeys(ada);
  const signIn = () => sql`
    select service_private.begin_passkey_session(${id}, 1000, false, '\\x00', '1 day', 'agent', '::1') as granted`.execute();
  const ended = await sql.begin(async own => {
    await own`select service_private.guarded_account(${ada.uid}, null)`;
    const waiting = signIn();
    await until('the sign-in waits', async () => (await sql`
      select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query ~ 'begin_passkey_session'`).length > 0);
    await own`delete from service.passkeys where id = ${id}`;
    return { waiting };
  });
  t.same(await ended.waiting, [{ granted: null }]);
});

test('pages of the service itself may use the passkeys of their domain, and no other\'s', async t => {
  const domain = { WEBAUTHN_RP_ID: 'example.org', WEBAUTHN_ORIGINS: ORIGIN };
  const own = 'https://api.example.org';
  const { register, enrol, signIn, url, request } = await served(t, { ...domain, SERVICE_PUBLIC_URL: `${own}/below` });
  const ada = await register('ada@example.org');
  const device = newDevice();
  t.equal((await enrol(ada.access, device)).status, 201);
  t.equal((await signIn(device, own)).status, 200);
  t.same(refusal(await signIn(device, 'https://other.example.org')), [401, 'INVALID_CREDENTIALS']);
  t.match((await request('/auth/config', { as: null })).body, { passkeys: true, passkeyDomain: 'example.org' });
  for (const SERVICE_PUBLIC_URL of [undefined, 'https://api.example.org.evil.test', 'https://api.example.org:444']) {
    const other = await serveAt(t, url, { ...SETTINGS, ...domain, ...SERVICE_PUBLIC_URL !== undefined && { SERVICE_PUBLIC_URL } });
    const { signIn } = passkeyActions((path, body, as) => other.post(path, body, as, fromAfar()));
    t.same(refusal(await signIn(device, own)), [401, 'INVALID_CREDENTIALS'], SERVICE_PUBLIC_URL ?? 'none');
  }
});

test('without a domain there are no passkeys; origins of others stop the start', async t => {
  for (const frontend of ['http://127.0.0.1:3000', 'http://[::1]']) {
    const { post, request } = await serveAccounts(t, { ...OPEN, FRONTEND_URL: frontend });
    const { status, body } = await post('/auth/passkeys/login/options');
    t.match([status, body.error], [501, { code: 'FEATURE_DISABLED', details: { setting: 'WEBAUTHN_RP_ID' } }]);
    t.match((await request('/auth/config', { as: null })).body, { passkeys: false, passkeyDomain: null });
  }
  const origins = 'https://a.example.org,android:apk-key-hash:AbC-_';
  const { request } = await serveAccounts(t, { ...OPEN, WEBAUTHN_RP_ID: 'example.org', WEBAUTHN_ORIGINS: origins });
  t.equal((await request('/auth/config', { as: null })).body.passkeys, true);
  const wrong = { ...OPEN, FRONTEND_URL: ORIGIN, WEBAUTHN_RP_ID: 'example.com' };
  await t.rejects(serveAccounts(t, wrong), { message: /FRONTEND_URL: https:\/\/app\.example\.org is not of the domain example\.com/ });
});
