import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { test } from 'tap';
import { until } from '../harness/until.ts';
import { get, rawClient, serve } from './serve.ts';

const MEBIBYTE = 1024 * 1024;

/** So many bytes in pieces of odd sizes; fails in the end if it should. */
function source(bytes: Buffer, { fails = false } = {}): Readable {
  let at = 0;
  return new Readable({ read(size) {
    if (at < bytes.length) this.push(bytes.subarray(at, at += Math.min(size * 3 + 7, 300_007)));
    else if (fails) this.destroy(new Error('The source broke.'));
    else this.push(null);
  } });
}

test('a body of unknown length comes whole, in chunks, never compressed, beside several cookies', async t => {
  const bytes = Buffer.alloc(20 * MEBIBYTE, 'text that would shrink ');
  const { url } = await serve(t, [
    get('/stream', () => ({ type: 'text/plain', headers: { 'Set-Cookie': ['a=1; Path=/', 'b=2'], 'X-Frame-Options': 'SAMEORIGIN' },
      asIs: true, body: { source: source(bytes) } })),
    get('/empty', () => ({ body: { source: Readable.from([]) } })),
    get('/none', () => ({ status: 204, body: { source: source(bytes) } })),
  ]);
  const answer = await fetch(`${url}/api/stream`, { headers: { 'Accept-Encoding': 'gzip, br' } });
  t.same(['content-length', 'transfer-encoding', 'content-encoding', 'x-frame-options'].map(name => answer.headers.get(name)),
    [null, 'chunked', null, 'SAMEORIGIN']);
  t.same(answer.headers.getSetCookie(), ['a=1; Path=/', 'b=2']);
  t.ok(bytes.equals(Buffer.from(await answer.arrayBuffer())));
  t.equal(await (await fetch(`${url}/api/empty`)).text(), '');
  const head = await fetch(`${url}/api/stream`, { method: 'HEAD' });
  t.same([head.status, head.headers.get('content-length'), await head.text()], [200, null, '']);
  const none = await fetch(`${url}/api/none`);
  t.same([none.status, await none.text()], [204, '']);
});

test('pieces arrive as they come, and the connection serves on', async t => {
  const feed = new PassThrough();
  const { port } = await serve(t, [get('/feed', () => ({ body: { source: feed } })), get('/quick', () => ({ body: '1' }))],
    { env: { SERVICE_TRANSFER_TIMEOUT: '200' } });
  const client = await rawClient(t, port);
  client.send('GET /api/feed HTTP/1.1\r\nHost: x\r\n\r\n');
  feed.write('first');
  await client.until(/first/);
  await setTimeout(600); // a silent source is waited for
  feed.write('second');
  await client.until(/second/);
  feed.end();
  await client.until(/\r\n0\r\n\r\n$/);
  client.send('GET /api/quick HTTP/1.1\r\nHost: x\r\n\r\n');
  t.match(await client.until(/\r\n\r\n1$/), /Content-Length: 1/);
});

test('a source that breaks ends the connection before the last chunk', async t => {
  const bytes = Buffer.alloc(MEBIBYTE);
  const { port, log } = await serve(t, [
    get('/breaks', () => ({ body: { source: source(bytes, { fails: true }) } })),
    get('/closes', () => {
      const feed = new PassThrough();
      feed.write('some');
      feed.once('resume', () => setImmediate(() => feed.destroy()));
      return { body: { source: feed } };
    }),
    get('/at-once', () => ({ body: { source: source(Buffer.alloc(0), { fails: true }) } })),
  ]);
  for (const path of ['breaks', 'closes', 'at-once']) {
    const client = await rawClient(t, port);
    client.send(`GET /api/${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
    t.notMatch(await client.rest(), /\r\n0\r\n\r\n/, path);
  }
  await until('logged', () => Promise.resolve(log.length === 3));
  t.same(log.map(({ msg }) => msg), Array(3).fill('the answer broke off'));
});

test('a reader that leaves ends the source, one that takes nothing is not waited for, and the source rests meanwhile', async t => {
  let made = 0;
  const sources: Readable[] = [];
  const { port } = await serve(t, [get('/endless', () => {
    const endless = new Readable({ read(size) { made += size; this.push(Buffer.alloc(size)); } });
    sources.push(endless);
    return { body: { source: endless } };
  })], { env: { SERVICE_TRANSFER_TIMEOUT: '1000' } });
  const leaves = await rawClient(t, port);
  leaves.send('GET /api/endless HTTP/1.1\r\nHost: x\r\n\r\n');
  await leaves.untilLength(MEBIBYTE);
  leaves.socket.destroy();
  await until('the source of who left', () => Promise.resolve(sources[0]?.destroyed === true));
  made = 0;
  const idle = await rawClient(t, port);
  idle.socket.pause();
  idle.send('GET /api/endless HTTP/1.1\r\nHost: x\r\n\r\n');
  await until('the source of who reads nothing', () => Promise.resolve(sources[1]?.destroyed === true));
  t.ok(made < 20 * MEBIBYTE, `${made} bytes were made for a client that takes none`);
  idle.socket.resume();
  await once(idle.socket, 'close');
});

test('a slow reader gets everything, past the clock of the socket', async t => {
  const bytes = randomBytes(12 * MEBIBYTE);
  const { url } = await serve(t, [get('/stream', () => ({ body: { source: source(bytes) } }))]);
  const reader = (await fetch(`${url}/api/stream`)).body?.getReader();
  const pieces: Uint8Array[] = [];
  await setTimeout(13_000); // uWebSockets.js gives up after ten to twelve seconds by itself
  for (let read = await reader?.read(); read?.value !== undefined; read = await reader?.read()) pieces.push(read.value);
  t.ok(bytes.equals(Buffer.concat(pieces)));
});
