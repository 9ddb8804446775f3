import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { test } from 'tap';
import { ApiError } from '../../gateway/error.ts';
import { ClientLeft } from '../../gateway/http/client-left.ts';
import type { Incoming } from '../../gateway/http/incoming.ts';
import { giveSlab } from '../../gateway/process/slabs.ts';
import type { Call, Route } from '../../gateway/http/route.ts';
import { until } from '../harness/until.ts';
import { errorOf, get, rawClient, serve } from './serve.ts';

const MEBIBYTE = 1024 * 1024;

/** Reads all of a body; `pause` runs after each piece. */
async function read(incoming: Incoming, pause: () => Promise<void> = () => Promise.resolve()) {
  const hash = createHash('sha256');
  let [bytes, pieces] = [0, 0];
  for await (const piece of incoming) {
    hash.update(piece);
    bytes += piece.length;
    pieces += 1;
    giveSlab(piece);
    await pause();
  }
  return { bytes, pieces, hash: hash.digest('hex') };
}

const hashed: Route = { method: 'POST', path: '/hashed', receives: true, handle: async ({ incoming }) => {
  const { bytes, hash } = await read(incoming);
  return { body: JSON.stringify({ length: incoming.length, bytes, hash }) };
} };

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

test('a body of any size and framing is read as it arrives', async t => {
  const { url } = await serve(t, [hashed], { env: { SERVICE_MAX_BODY_SIZE: '1000', SERVICE_BODY_MEMORY: '67108864' } });
  for (const size of [0, 1, 1000, 3 * MEBIBYTE + 1, 30 * MEBIBYTE]) {
    const bytes = randomBytes(size);
    const announced = await fetch(`${url}/api/hashed`, { method: 'POST', body: bytes });
    t.same(await announced.json(), { length: size, bytes: size, hash: sha256(bytes) });
    const chunked = await fetch(`${url}/api/hashed`, { method: 'POST', body: new Blob([bytes]).stream(), duplex: 'half' });
    t.match(await chunked.json(), { bytes: size, hash: sha256(bytes) });
  }
  t.match(await (await fetch(`${url}/api/hashed`, { method: 'POST' })).json(), { bytes: 0 });
});

test('a sink that is full stops its client, and nothing is lost', async t => {
  const slow: Route = { method: 'POST', path: '/slow', receives: true, handle: async ({ incoming }) => {
    await setTimeout(20); // bytes that arrive before they are asked for
    const { pieces, hash } = await read(incoming, () => setTimeout(1));
    return { body: JSON.stringify({ pieces: pieces > 3, hash }) };
  } };
  const { url } = await serve(t, [slow]);
  const bytes = randomBytes(20 * MEBIBYTE);
  t.same(await (await fetch(`${url}/api/slow`, { method: 'POST', body: bytes })).json(), { pieces: true, hash: sha256(bytes) });
});

test('a refusal is read by a client that still sends, and its connection goes on', async t => {
  const refuse = new ApiError(403, 'FORBIDDEN', 'No.');
  const routes: Route[] = [
    { method: 'POST', path: '/at-once', receives: true, handle: () => { throw refuse; } },
    { method: 'POST', path: '/later', receives: true, handle: async () => { await setTimeout(5); throw refuse; } },
    { method: 'POST', path: '/midway', receives: true, handle: async ({ incoming }) => { for await (const piece of incoming) {
      throw piece.length > 0 ? refuse : new Error('no bytes');
    } return {}; } },
    { method: 'POST', path: '/full', receives: true, handle: async ({ incoming }) => {
      await read(incoming, async () => {
        await setTimeout(5);
        throw refuse;
      });
      return {};
    } },
    hashed,
  ];
  const { url, port } = await serve(t, routes);
  for (const path of ['at-once', 'later', 'midway', 'full']) {
    for (const size of [10, 20 * MEBIBYTE]) {
      const announced = await fetch(`${url}/api/${path}`, { method: 'POST', body: Buffer.alloc(size) });
      t.equal((await errorOf(announced)).code, 'FORBIDDEN', `${path} ${size}`);
      const chunked = await fetch(`${url}/api/${path}`, { method: 'POST', body: new Blob([Buffer.alloc(size)]).stream(), duplex: 'half' });
      t.equal((await errorOf(chunked)).code, 'FORBIDDEN', `${path} ${size} in chunks`);
    }
    const client = await rawClient(t, port);
    client.send(`POST /api/${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\nabc`);
    t.match(await client.until(/FORBIDDEN/), /^HTTP\/1.1 403/, 'before the body is here');
    client.send(`${'x'.repeat(999_997)}POST /api/hashed HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nx`);
    t.match(await client.until(/"bytes":1/), /200 OK/);
  }
});

test('a client that leaves or falls silent ends the body, after the bytes that arrived', async t => {
  const told: unknown[] = [];
  const route: Route = { method: 'POST', path: '/left', receives: true, handle: async ({ incoming }) => {
    let bytes = 0;
    try {
      for await (const piece of incoming) bytes += piece.length;
    } catch (error) {
      told.push(error instanceof ClientLeft, bytes);
    }
    return {};
  } };
  const { port } = await serve(t, [route], { env: { SERVICE_TRANSFER_TIMEOUT: '300' } });
  const leaves = await rawClient(t, port);
  leaves.send('POST /api/left HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n12345');
  await setTimeout(20);
  leaves.socket.destroy();
  await until('told once', () => Promise.resolve(told.length === 2));
  const silent = await rawClient(t, port);
  silent.send('POST /api/left HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n123');
  t.equal(await silent.rest(), '', 'at the next beat');
  await until('told twice', () => Promise.resolve(told.length === 4));
  t.same(told, [true, 5, true, 3]);
});

/** A source of so many bytes in pieces, that ends early if it should. */
function source(bytes: Buffer, { piece = 300_000, fails }: { piece?: number; fails?: number } = {}): Readable {
  let at = 0;
  return new Readable({ read() {
    if (fails !== undefined && at >= fails) return void this.destroy(new Error('The store broke.'));
    this.push(at >= bytes.length ? null : bytes.subarray(at, at += piece));
  } });
}

test('a stream goes out with its length, as it is, and HEAD needs no source', async t => {
  const bytes = Buffer.alloc(10 * MEBIBYTE + 3, 'text that would shrink ');
  const { url } = await serve(t, [
    get('/stream', ({ method }: Call) => ({
      isFile: true, type: 'text/plain',
      body: method === 'HEAD' ? { length: bytes.length } : { length: bytes.length, source: source(bytes) },
    })),
    get('/at-once', () => ({ body: { length: bytes.length, source: Readable.from([bytes], { objectMode: false }) } })),
    get('/empty', () => ({ isFile: true, type: 'text/plain', body: { length: 0, source: source(Buffer.alloc(0)) } })),
  ]);
  const answer = await fetch(`${url}/api/stream`, { headers: { 'Accept-Encoding': 'gzip, br' } });
  t.same([...['content-length', 'content-encoding', 'x-frame-options', 'x-content-type-options']].map(name => answer.headers.get(name)),
    [String(bytes.length), null, null, 'nosniff']);
  t.ok(bytes.equals(Buffer.from(await answer.arrayBuffer())));
  t.ok(bytes.equals(Buffer.from(await (await fetch(`${url}/api/at-once`)).arrayBuffer())),
    'a source that has ended before its last piece is sent');
  const head = await fetch(`${url}/api/stream`, { method: 'HEAD' });
  t.same([head.status, head.headers.get('content-length'), await head.text()], [200, String(bytes.length), '']);
  const empty = await fetch(`${url}/api/empty`);
  t.same([empty.status, empty.headers.get('content-length'), await empty.text()], [200, '0', '']);
});

test('large bodies go on beside requests that leave them little of the loop, and come to their end', async t => {
  const bytes = randomBytes(8 * MEBIBYTE);
  const { url } = await serve(t, [hashed, get('/quick',
    () => ({ body: '1' })), get('/stream', () => ({ isFile: true, body: { length: bytes.length, source: source(bytes) } }))]);
  let goesOn = true;
  const quick = Promise.all(Array.from({ length: 4 }, async () => { while (goesOn) await fetch(`${url}/api/quick`); }));
  const up = async () => ((await (await fetch(`${url}/api/hashed`, { method: 'POST', body: bytes })).json()) as { hash: string }).hash;
  const down = async () => sha256(Buffer.from(await (await fetch(`${url}/api/stream`)).arrayBuffer()));
  t.same(await Promise.all([up(), down(), up(), down()]), Array(4).fill(sha256(bytes)));
  goesOn = false;
  await quick;
});

test('a source that breaks ends the connection, and the log says so', async t => {
  const bytes = Buffer.alloc(5 * MEBIBYTE);
  const { url, log } = await serve(t, [
    get('/breaks', () => ({ body: { length: bytes.length, source: source(bytes, { fails: 600_000 }) } })),
    get('/short', () => ({ body: { length: bytes.length + 1, source: source(bytes) } })),
  ]);
  for (const path of ['breaks', 'short']) await t.rejects(fetch(`${url}/api/${path}`).then(answer => answer.arrayBuffer()), path);
  await until('logged', () => Promise.resolve(log.length === 2));
  t.match(log, [{ msg: 'the answer broke off', err: { message: 'The store broke.' } }, { msg: 'the answer broke off' }]);
});

test('a client that takes everything is kept, however slow the source is', async t => {
  const bytes = randomBytes(MEBIBYTE);
  const slow = () => Readable.from((async function* () {
    for (let at = 0; at < bytes.length; at += MEBIBYTE / 8) {
      yield bytes.subarray(at, at + MEBIBYTE / 8);
      await setTimeout(300);
    }
  })(), { objectMode: false });
  const { url } = await serve(t, [get('/slow', () => ({ body: { length: bytes.length, source: slow() } }))],
    { env: { SERVICE_TRANSFER_TIMEOUT: '1000' } });
  t.ok(bytes.equals(Buffer.from(await (await fetch(`${url}/api/slow`)).arrayBuffer())));
});

test('a reader that leaves ends the source, and one that takes nothing is not waited for', async t => {
  const sources: Readable[] = [];
  const bytes = Buffer.alloc(40 * MEBIBYTE);
  const { port } = await serve(t, [get('/stream', () => {
    sources.push(source(bytes));
    return { body: { length: bytes.length, source: sources.at(-1) as Readable } };
  })], { env: { SERVICE_TRANSFER_TIMEOUT: '1000' } });
  const leaves = await rawClient(t, port);
  leaves.send('GET /api/stream HTTP/1.1\r\nHost: x\r\n\r\n');
  await leaves.untilLength(MEBIBYTE);
  leaves.socket.destroy();
  await until('the source of who left', () => Promise.resolve(sources[0]?.destroyed === true));
  const idle = await rawClient(t, port);
  idle.socket.pause();
  idle.send('GET /api/stream HTTP/1.1\r\nHost: x\r\n\r\n');
  await until('the source of who reads nothing', () => Promise.resolve(sources[1]?.destroyed === true));
  idle.socket.resume();
  await once(idle.socket, 'close');
  t.ok((await idle.rest()).length < bytes.length);
});
