import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { test } from 'tap';
import type { Route } from '../../gateway/http/route.ts';
import { giveSlab } from '../../gateway/process/slabs.ts';
import { get, rawClient, serve } from './serve.ts';

// uWebSockets.js ends connections by clocks of its own, after ten to twelve seconds: who makes progress outlives them.

/** Milliseconds. */
const LONG = 14_000;
const MEBIBYTE = 1024 * 1024;

/** A process of its own sends faster than we take, so that what it sends comes though it was asked to wait. */
const run = promisify(execFile);
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const bytes = randomBytes(20 * MEBIBYTE);
const LARGE = 300 * MEBIBYTE;

/** Takes nothing for a long time in the middle. */
const stuck: Route = { method: 'POST', path: '/stuck', receives: true, handle: async ({ incoming }) => {
  let count = 0;
  let hasWaited = false;
  for await (const bytes of incoming) {
    count += bytes.length;
    giveSlab(bytes);
    if (hasWaited || count < LARGE / 3) continue;
    hasWaited = true;
    await setTimeout(LONG);
  }
  return { body: String(count) };
} };

const counted: Route = { method: 'POST', path: '/counted', receives: true, handle: async ({ incoming }) => {
  let count = 0;
  for await (const bytes of incoming) count += bytes.length;
  return { body: String(count) };
} };

const sent = get('/sent', () => ({ isFile: true, type: 'text/plain', body: { length: bytes.length, source: Readable.from(pieces()) } }));

function* pieces() {
  for (let at = 0; at < bytes.length; at += 300_000) yield bytes.subarray(at, at + 300_000);
}

test('slow clients that make progress are served, and clients that wait for us too', async t => {
  const file = join(t.testdir(), 'sent');
  writeFileSync(file, '');
  truncateSync(file, LARGE);
  const { url, port } = await serve(t, [stuck, counted, sent]);
  await Promise.all([
    ...Array.from({ length: 4 }, async () => {
      const { stdout } = await run('curl', ['-sS', '-X', 'POST', '-T', file, `${url}/api/stuck`]);
      t.equal(stdout, String(LARGE), 'a disk that stands still');
    }),
    (async () => {
      const client = await rawClient(t, port);
      client.send(`POST /api/counted HTTP/1.1\r\nHost: x\r\nContent-Length: ${LONG / 500}\r\n\r\n`);
      for (let n = 0; n < LONG / 500; n++) {
        client.send('x');
        await setTimeout(500);
      }
      t.match(await client.until(/\r\n\r\n\d+$/), /\r\n\r\n28$/, 'two bytes a second, up');
    })(),
    (async () => {
      const reader = (await fetch(`${url}/api/sent`)).body?.getReader();
      const hash = createHash('sha256');
      const began = Date.now();
      for (let read = await reader?.read(); read?.value !== undefined; read = await reader?.read()) {
        hash.update(read.value);
        if (Date.now() - began < LONG) await setTimeout(1000);
      }
      t.equal(hash.digest('hex'), sha256(bytes), 'a piece a second, down');
    })(),
  ]);
});
