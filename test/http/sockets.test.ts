import { once } from 'node:events';
import { test, type Test } from 'tap';
import WebSocket, { type ClientOptions, type RawData } from 'ws';
import { ApiError } from '../../gateway/error.ts';
import type { Connection, Socket, SocketSurface } from '../../gateway/http/sockets.ts';
import { refusedUpgrade } from '../harness/socket.ts';
import { get, productionEnv, rawClient, seen, serve } from './serve.ts';

const LIMIT = 1000;
const MEBIBYTE = 1024 * 1024;

/** The events of a socket of the service. */
type Accepted = { socket: Socket; events: string[]; closed: Promise<void> };

/** Sends back what it hears. */
function echo(admit: SocketSurface['admit'] = () => undefined): SocketSurface & { accepted: Accepted[] } {
  const accepted: Accepted[] = [];
  return {
    accepted,
    admit,
    accept(socket): Connection {
      const { promise: closed, resolve } = Promise.withResolvers<undefined>();
      const events: string[] = [];
      accepted.push({ socket, events, closed });
      return {
        heard: text => { events.push(text.toString()); socket.send(text.toString()); },
        heardBinary: () => { events.push('binary'); },
        drained: () => { events.push('drained'); },
        closed: () => { events.push('closed'); resolve(undefined); },
      };
    },
  };
}

function open(t: Test, url: string, options: ClientOptions = {}): WebSocket {
  const client = new WebSocket(url.replace('http', 'ws'), options);
  t.teardown(() => client.terminate());
  return client;
}

async function code(client: WebSocket): Promise<number> {
  const [closedWith] = await once(client, 'close') as [number];
  return closedWith;
}

const HANDSHAKE = {
  'Connection': 'keep-alive, Upgrade', 'Upgrade': 'WebSocket', 'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
  'Sec-WebSocket-Version': '13',
};

function handshake(headers: Record<string, string | undefined>): string {
  const lines = Object.entries({ Host: 'x', ...HANDSHAKE, ...headers }).filter(([, value]) => typeof value === 'string')
    .map(([name, value]) => `${name}: ${value}`);
  return `GET /api/x HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;
}

test('a socket opens at any path and says what it heard', async t => {
  const sockets = echo();
  const { url } = await serve(t, [get('/x', seen)], { sockets });
  for (const path of ['/', '/api/x', '/what/ever?a=1']) {
    const client = open(t, url + path);
    await once(client, 'open');
    client.send('hä');
    const [heard, isBinary] = await once(client, 'message') as [RawData, boolean];
    t.same([(heard as Buffer).toString(), isBinary], ['hä', false]);
    client.send(Buffer.from('x'));
    client.close();
    t.equal(await code(client), 1005);
  }
  await Promise.all(sockets.accepted.map(({ closed }) => closed));
  for (const { events, socket } of sockets.accepted) {
    t.same(events, ['hä', 'binary', 'closed']);
    t.match(socket.ip, /^(127\.0\.0\.1|::1)$/);
    socket.send('nobody hears this');
    socket.close(1000, '');
    t.equal(socket.unsent, 0);
  }
});

test('a browser of Node opens one too', async t => {
  const { url } = await serve(t, [], { sockets: echo() });
  const client = new globalThis.WebSocket(url.replace('http', 'ws'));
  await once(client, 'open');
  client.send('x');
  const [{ data }] = await once(client, 'message') as [MessageEvent];
  t.equal(data, 'x');
  client.close();
});

test('a request that is no handshake stays an ordinary request', async t => {
  const { port } = await serve(t, [get('/x', seen)], { sockets: echo() });
  const broken: Record<string, string | undefined>[] = [
    { 'Upgrade': undefined }, { Upgrade: 'h2c' }, { Connection: 'keep-alive' }, { 'Sec-WebSocket-Version': '8' },
    { 'Sec-WebSocket-Key': 'short' }, { 'Sec-WebSocket-Key': undefined },
    { 'Content-Length': '0', 'Transfer-Encoding': undefined, 'Upgrade': 'x' },
  ];
  for (const headers of broken) {
    const client = await rawClient(t, port);
    client.send(handshake(headers));
    t.match(await client.until(/}$/), /^HTTP\/1.1 200 /, JSON.stringify(headers));
  }
  const client = await rawClient(t, port);
  client.send(handshake({}));
  t.match(await client.until(/\r\n\r\n$/), /^HTTP\/1.1 101 /);
});

test('pages of other origins may not connect', async t => {
  const { url, port } = await serve(t, [], { sockets: echo(), env: productionEnv });
  const at = (origin: string) => ({ origin });
  for (const origin of [
    'https://evil.example.com', 'null', 'http://localhost', `http://localhost:${port}.evil.example.com`,
    'https://app.example.com.evil.example',
  ]) {
    t.match(await refusedUpgrade(t, url, at(origin)), [403, { code: 'FORBIDDEN', details: { origin } }], origin);
  }
  for (const origin of ['https://app.example.com', `http://localhost:${port}`, `https://LOCALHOST:${port}`]) {
    await t.resolves(once(open(t, url, at(origin)), 'open'), origin);
  }
  const development = await serve(t, [], { sockets: echo() });
  await t.resolves(once(open(t, development.url, at('http://localhost:5173')), 'open'));
});

test('a refused upgrade is answered in the envelope', async t => {
  const off = await serve(t, [], { sockets: echo(), env: { REALTIME_CDC: 'off' } });
  for (const path of ['/', '/api/data/x']) {
    t.match(await refusedUpgrade(t, off.url + path),
      [501, { code: 'FEATURE_DISABLED', details: { feature: 'realtime', setting: 'REALTIME_CDC' } }]);
  }
  const refusing = echo(call => { throw new ApiError(501, 'CONFLICT', call.header('x-test')); });
  const { url } = await serve(t, [], { sockets: refusing });
  t.match(await refusedUpgrade(t, url, { headers: { 'x-test': 'because' } }), [501, { code: 'CONFLICT', message: 'because' }]);
});

test('a message that is too long ends its socket', async t => {
  const sockets = echo();
  const { url } = await serve(t, [], { sockets, env: { SERVICE_MAX_BODY_SIZE: String(LIMIT) } });
  const client = open(t, url);
  await once(client, 'open');
  client.send('x'.repeat(LIMIT));
  await once(client, 'message');
  client.send('x'.repeat(LIMIT + 1));
  t.equal(await code(client), 1009);
  const other = open(t, url);
  await once(other, 'open');
  other.send('x'.repeat(LIMIT + 2 * MEBIBYTE));
  t.equal(await code(other), 1006, 'far too long, it is not even taken in');
  t.equal(sockets.accepted[1]?.events.join(), 'closed');
});

test('a client that takes nothing is terminated, and harms no other', async t => {
  const sockets = echo();
  const { url } = await serve(t, [], { sockets });
  const slow = open(t, url);
  await once(slow, 'open');
  const other = open(t, url);
  await once(other, 'open');
  slow.pause();
  slow.send('x');
  other.send('x');
  await once(other, 'message');
  const { socket, closed } = sockets.accepted[0] as Accepted;
  let most = 0;
  for (let sent = 0; sent < 80; sent++) {
    socket.send('y'.repeat(MEBIBYTE));
    most = Math.max(most, socket.unsent);
  }
  t.ok(most > 15 * MEBIBYTE && most < 18 * MEBIBYTE, `${most} bytes waited`);
  await closed;
  other.send('y');
  await t.resolves(once(other, 'message'));
});

test('a waiting sender is notified when the client has taken the frames', async t => {
  const sockets = echo();
  const { url } = await serve(t, [], { sockets });
  const client = open(t, url, { maxPayload: 20 * MEBIBYTE });
  await once(client, 'open');
  const { socket, events } = sockets.accepted[0] as Accepted;
  socket.send('z'.repeat(12 * MEBIBYTE));
  t.ok(socket.unsent > 0);
  const [message] = await once(client, 'message') as [Buffer];
  t.equal(message.length, 12 * MEBIBYTE);
  client.send('x');
  await once(client, 'message');
  t.ok(events.includes('drained'));
});

test('each client is notified at the end of the service', async t => {
  const sockets = echo();
  const { server, url, port } = await serve(t, [get('/x', () => new Promise(() => undefined)), get('/y', seen)], { sockets });
  const client = open(t, url);
  await once(client, 'open');
  const waiting = await rawClient(t, port);
  waiting.send('GET /api/x HTTP/1.1\r\nHost: x\r\n\r\n');
  const late = await rawClient(t, port);
  late.send('GET /api/y HTTP/1.1\r\nHost: x\r\n\r\n');
  await late.until(/}$/);
  const ended = server.close(3_000);
  t.equal(await code(client), 1001);
  late.send(handshake({}));
  t.match(await late.until(/ 503 [^]*}}$/), /SERVICE_UNAVAILABLE/, 'and nobody else may come');
  waiting.socket.destroy();
  await ended;
});
