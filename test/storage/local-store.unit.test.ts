import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { test } from 'tap';
import { ApiError } from '../../gateway/error.ts';
import { openLocalStore } from '../../gateway/blobs/local/local-store.ts';
import { lockPath } from '../../gateway/blobs/local/key-lock.ts';
import { SLAB } from '../../gateway/process/slabs.ts';
import type { Store } from '../../gateway/blobs/store.ts';
import { until } from '../harness/until.ts';

const place = (key: string) => ({ bucket: 'default', key });

export async function put(store: Store, key: string, bytes: Uint8Array, contentType = 'text/plain'): Promise<void> {
  const intake = await store.intake(place(key), { contentType, custom: {} });
  await intake.write(bytes);
  await intake.finish();
}

async function get(store: Store, key: string): Promise<{ bytes: Buffer; type: string } | undefined> {
  const opened = await store.open(place(key));
  if (opened === undefined) return undefined;
  const read = await opened.read();
  return { bytes: read instanceof Uint8Array ? read : await buffer(read), type: opened.info.contentType };
}

test('readers see a file whole and with its own type, during any replacement or removal', async t => {
  const path = t.testdir();
  const stores = await Promise.all([1, 2].map(() => openLocalStore({ path, cleans: true })));
  const sizes = [0, 1, 5000, SLAB + 1];
  let isOver = false;
  const seen = { whole: 0, none: 0 };
  const writer = async (store: Store, seed: number) => {
    for (let i = 0; i < 20; i++) {
      const letter = (i * 7 + seed) % 26;
      if (i % 10 === 9) await store.remove(place('a/b'));
      else await put(store, 'a/b', Buffer.alloc(sizes[(i + seed) % 4] as number, 97 + letter),
        `text/${letter}-${sizes[(i + seed) % 4] as number}`);
    }
  };
  const reader = async (store: Store) => {
    while (!isOver) {
      const found = await get(store, 'a/b');
      if (found === undefined) { seen.none += 1; continue; }
      const [, letter, size] = /^text\/(\d+)-(\d+)$/.exec(found.type) ?? [];
      if (found.bytes.length !== Number(size) || !found.bytes.every(byte => byte === 97 + Number(letter))) {
        return void t.fail(`${found.type} of ${found.bytes.length} bytes`);
      }
      const info = await store.info(place('a/b'));
      if (info !== undefined && info.contentType !== `text/${/\d+/.exec(info.contentType)?.[0] ?? ''}-${info.size}`) {
        return void t.fail(`${info.contentType} of ${info.size} bytes`);
      }
      seen.whole += 1;
    }
  };
  const writing = Promise.all(stores.flatMap((store, i) => [writer(store, i), writer(store, i + 2)])).finally(() => { isOver = true; });
  await Promise.all([writing, ...stores.flatMap(store => [reader(store), reader(store)])]);
  t.ok(seen.whole > 10, JSON.stringify(seen));
  t.same(readdirSync(join(path, '.uploads')), []);
});

test('a tree that was copied by hand is read as far as it goes', async t => {
  const path = t.testdir({ default: {
    plain: 'hello', other: 'hello', odd: 'x',
    'other.metadata.json': '{"contentType":"image/png","alt":"x","size":3,"uploadedAt":"2020-01-01T00:00:00.000Z"}',
    'odd.metadata.json': '[1', 'lonely.metadata.json': '{}',
  } });
  const store = await openLocalStore({ path, cleans: true });
  t.match(await store.info(place('plain')), { contentType: 'application/octet-stream', custom: {}, sidecar: {}, size: 5 });
  t.match(await store.info(place('other')), { contentType: 'image/png', custom: { alt: 'x' }, size: 5 });
  t.match(await store.info(place('odd')), { contentType: 'application/octet-stream', size: 1 });
  t.equal(await store.info(place('lonely')), undefined);
  t.same((await store.list('default', '', 10)).keys, ['odd', 'other', 'plain']);
  t.notOk(existsSync(join(path, '.uploads')), 'reading makes nothing');
});

/** The remains of a process that ends between two steps. `by` is a process of this machine that does not exist. */
function leave(path: string, by: string, steps: { sidecar?: boolean; file?: boolean }): void {
  const aside = join(path, '.uploads', `${by}-file`);
  mkdirSync(join(path, '.uploads'), { recursive: true });
  const now = new Date(Math.floor(Date.now() / 1000) * 1000 + 5);
  if (steps.file !== false) {
    writeFileSync(aside, 'new bytes');
    utimesSync(aside, now, now);
  }
  const sidecar = JSON.stringify({ contentType: 'text/new', size: 9, uploadedAt: now.toISOString() });
  writeFileSync(steps.sidecar ? join(path, 'default/a.metadata.json') : join(path, '.uploads', `${by}-x.metadata.json`), sidecar);
  symlinkSync(JSON.stringify({ ...place('a'), file: `.uploads/${by}-file`, by: `${by}-lock` }), lockPath(path, place('a')));
}

test('leftovers of a crash are finished or undone, by the next start or the next access', async t => {
  const dead = await deadProcess();
  const [, host] = /^(\w+)-/.exec((await import('../../gateway/process/process-name.ts')).PROCESS) ?? [];
  const ways: Record<string, (store: Store, path: string) => Promise<unknown>> = {
    'a start': (_store, path) => openLocalStore({ path, cleans: true }),
    'a reader': store => get(store, 'a'),
  };
  for (const [who, comes] of Object.entries(ways)) {
    for (const sidecar of [true, false]) {
      const path = t.testdir();
      const store = await openLocalStore({ path, cleans: true });
      await put(store, 'a', Buffer.from('old'), 'text/old');
      leave(path, `${host as string}-${dead}-deadbeef`, { sidecar });
      await comes(store, path);
      const found = await get(store, 'a');
      t.same([found?.type, String(found?.bytes)], sidecar ? ['text/new', 'new bytes'] : ['text/old', 'old'],
        `${who}, ${sidecar ? 'after' : 'before'} the first of two steps`);
      await openLocalStore({ path, cleans: true });
      t.same(readdirSync(join(path, '.uploads')), [], who);
    }
  }
  const path = t.testdir({ default: { 'a.metadata.json': '{}' } });
  leave(path, `${host as string}-${dead}-deadbeef`, { file: false });
  await openLocalStore({ path, cleans: true });
  t.same(readdirSync(join(path, 'default')), [], 'a removal that had begun');
});

test('a start leaves alone what others are about', async t => {
  const path = t.testdir();
  const store = await openLocalStore({ path, cleans: true });
  const intake = await store.intake(place('a'), { contentType: 'text/plain', custom: {} });
  await intake.write(Buffer.from('under way'));
  writeFileSync(join(path, '.uploads', '000000000000-1-00000000-x'), 'of another machine');
  await openLocalStore({ path, cleans: true });
  t.equal(readdirSync(join(path, '.uploads')).length, 2);
  await intake.finish();
  t.equal(String((await get(store, 'a'))?.bytes), 'under way');
  const old = new Date(Date.now() - 25 * 60 * 60 * 1000);
  utimesSync(join(path, '.uploads', '000000000000-1-00000000-x'), old, old);
  await openLocalStore({ path, cleans: true });
  t.same(readdirSync(join(path, '.uploads')), []);
});

test('a large object is written in order, and a dropped one leaves no file', async t => {
  const path = t.testdir();
  const store = await openLocalStore({ path, cleans: true });
  const bytes = Buffer.from(Uint32Array.from({ length: 5_000_000 }, (_, i) => i).buffer);
  const intake = await store.intake(place('large'), { contentType: 'text/plain', custom: {} });
  for (let at = 0; at < bytes.length; at += 300_001) await intake.write(bytes.subarray(at, at + 300_001));
  t.equal((await intake.finish()).size, bytes.length);
  t.ok(readFileSync(join(path, 'default/large')).equals(bytes));
  const dropped = await store.intake(place('dropped'), { contentType: 'text/plain', custom: {} });
  const writing = dropped.write(bytes);
  await dropped.drop();
  await writing;
  t.equal(await store.info(place('dropped')), undefined);
  t.same(readdirSync(join(path, '.uploads')), []);
});

test('a disk that does not take it says so, and nothing is left', async t => {
  const store = await openLocalStore({ path: t.testdir({ taken: 'a file' }) + '/taken', cleans: false });
  const refusal = await store.intake(place('a'), { contentType: 'text/plain', custom: {} }).catch((error: unknown) => error);
  t.ok(refusal instanceof ApiError && refusal.status === 502 && refusal.code === 'STORAGE_WRITE_FAILED');
});

test('open files are closed', { skip: process.platform !== 'linux' && 'there is no /proc' }, async t => {
  const store = await openLocalStore({ path: t.testdir(), cleans: true });
  await put(store, 'large', Buffer.alloc(3 * SLAB));
  await put(store, 'small', Buffer.alloc(3));
  const open = () => readdirSync('/proc/self/fd').length;
  const before = open();
  for (const key of ['large', 'small']) {
    (await store.open(place(key)))?.close();
    const read = await (await store.open(place(key)))?.read({ start: 1, end: 2 });
    t.ok(read instanceof Uint8Array && read.length === 2);
  }
  const stream = await (await store.open(place('large')))?.read();
  if (stream === undefined || stream instanceof Uint8Array) return void t.fail('a stream');
  await once(stream, 'readable');
  stream.destroy();
  await once(stream, 'close');
  await until('all are closed', () => open() <= before); // some of other tests in this process, too
});

async function deadProcess(): Promise<number> {
  const child = fork('-e', [], { execPath: process.execPath, execArgv: ['-e', ''], stdio: 'ignore' });
  await once(child, 'exit');
  return child.pid as number;
}
