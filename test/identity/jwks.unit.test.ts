import { test } from 'tap';
import { createLocalJWKSet, jwtVerify, type JSONWebKeySet } from 'jose';
import { generateKeyPairSync } from 'node:crypto';
import { createIdentity } from '../../gateway/identity/identity.ts';
import { publicKeysRoute } from '../../gateway/features/accounts/routes.ts';
import { apiKeys, ask, ecKey, identityWith, jwtSecret, pem, rsaKey, serviceKey, signedBy } from './token-samples.ts';

function withKey(privateKeyPem: string, kid = 'default') {
  return createIdentity({
    apiKeys, config: { authRequire: true, auth: 'on' }, secrets: { jwtSecret, serviceKey, signingKeys: [{ kid, privateKeyPem }] },
  });
}

test('without signing keys the set is empty', t => {
  t.same(identityWith().jwks(), { keys: [] });
  t.end();
});

test('the set holds the public part of each key, newest first', t => {
  const { keys } = identityWith({ keys: [ecKey('new'), rsaKey('old')] }).jwks() as JSONWebKeySet;
  t.match(keys, [{ kid: 'new', alg: 'ES256', use: 'sig', kty: 'EC', crv: 'P-256' }, { kid: 'old', alg: 'RS256', use: 'sig', kty: 'RSA' }]);
  t.same(keys.map(key => Object.keys(key).sort()), [['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'], ['alg', 'e', 'kid', 'kty', 'n', 'use']]);
  t.end();
});

test('an outside verifier needs nothing but the set', async t => {
  const keys = [ecKey('new'), rsaKey('old')];
  const set = createLocalJWKSet(identityWith({ keys }).jwks() as JSONWebKeySet);
  for (const key of keys) t.match(await jwtVerify(await signedBy(key), set), { payload: { uid: 'ada' } });
});

test('the set is served at the root', async t => {
  const route = publicKeysRoute(identityWith({ keys: [ecKey('mine')] }));
  t.match(route, { method: 'GET', path: '/.well-known/jwks.json', root: true });
  const reply = await route.handle({} as never);
  t.match(JSON.parse(reply.body as string), { keys: [{ kid: 'mine' }] });
});

test('a key is read with real newlines, with \\n, and as base64', async t => {
  const key = ecKey('default');
  const text = key.signing.privateKeyPem;
  const sec1 = key.privateKey.export({ type: 'sec1', format: 'pem' }).toString();
  for (const spelling of [
    text, text.replaceAll('\n', '\\n'), Buffer.from(text).toString('base64'), sec1, `\n${text}\n`, text.replaceAll('\n', '\r\n'),
  ]) {
    t.match(await ask(withKey(spelling), `Bearer ${await signedBy(key)}`), { uid: 'ada' });
  }
});

test('a key that cannot sign stops the start, naming the variable and not the key', t => {
  const locked = ecKey('a').privateKey.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' }).toString();
  const refused: [string, RegExp][] = [
    ['', /readable/], ['not a key', /readable/], [locked, /readable/],
    [ecKey('a').publicKey.export({ type: 'spki', format: 'pem' }).toString(), /readable/],
    [ecKey('a', 'P-384').signing.privateKeyPem, /EC P-256 or an RSA/],
    [ecKey('a', 'secp256k1').signing.privateKeyPem, /EC P-256 or an RSA/],
    [pem(generateKeyPairSync('ed25519').privateKey), /EC P-256 or an RSA/], [rsaKey('a', 1024).signing.privateKeyPem, /2048 bits/],
    [pem(generateKeyPairSync('rsa-pss', { modulusLength: 2048 }).privateKey), /EC P-256 or an RSA/],
  ];
  for (const [text, reason] of refused) {
    t.throws(() => withKey(text), { message: reason });
    t.throws(() => withKey(text), { message: /^JWT_PRIVATE_KEY: the signing key "default" [^\n]{0,120}\.$/ });
  }
  t.throws(() => withKey(ecKey('a').signing.privateKeyPem, ' '), /JWT_KEY_ID/);
  t.throws(() => identityWith({ keys: [ecKey('a'), rsaKey('a')] }), /JWT_KEY_ID: two signing keys share the id "a"/);
  t.end();
});
