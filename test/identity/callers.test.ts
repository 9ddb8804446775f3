import { test } from 'tap';
import { lendService } from '../harness/lend.ts';
import { JWT_SECRET, tokenFor, type Answer, type TestService } from '../harness/service.ts';
import { ecKey, hs256, pem, rsaKey, seconds, signedBy } from './token-samples.ts';

/** A table that shows each caller to himself: what the database was told. */
const MIRROR = `
  create table mirror (id integer primary key, uid text, roles text, guest boolean, jwt jsonb);
  insert into mirror values (1);
  alter table mirror enable row level security;
  create policy everybody on mirror using (true);
  create view callers with (security_invoker = on) as
    select id, service.uid() as uid, service.roles() as roles, service.is_anonymous() as guest, service.jwt() as jwt from mirror;
  comment on view callers is '@key id';`;

const NOBODY_SIGNED_IN = { uid: 'anonymous', roles: 'anon', guest: false, jwt: { sub: 'anonymous', roles: ['anon'], is_anonymous: false } };

test('the claims that the database gets for each caller', async t => {
  const service = await lendService(t, { template: 'served', setup: MIRROR, env: { AUTH_REQUIRE: 'false' } });
  t.same(await seenBy(service),
    { uid: 'service', roles: 'admin', guest: false, jwt: { sub: 'service', roles: ['admin'], is_anonymous: false } });
  t.same(await seenBy(service, null), NOBODY_SIGNED_IN);
  t.same(await seenBy(service, await tokenFor('ada', ['editor', 'Admin'])),
    { uid: 'ada', roles: 'editor,Admin', guest: false, jwt: { sub: 'ada', roles: ['editor', 'Admin'], is_anonymous: false } });
  t.same(await seenBy(service, await tokenFor('guest 7', [], { isAnonymous: true })),
    { uid: 'guest 7', roles: '', guest: true, jwt: { sub: 'guest 7', roles: [], is_anonymous: true } });
  t.same(await seenBy(service, await tokenFor('ada', [], { org: { id: 7 }, is_anonymous: true, sub: 'eve' })),
    { uid: 'ada', roles: '', guest: false, jwt: { org: { id: 7 }, sub: 'ada', roles: [], is_anonymous: false } },
    'what the service knows replaces what a token says of it');
});

test('a name of another issuer is a name of any content', async t => {
  const service = await lendService(t, { template: 'served', setup: MIRROR, env: { SERVICE_AUTH: 'off' } });
  for (const uid of [
    'O\'Neil', '"quoted"', 'a,b', '\\', '$1', '{}', 'null', '愛子 – naïve 🙂', ' ada ', 'Service', 'ANONYMOUS', '\'; drop table mirror; --',
    '0', 'x'.repeat(2000), 'a\nb\tc',
  ]) {
    t.match(await seenBy(service, await tokenFor(uid, ['\'r\'', 'R "2"'])), { uid, roles: '\'r\',R "2"', jwt: { sub: uid } },
      uid.slice(0, 40));
  }
});

test('AUTH_REQUIRE: without a credential 401, unless it is false', async t => {
  const strict = await lendService(t, { template: 'served', setup: MIRROR });
  t.match(refusal(await strict.request('/data/callers/1', { as: null })), { status: 401, code: 'UNAUTHORIZED' });
  const open = await lendService(t, { template: 'served', setup: MIRROR, env: { AUTH_REQUIRE: 'false' } });
  t.equal((await open.request('/data/callers/1', { as: null })).status, 200);
});

for (const env of [
  {}, { AUTH_REQUIRE: 'false' }, { SERVICE_AUTH: 'off' }, { SERVICE_AUTH: 'off', AUTH_REQUIRE: 'false' },
] as Record<string, string>[]) {
  test(`a credential that is sent must be good, ${JSON.stringify(env)}`, async t => {
    const service = await lendService(t, { template: 'served', setup: MIRROR, env });
    const good = await tokenFor('ada');
    const bad: Record<string, string> = {
      'of another secret': await hs256({ uid: 'ada' }, 'another secret that is long enough 0123456789'),
      'expired': await hs256({ uid: 'ada', exp: seconds(-1) }, JWT_SECRET),
      'not yet valid': await hs256({ uid: 'ada', nbf: seconds(600) }, JWT_SECRET),
      'for another purpose': await tokenFor('ada', [], { purpose: 'mfa' }),
      'of a reserved name': await tokenFor('service', ['admin']),
      'of the visitors\' name': await tokenFor('anonymous'),
      'of a key\'s name': await tokenFor('api-key:1'),
      'with two roles in one': await tokenFor('ada', ['x,admin']),
      'with a changed payload': changed(good),
      'without a signature': `${good.split('.').slice(0, 2).join('.')}.`,
      'no token': 'nonsense',
      'almost the service key': 'a-service-key-for-tests-0123456789abcdeF',
      'an API key': 'rk_live_0123456789',
    };
    t.match(await seenBy(service, good), { uid: 'ada' });
    t.match(await seenBy(service), { uid: 'service' });
    for (const [name, as] of Object.entries(bad)) {
      t.match(refusal(await service.request('/data/callers/1', { as })), { status: 401, code: 'UNAUTHORIZED' }, name);
    }
    for (const authorization of ['Basic YTpi', 'Bearer', `Token ${good}`, `Bearer ${good} ${good}`, 'Bearer null']) {
      t.match(refusal(await service.request('/data/callers/1', { as: null, headers: { authorization } })),
        { status: 401, code: 'UNAUTHORIZED' }, authorization.slice(0, 20));
    }
    t.equal((await service.request('/data/callers/1', { as: null })).status, env['AUTH_REQUIRE'] === 'false' ? 200 : 401, 'none at all');
  });
}

test('an impersonation is refused, not ignored', async t => {
  const service = await lendService(t, { template: 'served', setup: MIRROR, env: { AUTH_REQUIRE: 'false' } });
  for (const as of [undefined, null, await tokenFor('ada', ['admin'])]) {
    for (const header of ['x-service-impersonate', 'X-Rowgate-Impersonate']) {
      const answer = await service.request('/data/callers/1', { ...(as === undefined ? {} : { as }), headers: { [header]: 'eve' } });
      t.match(refusal(answer), { status: 501, code: 'NOT_IMPLEMENTED' }, header);
      for (const path of ['/auth/login', '/auth/logout', '/admin/users']) {
        const sent = await service.request(path,
          { method: 'POST', ...(as === undefined ? {} : { as }), headers: { [header]: 'eve' }, body: '{}' });
        t.match(refusal(sent), { status: 501, code: 'NOT_IMPLEMENTED' }, `${path} with ${header}`);
      }
    }
  }
});

for (const [name, key] of [['ES256', ecKey('key 1')], ['RS256', rsaKey('key 1')]] as const) {
  test(`${name}: tokens signed with the private key, judged by the published one`, async t => {
    const service = await lendService(t,
      { template: 'served', setup: MIRROR, env: { JWT_PRIVATE_KEY: pem(key.privateKey), JWT_KEY_ID: 'key 1' } });
    const published = await fetch(`${service.address}/.well-known/jwks.json`);
    const { keys } = await published.json() as { keys: Record<string, string>[] };
    t.match(keys, [{ kid: 'key 1', alg: name, use: 'sig' }]);
    t.notOk(keys.some(one => 'd' in one || 'p' in one), 'the private half stays private');
    t.match(await seenBy(service, await signedBy(key, { uid: 'ada', roles: ['editor'] })), { uid: 'ada', roles: 'editor' });
    t.match(await seenBy(service, await tokenFor('bob')), { uid: 'bob' }, 'tokens of the secret stay good');
    const other = name === 'ES256' ? ecKey('key 1') : rsaKey('key 1');
    t.equal((await service.request('/data/callers/1', { as: await signedBy(other) })).status, 401, 'another key of that name');
    const publicAsSecret = await hs256({ uid: 'eve' }, key.publicKey.export({ type: 'spki', format: 'pem' }).toString(), { kid: 'key 1' });
    t.equal((await service.request('/data/callers/1', { as: publicAsSecret })).status, 401, 'the public key as an HMAC secret');
  });
}

async function seenBy(service: TestService, as?: string | null): Promise<unknown> {
  const { status, text } = await service.request('/data/callers/1', as === undefined ? {} : { as });
  if (status !== 200) return { status, text };
  const { uid, roles, guest, jwt } = JSON.parse(text) as Record<string, unknown>;
  return { uid, roles, guest, jwt };
}

function refusal({ status, text }: Answer): { status: number; code: string | undefined } {
  return { status, code: (JSON.parse(text) as { error?: { code: string } }).error?.code };
}

/** The same signature below other claims. */
function changed(token: string): string {
  const [header = '', payload = '', signature = ''] = token.split('.');
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>;
  return [header, Buffer.from(JSON.stringify({ ...claims, roles: ['admin'] })).toString('base64url'), signature].join('.');
}
