import { test } from 'tap';
import fc from 'fast-check';
import { ask, enteredAs, hs256, identityWith, refuses } from './token-samples.ts';

test('sub names the user where there is no uid', async t => {
  t.match(await ask(identityWith(), `Bearer ${await hs256({ sub: 'bob' })}`), { uid: 'bob' });
  t.match(await ask(identityWith(), `Bearer ${await hs256({ uid: 'ada', sub: 'bob' })}`), { uid: 'ada' });
});

test('a token without a subject is refused', async t => {
  for (const claims of [
    {}, { uid: '' }, { uid: ' \t' }, { uid: null, sub: 'bob' }, { uid: 7, sub: 'bob' }, { uid: ['ada'] }, { sub: '' },
  ]) {
    await refuses(t, identityWith(), `Bearer ${await hs256(claims)}`, /names no user/);
  }
});

test('a token cannot name a caller of the service itself', async t => {
  for (const uid of ['service', 'anonymous', 'anon', 'api-key:', 'api-key:1']) {
    await refuses(t, identityWith(), `Bearer ${await hs256({ uid })}`, /reserved/);
    await refuses(t, identityWith(), `Bearer ${await hs256({ sub: uid })}`, /reserved/);
  }
});

test('roles are a list of names, each of which stays one name in a comma list', async t => {
  for (const roles of ['admin', { 0: 'admin' }, ['a,admin'], [''], [' '], [['admin']], [7], [null]]) {
    await refuses(t, identityWith(), `Bearer ${await hs256({ uid: 'ada', roles })}`, /list of role names/);
  }
  for (const roles of [undefined, null, []]) {
    t.match(enteredAs(await ask(identityWith(), `Bearer ${await hs256({ uid: 'ada', roles })}`)), { roles: '', jwt: { roles: [] } });
  }
});

test('a token for another purpose is never a session', async t => {
  for (const purpose of ['mfa-pending', 'file-read', '', null, false]) {
    await refuses(t, identityWith(), `Bearer ${await hs256({ uid: 'ada', purpose })}`, /another purpose/);
  }
});

test('a guest is a user that policies can tell apart', async t => {
  const guest = await ask(identityWith(), `Bearer ${await hs256({ uid: 'g1', isAnonymous: true })}`);
  t.equal(guest.kind, 'user');
  t.match(enteredAs(guest), { isAnonymous: true, jwt: { is_anonymous: true } });
  for (const isAnonymous of ['true', 1, {}]) {
    await refuses(t, identityWith(), `Bearer ${await hs256({ uid: 'g1', isAnonymous })}`, /guest flag/);
  }
});

test('custom claims reach policies, and none of them replaces what the server writes', async t => {
  const token = await hs256({
    uid: 'ada', sub: 'eve', roles: ['editor'], is_anonymous: true, isAnonymous: false, jti: 'x', nbf: 1, org: { id: 7, tags: ['å', null] },
  });
  t.same(enteredAs(await ask(identityWith(), `Bearer ${token}`)), {
    uid: 'ada', roles: 'editor', isAnonymous: false,
    jwt: { org: { id: 7, tags: ['å', null] }, sub: 'ada', roles: ['editor'], is_anonymous: false },
  });
});

test('text that Postgres cannot store is refused wherever it stands', async t => {
  for (const text of ['\0', 'a\0b', '\\\0', '\ud800', '\udc00x', 'x\\\\\0']) {
    for (const claims of [
      { uid: `u${text}` }, { uid: 'ada', roles: [`r${text}`] }, { uid: 'ada', deep: [{ er: text }] }, { uid: 'ada', [`k${text}`]: 1 },
    ]) {
      await refuses(t, identityWith(), `Bearer ${await hs256(claims)}`, /cannot be stored/);
    }
  }
  for (const text of ['\\u0000', '\\ud800', '😀', '\\\\u0000', '\u0001\n']) {
    t.match(await ask(identityWith(), `Bearer ${await hs256({ uid: 'ada', text })}`), { uid: 'ada' });
  }
});

test('every token yields a whole caller or 401', async t => {
  const identity = identityWith({ authRequire: false });
  const answer = async (header: string) => {
    const caller = await ask(identity, header).catch((error: unknown) => error);
    if (caller instanceof Error) return 'code' in caller && caller.code === 'UNAUTHORIZED';
    return JSON.stringify(Object.keys(enteredAs(caller as never) as object)) === '["uid","roles","isAnonymous","jwt"]';
  };
  await fc.assert(fc.asyncProperty(fc.string({ unit: 'binary' }), text => answer(`Bearer ${text}`)));
  await fc.assert(fc.asyncProperty(fc.string(), fc.string(), fc.string(),
    (a, b, c) => answer(`Bearer ${[a, b, c].map(part => Buffer.from(part).toString('base64url')).join('.')}`)));
  await fc.assert(fc.asyncProperty(fc.record({
    alg: fc.constant('HS256'), kid: fc.jsonValue(), typ: fc.jsonValue(), crit: fc.jsonValue(),
  }, { requiredKeys: ['alg'] }), header =>
    answer(`Bearer ${Buffer.from(JSON.stringify(header)).toString('base64url')}.e30.AAAA`)));
  const claim = fc.oneof(fc.jsonValue(), fc.string({ unit: 'binary' }));
  await fc.assert(fc.asyncProperty(fc.record({
    uid: claim, sub: fc.string(), roles: claim, isAnonymous: claim, purpose: claim, custom: claim,
  }, { requiredKeys: [] }), async claims =>
    answer(`Bearer ${await hs256(claims)}`)));
  t.pass('a thousand odd tokens');
});
