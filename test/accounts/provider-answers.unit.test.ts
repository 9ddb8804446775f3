// Each provider's documented answers, from a small server, and what the log says of a refusal.
import { generateKeyPairSync } from 'node:crypto';
import { importSPKI, jwtVerify } from 'jose';
import { pino } from 'pino';
import { test, type Test } from 'tap';
import { boundedFetch } from '../../gateway/outbound/fetch.ts';
import { openIdDoor } from '../../gateway/features/accounts/providers/open-id.ts';
import { openProviders } from '../../gateway/features/accounts/providers/providers.ts';
import { readProviders } from '../../gateway/features/accounts/providers/read-providers.ts';
import type { Asked } from '../../gateway/features/accounts/providers/credential.ts';
import { CLIENT, listen, madeIssuer } from './issuer.ts';

const CODE: Asked = {
  iss: undefined, nonce: undefined, name: undefined,
  code: { code: 'the-code', redirectUri: 'https://app.example/back', codeVerifier: 'the-verifier' },
};

function opened(env: Record<string, string>, settings: object) {
  const lines: string[] = [];
  const { providers, problems } = readProviders(env, { auth: { providers: settings as Record<string, object> } });
  if (problems.length > 0) throw new Error(problems.join());
  return { named: openProviders(providers, pino({}, { write: line => { lines.push(line); } })).named, lines };
}

/** A provider whose token endpoint, profile and addresses answer so. */
async function profileOf(t: Test, name: string, answers: Record<string, unknown>) {
  const asked: { path: string; body: string; authorization: string }[] = [];
  const { url } = await listen(t, (request, response) => {
    let body = '';
    request.on('data', piece => { body += String(piece); }).on('end', () => {
      const path = (request.url ?? '').split('?')[0] ?? '';
      asked.push({ path, body, authorization: request.headers.authorization ?? '' });
      const answer = answers[path] ?? { access_token: 'the-token', token_type: 'bearer', expires_in: 7200 };
      response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(answer));
    });
  });
  const prefix = name.toUpperCase();
  const urls = {
    tokenUrl: `${url}/token`, profileUrl: `${url}/profile?fields=all`, ...('/emails' in answers && { emailsUrl: `${url}/emails` }),
  };
  const { named, lines } = opened({ [`${prefix}_CLIENT_ID`]: 'id-1', [`${prefix}_CLIENT_SECRET`]: 's-_.é' }, { [name]: urls });
  return { asked, lines, identify: () => named(name).identify(CODE, 'request') };
}

const PHOTO = 'https://example.org/ada.png';
const DOCUMENTED: [name: string, answers: Record<string, unknown>, identity: object][] = [
  ['bitbucket', {
    '/profile': { uuid: '{8c8b}', account_id: '557058:x', display_name: 'Ada', links: { avatar: { href: PHOTO } }, type: 'user' },
    '/emails': { values: [
      { email: 'old@example.org', is_primary: false, is_confirmed: true },
      { email: 'ada@example.org', is_primary: true, is_confirmed: true },
    ] },
  }, { providerId: '{8c8b}', email: 'ada@example.org', emailVerified: true, displayName: 'Ada', photoUrl: PHOTO }],
  ['facebook', {
    '/profile': { id: '10150', name: 'Ada', email: 'ada@example.org', picture: { data: { url: PHOTO, is_silhouette: false } } },
  }, { providerId: '10150', email: 'ada@example.org', emailVerified: false, displayName: 'Ada', photoUrl: PHOTO }],
  ['twitter', { '/profile': { data: { id: '2244994945', name: 'Ada', username: 'ada', profile_image_url: PHOTO } } },
    { providerId: '2244994945', email: null, emailVerified: false, displayName: 'Ada', photoUrl: PHOTO }],
  ['twitter', { '/profile': { data: { id: '2', name: 'Ada', confirmed_email: 'ada@example.org' } } },
    { providerId: '2', email: 'ada@example.org', emailVerified: true, photoUrl: null }],
  ['discord', {
    '/profile': { id: '80351110224678912', username: 'ada', global_name: null, avatar: '8342', verified: true, email: 'ada@example.org' },
  }, {
    providerId: '80351110224678912', email: 'ada@example.org', emailVerified: true, displayName: 'ada',
    photoUrl: 'https://cdn.discordapp.com/avatars/80351110224678912/8342.png',
  }],
  ['spotify', {
    '/profile': { id: 'ada', account_id: 'a1', display_name: 'Ada', email: 'ada@example.org', images: [{ url: PHOTO, height: 64 }] },
  },
    { providerId: 'a1', email: 'ada@example.org', emailVerified: false, displayName: 'Ada', photoUrl: PHOTO }],
  ['spotify', { '/profile': { id: 'bob', account_id: 'b1', display_name: null, images: [] } },
    { providerId: 'b1', email: null, emailVerified: false, displayName: null, photoUrl: null }],
];

for (const [name, answers, identity] of DOCUMENTED) test(`${name}: ${JSON.stringify(identity)}`, async t => {
  const { asked, identify } = await profileOf(t, name, answers);
  t.match(await identify(), identity);
  const [token, ...rest] = asked;
  const form = Object.fromEntries(new URLSearchParams(token?.body));
  t.match(form, {
    grant_type: 'authorization_code', code: 'the-code', redirect_uri: 'https://app.example/back', code_verifier: 'the-verifier',
  });
  if (['facebook', 'discord'].includes(name)) t.match(form, { client_id: 'id-1', client_secret: 's-_.é' });
  else t.equal(token?.authorization, `Basic ${Buffer.from('id-1:s-_.%C3%A9').toString('base64')}`);
  for (const { authorization } of rest) t.equal(authorization, 'Bearer the-token');
});

test('a profile without an id is refused; parts that are no fit values count as not told', async t => {
  for (const profile of [{}, { id: '' }, { id: null }, { id: 'x'.repeat(256) }, 'text', null]) {
    const { identify } = await profileOf(t, 'facebook', { '/profile': profile });
    await t.rejects(identify(), { status: 401, code: 'OAUTH_ERROR' }, JSON.stringify(profile).slice(0, 40));
  }
  const profile = { id: '1', name: 'x'.repeat(300), email: 7, picture: { data: { url: 'a' } } };
  const { identify } = await profileOf(t, 'facebook', { '/profile': profile });
  t.same(await identify(), { providerId: '1', email: null, emailVerified: false, displayName: null, photoUrl: null });
});

test('the log has the reason of a refusal, and no code, verifier, token or secret', async t => {
  const { identify, lines } = await profileOf(t, 'discord', { '/token': { error: 'the-code the-verifier s-_.é invalid_grant' } });
  await t.rejects(identify(), { status: 401, code: 'OAUTH_ERROR', message: /^The provider did not confirm/ });
  const [line = ''] = lines;
  t.match(JSON.parse(line), { provider: 'discord', requestId: 'request', reason: /invalid_grant/ });
  for (const hidden of ['the-code', 'the-verifier', 's-_.é']) t.notMatch(line, hidden);
});

/** A provider whose token endpoint answers a code with an ID token of these claims. */
async function openIdOf(t: Test, name: string, claims: object, more: Record<string, string> = {}) {
  const issuer = await madeIssuer(t);
  let form = new URLSearchParams();
  issuer.answers['/token'] = (request, response) => {
    let body = '';
    request.on('data', piece => { body += String(piece); }).on('end', () => {
      form = new URLSearchParams(body);
      void issuer.idToken({ claims: { ...claims } }).then(idToken => {
        issuer.json({ ok: true, access_token: 'x', token_type: 'Bearer', id_token: idToken })(request, response);
      });
    });
  };
  const prefix = name.toUpperCase();
  const env = { [`${prefix}_CLIENT_ID`]: 'app', [`${prefix}_CLIENT_SECRET`]: 'secret', ...more };
  const { named } = opened(env, { [name]: { issuer: issuer.url } });
  const idToken = await issuer.idToken({ claims: { ...claims } });
  const identify = (asked: object = {}) => named(name).identify({ ...CODE, ...asked }, 'request');
  return { identify, idToken, form: () => form };
}

const EMAIL = { sub: '1', email: 'ada@example.org', email_verified: undefined };
const CLAIMS: [name: string, claims: object, identity: object][] = [
  ['google', { ...EMAIL, email_verified: true, name: 'Ada', picture: PHOTO },
    { providerId: '1', emailVerified: true, displayName: 'Ada', photoUrl: PHOTO }],
  ['linkedin', { ...EMAIL, email_verified: 'true', locale: 'en_US' }, { providerId: '1', emailVerified: true }],
  ['slack', { ...EMAIL, email_verified: true, 'https://slack.com/user_id': 'U1' }, { providerId: '1', emailVerified: true }],
  ['gitlab', { ...EMAIL, email_verified: false, nickname: 'ada' }, { providerId: '1', emailVerified: false }],
  ['microsoft', EMAIL, { email: 'ada@example.org', emailVerified: false }],
  ['microsoft', { ...EMAIL, email_verified: true }, { emailVerified: false }],
  ...[true, 'true', 1, '1'].map((xms_edov): [string, object, object] => ['microsoft', { ...EMAIL, xms_edov }, { emailVerified: true }]),
  ...[false, 'false', 0, '0', null].map((xms_edov): [string, object, object] =>
    ['microsoft', { ...EMAIL, xms_edov }, { emailVerified: false }]),
];

for (const [name, claims, identity] of CLAIMS) test(`${name}: ${JSON.stringify(claims)}`, async t => {
  const { identify, form } = await openIdOf(t, name, claims);
  t.match(await identify(), identity);
  t.equal(form().get('code'), 'the-code');
});

test('LinkedIn gets its secret in the body and no verifier, and may leave out the nonce', async t => {
  const { identify, form } = await openIdOf(t, 'linkedin', {});
  t.match(await identify({ nonce: 'n' }), { providerId: 'ada-1' });
  t.match(Object.fromEntries(form()), { client_id: 'app', client_secret: 'secret' });
  t.equal(form().get('code_verifier'), null);
  const wrong = await openIdOf(t, 'linkedin', { nonce: 'another' });
  await t.rejects(wrong.identify({ nonce: 'n' }), { code: 'OAUTH_ERROR' });
  const slack = await openIdOf(t, 'slack', {});
  await t.rejects(slack.identify({ nonce: 'n' }), { code: 'OAUTH_ERROR' }, 'others may not');
  t.equal(slack.form().get('code_verifier'), 'the-verifier');
});

test('Apple gets a secret that this service signs for it', async t => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { identify, form } = await openIdOf(t, 'apple', { aud: 'com.example', email_verified: 'true' }, {
    APPLE_CLIENT_ID: 'com.example', APPLE_TEAM_ID: 'TEAM', APPLE_KEY_ID: 'KEY',
    APPLE_PRIVATE_KEY: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString().replaceAll('\n', '\\n'),
  });
  t.match(await identify({ name: 'Ada Lovelace' }),
    { providerId: 'ada-1', email: 'ada@example.org', emailVerified: true, displayName: 'Ada Lovelace' });
  t.equal(form().get('client_id'), 'com.example');
  const key = await importSPKI(publicKey.export({ type: 'spki', format: 'pem' }).toString(), 'ES256');
  const { payload, protectedHeader } = await jwtVerify(form().get('client_secret') ?? '', key, { audience: 'https://appleid.apple.com' });
  t.match([payload, protectedHeader], [{ iss: 'TEAM', sub: 'com.example' }, { alg: 'ES256', kid: 'KEY' }]);
});

test('an ID token that an app got from Google may name it without https', async t => {
  const { identify, idToken } = await openIdOf(t, 'google', { iss: 'accounts.google.com' });
  t.match(await identify({ code: undefined, idToken }), { providerId: 'ada-1' });
  const slack = await openIdOf(t, 'slack', { iss: 'accounts.google.com' });
  await t.rejects(slack.identify({ code: undefined, idToken: slack.idToken }), { code: 'OAUTH_ERROR' });
});

test('userinfo of another subject is refused', async t => {
  const issuer = await madeIssuer(t);
  issuer.answers['/.well-known/openid-configuration'] = issuer.json({ ...issuer.metadata, userinfo_endpoint: `${issuer.url}/me` });
  issuer.answers['/token'] = (request, response) => {
    void issuer.idToken({ claims: { email: undefined, aud: 'app' } }).then(idToken => {
      issuer.json({ access_token: 'x', token_type: 'Bearer', id_token: idToken })(request, response);
    });
  };
  const env = { SERVICE_OIDC_ACME_ISSUER: issuer.url, SERVICE_OIDC_ACME_CLIENT_ID: 'app' };
  issuer.answers['/me'] = issuer.json({ sub: 'eve', email: 'ada@example.org', email_verified: true });
  await t.rejects(opened(env, {}).named('acme').identify(CODE, 'request'), { status: 401, code: 'OAUTH_ERROR' });
  issuer.answers['/me'] = issuer.json({ sub: 'ada-1', email: 'ada@example.org', email_verified: true });
  t.match(await opened(env, {}).named('acme').identify(CODE, 'request'), { email: 'ada@example.org', emailVerified: true });
});

test('trustEmail speaks for an issuer that says nothing, and not against it', async t => {
  const issuer = await madeIssuer(t);
  const env = { SERVICE_OIDC_ACME_ISSUER: issuer.url, SERVICE_OIDC_ACME_CLIENT_ID: 'app' };
  const identify = async (email_verified: unknown) => opened(env, { acme: { trustEmail: true } }).named('acme')
    .identify({
      iss: undefined, nonce: undefined, name: undefined, idToken: await issuer.idToken({ claims: { email_verified } }),
    }, 'request');
  t.match(await identify(undefined), { emailVerified: true });
  t.match(await identify(false), { emailVerified: false });
});

test('of many tenants at Microsoft the token names its own', async t => {
  const issuer = await madeIssuer(t);
  const host = 'https://login.microsoftonline.com';
  const [ours, pattern] = [`${host}/t-1/v2.0`, `${host}/{tenantid}/v2.0`];
  let claims: Record<string, unknown> = {};
  issuer.answers['/common/v2.0/.well-known/openid-configuration'] = issuer.json({
    ...issuer.metadata, issuer: pattern, token_endpoint: `${host}/token`, jwks_uri: `${host}/keys`,
  });
  issuer.answers['/token'] = (request, response) => {
    void issuer.idToken({ claims }).then(idToken => {
      issuer.json({ access_token: 'x', token_type: 'Bearer', id_token: idToken })(request, response);
    });
  };
  const { providers: [provider] } = readProviders({ MICROSOFT_CLIENT_ID: CLIENT.id, MICROSOFT_CLIENT_SECRET: 'x' }, {});
  if (provider?.kind !== 'openid') throw new Error('Microsoft is OpenID Connect.');
  const bounded = boundedFetch({ deadline: 5_000, most: 100_000 });
  const { signIn } = openIdDoor(provider, (url, options) => bounded(url.replace(host, issuer.url), options));
  for (const asked of [CODE, { ...CODE, iss: ours }]) {
    claims = { iss: ours, tid: 't-1' };
    t.match(await signIn(asked), { providerId: 'ada-1', email: 'ada@example.org' });
    t.match(await signIn({ ...asked, code: undefined, idToken: await issuer.idToken({ claims }) }), { providerId: 'ada-1' });
  }
  const foreign = { iss: 'https://evil.example', tid: 't-1' };
  for (claims of [{ iss: ours, tid: 't-2' }, { iss: ours }, { iss: pattern, tid: '{tenantid}' }, foreign]) {
    await t.rejects(signIn(CODE), JSON.stringify(claims));
    await t.rejects(signIn({ ...CODE, code: undefined, idToken: await issuer.idToken({ claims }) }), JSON.stringify(claims));
  }
  claims = { iss: ours, tid: 't-1' };
  await t.rejects(signIn({ ...CODE, iss: `${host}/t-2/v2.0` }), 'the answer of another tenant');
  const asked = issuer.asked.length;
  for (const iss of ['https://evil.example/t-1/v2.0', `${ours}/`, host, '']) await t.rejects(signIn({ ...CODE, iss }), iss);
  t.equal(issuer.asked.length, asked, 'a code of another issuer is not sent there');
});
