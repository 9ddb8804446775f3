import { test } from 'tap';
import type { Call, Route } from '../../gateway/http/route.ts';
import { unauthorized } from '../../gateway/identity/unauthorized.ts';
import { until } from '../harness/until.ts';
import { errorOf, get, rawClient, serve } from './serve.ts';

const admit = () => undefined;
const echo: Route = { method: 'POST', path: '/echo', admit, handle: (call: Call) => ({ body: JSON.stringify(call.json()) }) };
const size: Route = { method: 'ANY', path: '/size', admit, handle: (call: Call) => ({ body: String(call.body.length) }) };
const routes = [echo, size, get('/ping', () => ({ body: '"pong"' }))];
const json = { 'Content-Type': 'application/json' };

function post(url: string, body: RequestInit['body'], headers: Record<string, string> = json): Promise<Response> {
  return fetch(url, { method: 'POST', headers, body: body ?? null });
}

test('a JSON object arrives in any pieces', async t => {
  const { url, port } = await serve(t, routes);
  t.same(await (await post(`${url}/api/echo`, '{"a":[1,"é"]}')).json(), { a: [1, 'é'] });
  t.same(await (await post(`${url}/api/echo`, '\ufeff{"a":1}')).json(), { a: 1 }, 'with a byte order mark');
  const large = JSON.stringify({ text: 'x'.repeat(3_000_000) });
  t.equal(await (await post(`${url}/api/echo`, large)).text(), large);
  const client = await rawClient(t, port);
  client.send('POST /api/echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n{"a\r\n2\r\n":\r\n3\r\n 1}\r\n0\r\n\r\n');
  t.match(await client.until(/{"a":1}$/), /^HTTP\/1.1 200/);
});

test('an empty or blank body is {}', async t => {
  const { url } = await serve(t, routes);
  t.same(await (await post(`${url}/api/echo`, null, {})).json(), {});
  t.same(await (await post(`${url}/api/echo`, '')).json(), {});
  t.same(await (await post(`${url}/api/echo`, ' \n ')).json(), {});
});

test('a missing content type is JSON, +json too; an explicit other one is 415', async t => {
  const { url } = await serve(t, routes);
  for (const type of ['application/json; charset=utf-8', 'Application/JSON', 'application/merge-patch+json']) {
    t.equal((await post(`${url}/api/echo`, '{}', { 'Content-Type': type })).status, 200, type);
  }
  t.equal((await post(`${url}/api/echo`, new Uint8Array(Buffer.from('{"a":1}')), {})).status, 200, 'none');
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'application/jsonx', 'json']) {
    const response = await post(`${url}/api/echo`, '{}', { 'Content-Type': type });
    t.equal(response.status, 415, type);
    t.equal((await errorOf(response)).code, 'UNSUPPORTED_MEDIA_TYPE');
  }
});

test('a body that is no JSON object is a bad request', async t => {
  const { url } = await serve(t, routes);
  const invalidUtf8 = new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]);
  for (const bad of ['{', '{"a":}', "{'a':1}", '{"a":1}}', 'null', '[]', '1', '"text"', 'true', invalidUtf8]) {
    const response = await post(`${url}/api/echo`, bad);
    t.equal(response.status, 400, String(bad));
    t.equal((await errorOf(response)).code, 'BAD_REQUEST');
  }
});

test('a key __proto__ is a key', async t => {
  const polluted: Route = { method: 'POST', path: '/keys', admit, handle(call) {
    const body = call.json();
    return { body: JSON.stringify({ keys: Object.keys(body), admin: body['admin'], plain: ({} as Record<string, unknown>)['admin'] }) };
  } };
  const { url } = await serve(t, [polluted]);
  t.same(await (await post(`${url}/api/keys`, '{"__proto__":{"admin":true},"constructor":{"prototype":{"admin":true}}}')).json(),
    { keys: ['__proto__', 'constructor'] });
});

test('a body over the limit is 413, announced or in chunks, and the connection goes on', async t => {
  const { url, port } = await serve(t, routes, { env: { SERVICE_MAX_BODY_SIZE: '1048576' } });
  const [fits, over] = ['x'.repeat(1_048_576), 'x'.repeat(1_048_577)];
  t.equal(await (await post(`${url}/api/size`, fits)).text(), '1048576');
  const stream = (text: string) => new Blob([text]).stream();
  for (const body of [over, over.repeat(20)]) {
    const announced = await post(`${url}/api/size`, body);
    t.equal(announced.status, 413);
    t.match(await errorOf(announced), { code: 'PAYLOAD_TOO_LARGE', message: /limit of 1 MB/, details: { limit: 1_048_576 } });
    const chunked = await fetch(`${url}/api/size`, { method: 'POST', body: stream(body), duplex: 'half' });
    t.equal(chunked.status, 413);
    t.equal((await errorOf(chunked)).code, 'PAYLOAD_TOO_LARGE');
  }
  t.equal(await (await fetch(`${url}/api/size`, { method: 'POST', body: stream(fits), duplex: 'half' })).text(), '1048576');

  const client = await rawClient(t, port);
  client.send(
    `POST /api/size HTTP/1.1\r\nHost: x\r\nContent-Length: ${over.length}\r\n\r\n${over}GET /api/ping HTTP/1.1\r\nHost: x\r\n\r\n`,
  );
  t.match(await client.until(/"pong"/), /^HTTP\/1.1 413[^]*HTTP\/1.1 200/);
  const chunks = await rawClient(t, port);
  chunks.send(`POST /api/size HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${over.length.toString(16)}\r\n${over}`
    + `\r\n0\r\n\r\nGET /api/ping HTTP/1.1\r\nHost: x\r\n\r\n`);
  t.match(await chunks.until(/"pong"/), /^HTTP\/1.1 413[^]*HTTP\/1.1 200/);
});

test('a body far over the limit ends its connection', async t => {
  const { port, url } = await serve(t, routes, { env: { SERVICE_MAX_BODY_SIZE: '1000' } });
  const announced = await rawClient(t, port);
  announced.send('POST /api/size HTTP/1.1\r\nHost: x\r\nContent-Length: 9000000000\r\n\r\n');
  t.match(await announced.rest(), /^HTTP\/1.1 413[^]*Connection: close/);
  const endless = await rawClient(t, port);
  endless.send('POST /api/size HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n');
  const chunk = `100000\r\n${'x'.repeat(0x100000)}\r\n`;
  const pour = () => { while (!endless.socket.destroyed && endless.send(chunk)); };
  endless.socket.on('drain', pour);
  pour();
  t.match(await endless.rest(), /^(?:HTTP\/1.1 413[^]*Connection: close[^]*)?$/);
  t.ok(endless.socket.bytesWritten > 64 * 1024 * 1024, `after ${endless.socket.bytesWritten} bytes`);
  t.equal((await fetch(`${url}/api/ping`)).status, 200);
});

test('a route that asks for no body gets none', async t => {
  const { url, port } = await serve(t,
    [get('/ping', () => ({ body: '"pong"' })), { method: 'POST', path: '/deaf', handle: call => ({ body: String(call.body.length) }) }]);
  t.equal(await (await post(`${url}/api/deaf`, 'x'.repeat(100_000))).text(), '0');
  const client = await rawClient(t, port);
  client.send('POST /api/deaf HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhelloGET /api/ping HTTP/1.1\r\nHost: x\r\n\r\n');
  t.match(await client.until(/"pong"/), /^HTTP\/1.1 200[^]*HTTP\/1.1 200/);
});

test('a rejected caller is told before the body is there, and for a chunked body at its end', async t => {
  const { promise: asked, resolve: ask } = Promise.withResolvers<undefined>();
  const { promise: decided, resolve: decide } = Promise.withResolvers<undefined>();
  const handle = () => { throw new Error('It was handled.'); };
  const closed: Route = { method: 'POST', path: '/closed', admit: () => { throw unauthorized('No.'); }, handle };
  const later: Route = {
    method: 'POST', path: '/later', admit: () => { ask(undefined); return decided; }, handle: call => ({ body: String(call.body.length) }),
  };
  const never: Route = { method: 'POST', path: '/never', admit: () => Promise.reject(unauthorized('No.')), handle };
  const { port } = await serve(t, [closed, later, never, get('/ping', () => ({ body: '"pong"' }))]);
  for (const path of ['closed', 'never']) {
    const client = await rawClient(t, port);
    client.send(`POST /api/${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n`);
    t.match(await client.until(/"UNAUTHORIZED"/), /^HTTP\/1.1 401/, 'with no byte of it sent');
    client.send(`${'x'.repeat(1_000_000)}GET /api/ping HTTP/1.1\r\nHost: x\r\n\r\n`);
    t.match(await client.until(/"pong"/), /HTTP\/1.1 200/, 'the connection goes on');
    const chunked = await rawClient(t, port);
    chunked.send(`POST /api/${path} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n`);
    chunked.send('0\r\n\r\nGET /api/ping HTTP/1.1\r\nHost: x\r\n\r\n');
    t.match(await chunked.until(/"pong"/), /^HTTP\/1.1 401[^]*HTTP\/1.1 200/);
  }
  const client = await rawClient(t, port);
  client.send(`POST /api/later HTTP/1.1\r\nHost: x\r\nContent-Length: 3000000\r\n\r\n${'x'.repeat(10)}`);
  await asked;
  client.send('x'.repeat(2_999_990));
  decide(undefined);
  t.match(await client.until(/3000000$/), /^HTTP\/1.1 200/);
});

test('bodies under way share a limit, which is free again when they are answered, refused or left', async t => {
  const { promise: answered, resolve: answer } = Promise.withResolvers<undefined>();
  const held: Route = {
    method: 'POST', path: '/held', admit, handle: async call => { await answered; return { body: String(call.body.length) }; },
  };
  const { url, port } = await serve(t, [held, ...routes], { env: { SERVICE_BODY_MEMORY: '3000000' } });
  const first = post(`${url}/api/held`, 'x'.repeat(1_000_000));
  const left = await rawClient(t, port);
  left.send(`POST /api/size HTTP/1.1\r\nHost: x\r\nContent-Length: 2000000\r\n\r\n${'x'.repeat(900_000)}`);
  const busy = async () => (await post(`${url}/api/size`, 'x'.repeat(1_900_000))).status;
  await until('both have come in', async () => (await busy()) === 503);
  const refused = await post(`${url}/api/size`, 'x'.repeat(1_900_000));
  t.equal(refused.status, 503);
  t.equal((await errorOf(refused)).code, 'SERVICE_UNAVAILABLE');
  t.match(refused.headers.get('retry-after'), /^\d+$/);
  t.equal((await post(`${url}/api/size`, 'x'.repeat(3_000_001))).status, 413, 'which it can never have');
  t.equal((await post(`${url}/api/size`, 'small')).status, 200);
  left.socket.destroy();
  await until('what was left is free', async () => (await busy()) === 200);
  t.equal((await post(`${url}/api/size`, 'x'.repeat(2_100_000))).status, 503, 'the first still has its share');
  answer(undefined);
  t.equal(await (await first).text(), '1000000');
  for (let i = 0; i < 5; i++) t.equal((await post(`${url}/api/size`, 'x'.repeat(2_900_000))).status, 200);
});

test('the limit of 0 is none of its own', async t => {
  const { url } = await serve(t, routes, { env: { SERVICE_MAX_BODY_SIZE: '0' } });
  t.equal(await (await post(`${url}/api/size`, 'x'.repeat(11_000_000))).text(), '11000000');
});

test('an unknown path with a body is 404, and the connection goes on', async t => {
  const { port } = await serve(t, routes);
  const client = await rawClient(t, port);
  client.send('POST /api/nothing HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhelloGET /api/ping HTTP/1.1\r\nHost: x\r\n\r\n');
  t.match(await client.until(/"pong"/), /^HTTP\/1.1 404[^]*HTTP\/1.1 200/);
});

test('bodies in flight do not mix', async t => {
  const { url } = await serve(t, routes);
  const sent = Array.from({ length: 50 }, (_, i) => ({ i, text: String(i).repeat(20_000) }));
  const received = await Promise.all(sent.map(async value => (await post(`${url}/api/echo`, JSON.stringify(value))).json()));
  t.same(received, sent);
});

test('a client that leaves aborts the signal of its call', async t => {
  const { promise: started, resolve: start } = Promise.withResolvers<undefined>();
  const { promise: aborted, resolve: abort } = Promise.withResolvers<undefined>();
  const handle = (call: Call) => new Promise<never>(() => {
    call.signal.addEventListener('abort', () => abort(undefined));
    start(undefined);
  });
  const { port, url } = await serve(t, [get('/wait', handle), ...routes]);
  const client = await rawClient(t, port);
  client.send('GET /api/wait HTTP/1.1\r\nHost: x\r\n\r\n');
  await started;
  client.socket.destroy();
  await aborted;
  t.equal((await fetch(`${url}/api/ping`)).status, 200);
});

test('an answer to a client that left goes nowhere', async t => {
  const { promise: started, resolve: start } = Promise.withResolvers<undefined>();
  const handle = async (call: Call) => {
    const left = new Promise(resolve => call.signal.addEventListener('abort', resolve));
    start(undefined);
    await left;
    t.equal(call.ip, '');
    t.equal(call.signal.aborted, true);
    t.equal(call.header('x-mark'), 'm');
    return { body: 'x'.repeat(100_000) };
  };
  const { port, url } = await serve(t, [get('/wait', handle), ...routes]);
  const client = await rawClient(t, port);
  client.send('GET /api/wait HTTP/1.1\r\nHost: x\r\nX-Mark: m\r\n\r\n');
  await started;
  client.socket.destroy();
  t.equal((await fetch(`${url}/api/ping`)).status, 200);
});

test('a long answer arrives whole, also for a client that reads late', async t => {
  const long = Buffer.alloc(30_000_000, 'abcdefghij');
  const { url, port } = await serve(t, [get('/now', () => ({ body: long, type: 'application/octet-stream' })), get('/later',
    async () => ({ body: await Promise.resolve(long.toString()), type: 'image/x' }))]);
  for (const path of ['/api/now', '/api/later']) t.ok(Buffer.from(await (await fetch(url + path)).arrayBuffer()).equals(long), path);
  const client = await rawClient(t, port);
  client.socket.pause();
  client.send('GET /api/now HTTP/1.1\r\nHost: x\r\n\r\n');
  t.equal((await fetch(`${url}/api/nothing`)).status, 404);
  client.socket.resume();
  const head = await client.until(/\r\n\r\n/);
  const received = await client.untilLength(head.indexOf('\r\n\r\n') + 4 + long.length);
  t.ok(received.endsWith(long.toString('latin1')));
});

test('headers are there after an await, the address is the client\'s', async t => {
  const handle = async (call: Call) => {
    await new Promise(resolve => setImmediate(resolve));
    return { body: JSON.stringify([call.header('authorization'), call.header('x-none'), call.ip]) };
  };
  const { url } = await serve(t, [get('/who', handle)], { env: { TRUSTED_PROXY_HOPS: '1' } });
  const who = async (headers: Record<string, string>) =>
    (await fetch(`${url.replace('localhost', '127.0.0.1')}/api/who`, { headers })).json();
  t.same(await who({ Authorization: 'Bearer x' }), ['Bearer x', '', '127.0.0.1']);
  t.same(await who({ 'X-Forwarded-For': '6.6.6.6, 203.0.113.7' }), ['', '', '203.0.113.7']);
});
