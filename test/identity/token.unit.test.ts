import { test } from 'tap';
import { refuseImpersonation } from '../../gateway/identity/impersonation.ts';
import {
  ask, ecKey, enteredAs, hs256, identityWith, refuses, rsaKey, seconds, serviceKey, signedBy, unsignedToken,
} from './token-samples.ts';

test('a token signed with the shared secret is its bearer', async t => {
  const exp = seconds(600);
  const caller = await ask(identityWith(), `Bearer ${await hs256({ uid: 'ada', roles: ['editor', 'admin'], aal: 'aal1', exp, orgId: 7 })}`);
  t.match(caller, { uid: 'ada', roles: ['editor', 'admin'], kind: 'user', expiresAt: exp * 1000 });
  t.same(enteredAs(caller), {
    uid: 'ada', roles: 'editor,admin', isAnonymous: false,
    jwt: { sub: 'ada', roles: ['editor', 'admin'], is_anonymous: false, aal: 'aal1', orgId: 7 },
  });
});

for (const key of [ecKey('ec-1'), rsaKey('rsa-1')]) {
  test(`a token signed with ${key.alg} is verified by its key id`, async t => {
    const identity = identityWith({ keys: [key] });
    t.match(await ask(identity, `Bearer ${await signedBy(key)}`), { uid: 'ada', kind: 'user' });
    t.match(await ask(identity, `Bearer ${await hs256()}`), { uid: 'ada' }, 'tokens of the shared secret stay good');
  });
}

test('keys rotate: tokens of every listed key are good, those of a retired one are not', async t => {
  const [retired, old, current] = [ecKey('2023'), rsaKey('2024'), ecKey('2025')];
  const identity = identityWith({ keys: [current, old] });
  t.match(await ask(identity, `Bearer ${await signedBy(old)}`), { uid: 'ada' });
  t.match(await ask(identity, `Bearer ${await signedBy(current)}`), { uid: 'ada' });
  await refuses(t, identity, `Bearer ${await signedBy(retired)}`, /not valid/);
});

test('the algorithm never chooses the key', async t => {
  const [key, other] = [rsaKey('mine'), rsaKey('mine')];
  const identity = identityWith({ keys: [key, ecKey('second')] });
  const publicKey = Buffer.from(key.publicKey.export({ type: 'spki', format: 'pem' }));
  await refuses(t, identity, `Bearer ${await hs256({ uid: 'eve' }, publicKey)}`, /not valid/);
  await refuses(t, identity, `Bearer ${await hs256({ uid: 'eve' }, publicKey, { kid: 'mine' })}`, /not valid/);
  await refuses(t, identity, `Bearer ${await hs256({ uid: 'eve' }, undefined, { kid: 'mine' })}`, /not valid/);
  await refuses(t, identity, `Bearer ${await signedBy(other)}`, /not valid/);
  await refuses(t, identity, `Bearer ${await signedBy({ ...key, kid: 'second' })}`, /not valid/);
  await refuses(t, identity, `Bearer ${await signedBy(key, { uid: 'eve' }, { alg: 'PS256' })}`, /not valid/);
  await refuses(t, identity, `Bearer ${await signedBy(key, { uid: 'eve' }, { kid: undefined })}`, /not valid/);
});

test('an unknown or odd key id means the shared secret', async t => {
  const identity = identityWith({ keys: [ecKey('mine')] });
  for (const kid of ['other', '', '__proto__', 'constructor']) {
    t.match(await ask(identity, `Bearer ${await hs256({ uid: 'ada' }, undefined, { kid })}`), { uid: 'ada' }, kid);
    await refuses(t, identity, `Bearer ${await hs256({ uid: 'eve' }, 'x'.repeat(40), { kid })}`, /not valid/);
  }
});

test('a token without a real signature has no caller', async t => {
  const claims = { uid: 'eve', roles: ['admin'], exp: seconds(600) };
  const good = await hs256(claims);
  for (const token of [
    unsignedToken({ alg: 'none' }, claims),
    unsignedToken({ alg: 'None' }, claims, 'AAAA'),
    unsignedToken({ alg: 'HS256' }, claims),
    unsignedToken({}, claims, 'AAAA'),
    unsignedToken({ alg: 'HS256', b64: false, crit: ['b64'] }, claims, 'AAAA'),
    unsignedToken({ alg: 'HS256', kid: { a: 1 } }, claims, 'AAAA'),
    good.slice(0, -2),
    `${good}A`,
    await hs256(claims, undefined, { alg: 'HS512' }),
  ]) await refuses(t, identityWith(), `Bearer ${token}`, /not valid/);
  for (const token of ['x', good.split('.').slice(0, 2).join('.'), 'a.b.c', '...', `${good}.${good}`, 'null']) {
    await refuses(t, identityWith(), `Bearer ${token}`, /nor a token|not valid/);
  }
});

test('a token counts from nbf until exp, to the second', async t => {
  await refuses(t, identityWith(), `Bearer ${await hs256({ uid: 'ada', exp: seconds(0) })}`, /expired/);
  await refuses(t, identityWith(), `Bearer ${await hs256({ uid: 'ada', exp: seconds(-3600) })}`, /expired/);
  await refuses(t, identityWith(), `Bearer ${await hs256({ uid: 'ada', nbf: seconds(60) })}`, /not valid yet/);
  await refuses(t, identityWith(), `Bearer ${await hs256({ uid: 'ada', exp: undefined })}`, /no expiry/);
  t.match(await ask(identityWith(), `Bearer ${await hs256({ uid: 'ada', nbf: seconds(0) })}`), { uid: 'ada' });
});

test('the service key is the admin caller, and nothing near it is', async t => {
  const identity = identityWith();
  const caller = await ask(identity, `Bearer ${serviceKey}`);
  t.match(caller, { uid: 'service', roles: ['admin'], kind: 'service', expiresAt: Infinity });
  t.same(enteredAs(caller),
    { uid: 'service', roles: 'admin', isAnonymous: false, jwt: { sub: 'service', roles: ['admin'], is_anonymous: false } });
  t.equal(await ask(identity, `bearer  ${serviceKey} `), caller, 'the scheme in any case, spaces around the key');
  for (const near of [serviceKey.slice(1), `${serviceKey}x`, serviceKey.toUpperCase()]) {
    await refuses(t, identity, `Bearer ${near}`, /neither the service key nor a token/);
  }
});

test('without a credential one is anonymous where that is allowed, else refused', async t => {
  const caller = await ask(identityWith({ authRequire: false }), '');
  t.match(caller, { uid: 'anonymous', roles: ['anon'], kind: 'anonymous', expiresAt: Infinity });
  t.same(enteredAs(caller),
    { uid: 'anonymous', roles: 'anon', isAnonymous: false, jwt: { sub: 'anonymous', roles: ['anon'], is_anonymous: false } });
  await refuses(t, identityWith(), '', /required/);
});

test('a bad credential is refused even where none is needed, and with the account routes off', async t => {
  for (const auth of ['on', 'off'] as const) {
    const identity = identityWith({ authRequire: false, auth });
    for (const header of [
      'Basic YTpi', 'Bearer', 'Bearer ', 'Bearer a b', serviceKey, `Token ${serviceKey}`, `Bearer,${serviceKey}`, 'garbage',
    ]) {
      await refuses(t, identity, header, /Only Authorization: Bearer/);
    }
    await refuses(t, identity, `Bearer ${await hs256({ uid: 'eve' }, 'x'.repeat(40))}`, /not valid/);
    t.match(await ask(identity, `Bearer ${await hs256()}`), { uid: 'ada' });
  }
});

test('a credential is at most 8 KB', async t => {
  await refuses(t, identityWith(), `Bearer ${await hs256({ uid: 'ada', note: 'x'.repeat(7000) })}`, /longer than 8 KB/);
  t.match(await ask(identityWith(), `Bearer ${await hs256({ uid: 'ada', note: 'x'.repeat(5900) })}`), { uid: 'ada' });
});

test('text that cannot be an API key is not looked up', async t => {
  for (const key of ['rk_live_', 'rk_live_0011', 'rk_live_00112233445566778899AABBCCDDEEFF', `rk_live_${'0'.repeat(33)}`]) {
    await refuses(t, identityWith({ authRequire: false }), `Bearer ${key}`, /API key is not known/);
  }
});

test('a request to impersonate is refused, never ignored', t => {
  const call = (headers: Record<string, string>) => ({ header: (name: string) => headers[name] ?? '' });
  t.throws(() => refuseImpersonation(call({ 'x-service-impersonate': 'ada' })), { status: 501, code: 'NOT_IMPLEMENTED' });
  t.throws(() => refuseImpersonation(call({ 'x-impersonate': 'ada' })), { status: 501, code: 'NOT_IMPLEMENTED' });
  t.doesNotThrow(() => refuseImpersonation(call({ authorization: 'Bearer x' })));
  t.end();
});
