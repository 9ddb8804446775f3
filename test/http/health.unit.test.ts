import { pino } from 'pino';
import { test, type Test } from 'tap';
import { healthRoutes } from '../../gateway/features/health/routes.ts';
import type { HealthOptions } from '../../gateway/features/health/routes.ts';
import { serve } from './serve.ts';

function withHealth(t: Test, options: Partial<HealthOptions> = {}, production = false) {
  const config = { production, livenessPath: '/livez', ...options.config };
  return serve(t,
    healthRoutes({ probe: () => Promise.resolve(), isDraining: () => false, log: pino({ level: 'silent' }), ...options, config }));
}

const broken = () =>
  Promise.reject(new Error('query failed', { cause: new Error('connect ECONNREFUSED postgres://me:hunter2@db:5432/app') }));

test('liveness touches nothing', async t => {
  const { url } = await withHealth(t, { probe: () => { throw new Error('asked'); } });
  const response = await fetch(`${url}/livez`);
  t.equal(response.status, 200);
  t.equal(response.headers.get('cache-control'), 'no-store');
  t.same(await response.json(), { status: 'ok' });
  t.equal((await fetch(`${url}/api/livez`)).status, 404);
});

test('RUNTIME_LIVENESS_PATH moves it', async t => {
  const { url } = await withHealth(t, { config: { production: false, livenessPath: '/up/now' } });
  t.equal((await fetch(`${url}/up/now`)).status, 200);
  t.equal((await fetch(`${url}/livez`)).status, 404);
});

test('readiness at the root and below the base path, with HEAD', async t => {
  const { url } = await withHealth(t);
  for (const path of ['/health', '/api/health']) {
    const response = await fetch(url + path);
    t.equal(response.status, 200);
    t.equal(response.headers.get('cache-control'), 'no-store');
    t.match(await response.json(), { status: 'ok', latencyMs: Number });
    t.equal((await fetch(url + path, { method: 'HEAD' })).status, 200);
  }
});

test('an unhealthy service is 503, outside production with the innermost cause and no password', async t => {
  const { url } = await withHealth(t, { probe: broken });
  const response = await fetch(`${url}/health`);
  t.equal(response.status, 503);
  t.equal(response.headers.get('cache-control'), 'no-store');
  t.equal(response.headers.get('retry-after'), '1');
  const error = 'connect ECONNREFUSED postgres://***@db:5432/app';
  const body = await response.json() as { latencyMs: number };
  t.same(body, { status: 'degraded', latencyMs: body.latencyMs, details: { error }, dataSources: [{ key: '(default)', error }] });
  t.equal((await fetch(`${url}/livez`)).status, 200);
});

test('production shows only what fails', async t => {
  const { url } = await withHealth(t, { probe: broken }, true);
  const body = await (await fetch(`${url}/api/health`)).json() as { latencyMs: number };
  t.same(body, { status: 'degraded', latencyMs: body.latencyMs, dataSources: [{ key: '(default)' }] });
});

test('a probe that throws at once is unhealthy too', async t => {
  const { url } = await withHealth(t, { probe: () => { throw new Error('no pool'); } });
  for (let i = 0; i < 2; i++) t.match(await (await fetch(`${url}/health`)).json(), { status: 'degraded', details: { error: 'no pool' } });
});

test('a draining service is not ready and does not ask the database', async t => {
  const { url } = await withHealth(t, { isDraining: () => true, probe: () => { throw new Error('asked'); } });
  const response = await fetch(`${url}/health`);
  t.equal(response.status, 503);
  t.match(await response.json(), { status: 'degraded', details: { error: 'The service is shutting down.' } });
});

test('many who ask at once cost one question', async t => {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  let asked = 0;
  const { url } = await withHealth(t, { probe: () => { asked++; return promise; } });
  const answers = Array.from({ length: 20 }, () => fetch(`${url}/health`));
  await fetch(`${url}/livez`);
  resolve(undefined);
  for (const answer of await Promise.all(answers)) t.equal(answer.status, 200);
  t.ok(asked < 20, `asked ${asked} times`);
  t.equal((await fetch(`${url}/health`)).status, 200);
});

test('a database that hangs is unhealthy, and asked again', async t => {
  let asked = 0;
  const { url } = await withHealth(t, { patience: 20, probe: () => asked++ === 0 ? new Promise(() => undefined) : Promise.resolve() });
  const response = await fetch(`${url}/health`);
  t.equal(response.status, 503);
  t.match(await response.json(), { status: 'degraded', details: { error: 'no answer in 20 ms' } });
  t.equal((await fetch(`${url}/health`)).status, 200);
});

test('tables of accounts that are missing or changed are unhealthy, and named outside production', async t => {
  const faults = ['service.sessions is missing', 'service.users.email is of type integer, not text'];
  const accountFaults = () => Promise.resolve(faults);
  const { url } = await withHealth(t, { accountFaults });
  const response = await fetch(`${url}/health`);
  t.equal(response.status, 503);
  const body = await response.json() as { latencyMs: number };
  const error = `The tables of accounts are not those of this version: ${faults.join('; ')}.`;
  t.same(body,
    { status: 'degraded', latencyMs: body.latencyMs, details: { authSchema: faults }, dataSources: [{ key: '(default)', error }] });
  const production = await withHealth(t, { accountFaults }, true);
  const hidden = await (await fetch(`${production.url}/health`)).json() as { latencyMs: number };
  t.same(hidden, { status: 'degraded', latencyMs: hidden.latencyMs, dataSources: [{ key: '(default)' }] });
});

test('the log has the whole reason once, whatever probes ask, and says when it is over', async t => {
  const lines: { level: number; msg: string; err?: { message: string } }[] = [];
  const log = pino({}, { write: (line: string) => { lines.push(JSON.parse(line) as typeof lines[number]); } });
  const reasons = ['refused', 'refused', 'too many', 'too many', '', ''];
  let asked = 0;
  const probe = () => {
    const reason = reasons[asked++] ?? '';
    return reason === '' ? Promise.resolve() : Promise.reject(new Error(reason));
  };
  const { url } = await withHealth(t, { probe, log }, true);
  for (const reason of reasons) t.equal((await fetch(`${url}/health`)).status, reason === '' ? 200 : 503);
  t.same(lines.map(({ msg, err }) => err === undefined ? msg : `${msg}: ${err.message}`),
    ['not ready: refused', 'not ready: too many', 'ready again']);
});
