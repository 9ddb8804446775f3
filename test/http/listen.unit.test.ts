import { createServer as createNetServer, type AddressInfo } from 'node:net';
import { pino } from 'pino';
import { test } from 'tap';
import type { Call } from '../../gateway/http/route.ts';
import { LIBUS_LISTEN_EXCLUSIVE_PORT } from '../../gateway/http/uws.ts';
import { healthRoutes } from '../../gateway/features/health/routes.ts';
import { build, get, productionEnv, rawClient, serve } from './serve.ts';

const routes = [get('/x', () => ({ body: '1' }))];

test('two services do not share a port', async t => {
  t.equal(LIBUS_LISTEN_EXCLUSIVE_PORT, 1);
  const { port } = await serve(t, routes);
  await t.rejects(build(routes, { env: { PORT: String(port) } }).server.listen(),
    { message: new RegExp(`^PORT ${port} cannot be opened`) });
  await t.rejects(build(routes, { env: { ...productionEnv, PORT: String(port) } }).server.listen(),
    { message: new RegExp(`^PORT ${port} cannot`) });
  await t.rejects(build(routes, { env: productionEnv, config: { port, portNamed: false } }).server.listen(),
    { message: new RegExp(`^The default port ${port} cannot`) });
});

test('nor with another program', async t => {
  const other = createNetServer();
  await new Promise<void>(resolve => other.listen(0, resolve));
  t.teardown(() => other.close());
  const { port } = other.address() as AddressInfo;
  await t.rejects(build(routes, { env: { PORT: String(port) } }).server.listen(), { message: new RegExp(`^PORT ${port} cannot`) });
});

test('development without PORT takes the next free port', async t => {
  const first = await serve(t, routes);
  const second = await serve(t, routes, { config: { port: first.port, portNamed: false } });
  t.ok(second.port > first.port);
  t.equal((await fetch(`${second.url}/api/x`)).status, 200);
});

test('a closed server gives its port back', async t => {
  const { server, port } = await serve(t, routes);
  await server.close(0);
  const again = await serve(t, routes, { env: { PORT: String(port) } });
  t.equal(again.port, port);
});

/** A request that is being worked on until the test says so. */
function work() {
  const started = Promise.withResolvers<Call>();
  const finished = Promise.withResolvers<undefined>();
  const route = get('/work', async call => {
    started.resolve(call);
    await finished.promise;
    return { body: '"done"' };
  });
  return { route, started: started.promise, finish: () => finished.resolve(undefined) };
}

test('closing answers what is in flight and takes no new connection', async t => {
  const { route, started, finish } = work();
  const health = healthRoutes({
    config: { production: false, livenessPath: '/livez' }, probe: () => Promise.resolve(), isDraining: () => server.draining,
    log: pino({ level: 'silent' }),
  });
  const { server, url, port } = await serve(t, [route, ...routes, ...health]);
  t.equal(server.draining, false);
  const kept = await rawClient(t, port);
  kept.send('GET /health HTTP/1.1\r\nHost: x\r\n\r\n');
  t.match(await kept.until(/}$/), /^HTTP\/1.1 200/);
  const busy = await rawClient(t, port);
  busy.send('GET /api/work HTTP/1.1\r\nHost: x\r\n\r\n');
  await started;

  const closed = server.close(60_000);
  t.equal(server.draining, true);
  t.equal(server.close(1), closed, 'once');
  await t.rejects(fetch(`${url}/api/x`), 'no new connection');
  kept.send('GET /health HTTP/1.1\r\nHost: x\r\n\r\n');
  t.match(await kept.rest(), /HTTP\/1.1 503 [^]*Connection: close[^]*"degraded"/);
  finish();
  t.match(await busy.rest(), /^HTTP\/1.1 200 [^]*Connection: close[^]*"done"/);
  await closed;
});

test('closing waits until a long answer is taken', async t => {
  const long = Buffer.alloc(20_000_000, 'x');
  const { server, port } = await serve(t, [get('/long', () => ({ body: long, type: 'image/x' }))]);
  const client = await rawClient(t, port);
  client.send('GET /api/long HTTP/1.1\r\nHost: x\r\n\r\n');
  await client.until(/\r\n\r\n/);
  client.socket.pause();
  const closed = server.close(60_000);
  client.socket.resume();
  await closed;
  const received = await client.rest();
  t.equal(received.length - received.indexOf('\r\n\r\n') - 4, long.length);
});

test('closing ends idle connections at once', async t => {
  const { server, port } = await serve(t, routes);
  const client = await rawClient(t, port);
  client.send('GET /api/x HTTP/1.1\r\nHost: x\r\n\r\n');
  await client.until(/\r\n\r\n1$/);
  await server.close(60_000);
  await client.rest();
});

test('the deadline ends what does not finish', async t => {
  const { route, started, finish } = work();
  const { server, port } = await serve(t, [route]);
  const client = await rawClient(t, port);
  client.send('GET /api/work HTTP/1.1\r\nHost: x\r\n\r\n');
  const { signal } = await started;
  await server.close(1);
  t.equal(signal.aborted, true);
  t.equal(await client.rest(), '');
  finish();
});

test('a server that never listened closes', async t => {
  await build(routes).server.close(0);
  t.end();
});
