import { test, type Test } from 'tap';
import { pino } from 'pino';
import { normalAddress } from '../../gateway/addresses/normal-address.ts';
import { settings } from '../../gateway/features/settings.ts';
import { createServer } from '../../gateway/http/server.ts';
import type { Route } from '../../gateway/http/route.ts';
import { LIMITERS } from '../../gateway/limits/limiters.ts';
import { createLimits, type Limits } from '../../gateway/limits/limits.ts';
import { memoryStore } from '../../gateway/limits/memory-store.ts';
import { networkOf } from '../../gateway/limits/network.ts';
import { readConfig, type Config } from '../../gateway/features/config.ts';
import { ApiError } from '../../gateway/error.ts';
import { createService, openService, tokenFor, type TestService } from '../harness/service.ts';
import { leaveOut } from '../harness/answers.ts';
import { createDatabase } from '../harness/database.ts';

const PATH = '/data/products/7';
const limitsOf = ({ headers }: { headers: Headers }) =>
  ['x-ratelimit-limit', 'x-ratelimit-remaining', 'retry-after', 'x-ratelimit-reset'].map(name => headers.get(name));

/** How many of so many requests, all at once, are answered 200 and 429. */
async function answered(
  service: Pick<TestService, 'request'>, count: number, options: Parameters<TestService['request']>[1] = {},
): Promise<Record<number, number>> {
  const answers = await Promise.all(Array.from({ length: count }, () => service.request(PATH, options)));
  return Object.fromEntries([...Map.groupBy(answers, ({ status }) => status)].map(([status, { length }]) => [status, length]));
}

/** Routes of our own behind a real server: what account routes will do. */
async function serveLimited(
  t: Test, handle: (limits: Limits, call: Parameters<Route['handle']>[0]) => Promise<void>, env: Record<string, string> = {},
): Promise<string> {
  const limits = createLimits({ store: memoryStore(), dataRateLimit: undefined });
  const route: Route = {
    method: 'POST', path: '/try', admit: () => undefined, handle: async call => { await handle(limits, call); return { body: '{}' }; },
  };
  const config: Config = readConfig({ NODE_ENV: 'test', PORT: '0', ...env });
  const server = createServer({ config, routes: [route], features: [], log: pino({ level: 'silent' }) });
  const { port } = await server.listen();
  t.teardown(() => server.close(1_000));
  leaveOut(port);
  return `http://127.0.0.1:${port}/api/try`;
}

function post(url: string, body: object = {}, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...headers } });
}

test('without a limit nothing is counted and nothing is shown', async t => {
  const { request } = await createService(t);
  t.same(limitsOf(await request(PATH)), [null, null, null, null]);
  t.equal(settings.dataRateLimit.unset, undefined);
});

test('a caller has so many requests for data, and every answer says how many are left', async t => {
  const { request } = await createService(t, { env: { SERVICE_DATA_RATE_LIMIT: '3' } });
  const as = await tokenFor('7', ['admin']);
  t.same(limitsOf(await request(PATH, { as })), ['3', '2', null, null]);
  t.match(await request('/data/products/nothing', { as }), { status: 404 });
  const refusedWrite = await request('/data/products', { as, method: 'POST', body: '{"nothing":1}' });
  t.equal(refusedWrite.status, 400);
  t.same(limitsOf(refusedWrite), ['3', '0', null, null], 'what failed counts, and says so too');
  const refused = await request(PATH, { as });
  t.match(refused, {
    status: 429,
    body: { error: { code: 'RATE_LIMITED', message: /^Too many requests\. Try again in 1[56] minutes\.$/, requestId: /^[\da-f-]{36}$/ } },
  });
  const [limit, remaining, retryAfter, reset] = limitsOf(refused);
  t.same([limit, remaining], ['3', '0']);
  t.ok(Number(retryAfter) > 890 && Number(retryAfter) <= 901, String(retryAfter));
  t.equal(refused.body.error.details.retryAfter, Number(retryAfter));
  t.ok(Math.abs(Number(reset) - Date.now() / 1000 - Number(retryAfter)) < 5, String(reset));
  t.same(limitsOf(await request(PATH, { as: await tokenFor('8', ['admin']) })), ['3', '2', null, null], 'another caller has his own');
  for (let n = 0; n < 5; n++) t.equal((await request(PATH)).status, 200, 'the service key is not limited');
  t.equal((await request('/collections', { as })).status === 429, false, 'other routes are not');
});

test('a count that is shared is one count: two gateways, in the database', async t => {
  const { url } = await createDatabase(t, { template: 'served_store' });
  const env = { SERVICE_SOURCE: 'tables', SERVICE_DATA_RATE_LIMIT: '30', SERVICE_RATE_LIMIT_STORE: 'sql' };
  const [one, other] = [await openService(url, env), await openService(url, env)];
  t.teardown(() => Promise.all([one.close(), other.close()]));
  const as = await tokenFor('7', ['admin']);
  const [first, second] = await Promise.all([answered(one, 40, { as }), answered(other, 40, { as })]);
  t.equal((first[200] ?? 0) + (second[200] ?? 0), 30);
  t.equal((first[429] ?? 0) + (second[429] ?? 0), 50);
  t.same(limitsOf(await one.request(PATH, { as })).slice(0, 2), ['30', '0']);
});

test('visitors count by their address, which they cannot choose', async t => {
  const env = { SERVICE_DATA_RATE_LIMIT: '2', AUTH_REQUIRE: 'false' };
  const forged = (address: string) =>
    ({ as: null, headers: { 'x-forwarded-for': address, 'x-real-ip': address, forwarded: `for=${address}` } });
  const direct = await createService(t, { env });
  const statuses = [];
  for (let n = 0; n < 4; n++) statuses.push((await direct.request(PATH, forged(`203.0.113.${n}`))).status);
  t.same(statuses.map(status => status === 429), [false, false, true, true], 'without a proxy the header is nobody\'s word');

  const proxied = await createService(t, { env: { ...env, TRUSTED_PROXY_HOPS: '1' } });
  const is429 = async (address: string) => (await proxied.request(PATH, forged(address))).status === 429;
  t.same([await is429('198.51.100.1, 203.0.113.9'), await is429('198.51.100.2, 203.0.113.9'), await is429('198.51.100.3, 203.0.113.9')],
    [false, false, true], 'what the proxy saw counts, not what stands left of it');
  t.equal(await is429('203.0.113.9, 203.0.113.10'), false, 'another client has his own');
});

test('an IPv6 network is one caller', t => {
  t.equal(networkOf('192.0.2.7'), '192.0.2.7');
  t.equal(networkOf('::ffff:192.0.2.7'), '192.0.2.7');
  t.equal(networkOf('2001:db8:1:2:3:4:5:6'), '2001:db8:1:2::/64');
  t.equal(networkOf('2001:0DB8:1:2::9'), '2001:db8:1:2::/64');
  t.equal(networkOf('2001:db8::1'), '2001:db8:0:0::/64');
  t.equal(networkOf('::1'), '0:0:0:0::/64');
  t.equal(networkOf('64:ff9b::192.0.2.33'), '64:ff9b:0:0::/64');
  t.equal(networkOf('fe80::1%eth0'), 'fe80:0:0:0::/64');
  t.not(networkOf('2001:db8:1:2::1'), networkOf('2001:db8:1:3::1'));
  t.end();
});

test('a limiter is one count for all routes that name it, by address or by what the route names', async t => {
  const url = await serveLimited(t, async (limits, call) => {
    const { email } = call.json() as { email?: string };
    await limits.perAddress(call, 'strict');
    await limits.perSubject(call, 'otpSend', email && normalAddress(email));
  });
  const five = [];
  for (let n = 0; n < 6; n++) five.push(await post(url, { email: n % 2 === 0 ? 'Jane@Example.org ' : 'jane@example.org' }));
  t.same(five.map(({ status }) => status), [200, 200, 200, 200, 200, 429], 'an address in either spelling');
  t.same(limitsOf(five[0] as Response), ['5', '4', null, null], 'the tighter one is shown');
  t.same(limitsOf(five[5] as Response).slice(0, 2), ['5', '0']);
  t.equal((await post(url, { email: 'john@example.org' })).status, 200);
  const nobody = [];
  for (let n = 0; n < 6; n++) nobody.push((await post(url, {})).status);
  t.same(nobody, [200, 200, 200, 200, 200, 429], 'where nothing is named the client\'s address counts');
  const all = [];
  for (let n = 0; n < 40; n++) all.push(await post(url, { email: `x${n}@example.org` }));
  t.equal(all.filter(({ status }) => status === 200).length, LIMITERS.strict.most - 13);
  t.same(limitsOf(all.at(-1) as Response).slice(0, 2), ['50', '0'], 'the one that refused is shown');
});

test('a failure of the route carries the headers too', async t => {
  const url = await serveLimited(t, async (limits, call) => {
    await limits.perAddress(call, 'default');
    throw new ApiError(401, 'INVALID_CREDENTIALS', 'No.');
  });
  const response = await post(url, {}, { origin: 'http://localhost:5173' });
  t.equal(response.status, 401);
  t.same(limitsOf(response), ['200', '199', null, null]);
  t.match(response.headers.get('access-control-expose-headers'), /X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset/);
});

test('an own limit of a key takes the place of the general one', async t => {
  const limits = createLimits({ store: memoryStore(), dataRateLimit: 1 });
  const keyWith = (rateLimit: number | null) => ({ kind: 'key', uid: 'api-key:1', key: { rateLimit } }) as never;
  const call = () => ({ answerHeaders: {}, ip: '192.0.2.1' }) as never;
  await limits.data(call(), keyWith(2));
  await limits.data(call(), keyWith(2));
  await t.rejects(limits.data(call(), keyWith(2)) as Promise<void>, { code: 'RATE_LIMITED' });
  const unlimited = createLimits({ store: memoryStore(), dataRateLimit: undefined });
  t.equal(unlimited.data(call(), keyWith(null)), undefined, 'without any there is nothing to wait for');
  t.ok(unlimited.data(call(), keyWith(2)) instanceof Promise);
});

test('where the count cannot be had nothing is allowed', async t => {
  const { request, sql } = await createService(t, { env: { SERVICE_DATA_RATE_LIMIT: '3', SERVICE_RATE_LIMIT_STORE: 'sql' } });
  const as = await tokenFor('7', ['admin']);
  t.equal((await request(PATH, { as })).status, 200);
  await sql`revoke execute on function service_private.take_request(text, integer) from service_user`;
  t.match(await request(PATH, { as }), { status: 500 });
});
