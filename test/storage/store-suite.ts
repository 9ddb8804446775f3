import type { Test } from 'tap';
import type { Kind, ObjectInfo, Store } from '../../gateway/blobs/store.ts';
import { generator } from '../harness/effort.ts';

const KIND: Kind = { contentType: 'text/plain', custom: {} };
/** Keys that one disk can tell apart, so not both `a` and `a/b`. */
const KEYS = ['a.txt', 'b c+d%25.bin', 'dir/ä€😀', 'dir/two', 'dir/deep/er/x', 'dir.x', 'public/&<>\'"', 'z'].map(key => `random/${key}`);
const PREFIXES = ['', 'dir/', 'dir/deep/', 'dir/deep/er/', 'public/', 'none/'].map(prefix => `random/${prefix}`);
const PART = 5 * 1024 * 1024;

/** Bytes that differ from place to place, and from seed to seed. */
export function bytesOf(size: number, seed = 1): Buffer {
  const block = Buffer.alloc(Math.min(size, 65_521));
  const next = generator(seed);
  for (let n = 0; n < block.length; n++) block[n] = next(256);
  return Buffer.alloc(size, size === 0 ? '' : block);
}

export async function put(store: Store, key: string, bytes: Buffer, kind = KIND, step = 300_000): Promise<ObjectInfo> {
  const intake = await store.intake({ bucket: store.bucket, key }, kind, bytes.length);
  for (let at = 0; at < bytes.length; at += step) await intake.write(bytes.subarray(at, at + step));
  return intake.finish();
}

export async function read(store: Store, key: string, span?: { start: number; end: number }): Promise<Buffer | undefined> {
  const opened = await store.open({ bucket: store.bucket, key });
  if (opened === undefined) return undefined;
  const source = await opened.read(span);
  if (Buffer.isBuffer(source)) return source;
  const pieces: Buffer[] = [];
  for await (const piece of source) {
    pieces.push(Buffer.from(piece as Buffer)); // a copy: its memory is used again
    (source as { recycle?: (piece: Buffer) => void }).recycle?.(piece as Buffer);
  }
  return Buffer.concat(pieces);
}

/** All pages. */
export async function listAll(store: Store, prefix: string, limit: number): Promise<{ keys: string[]; prefixes: string[] }> {
  const all = { keys: [] as string[], prefixes: [] as string[] };
  let after: string | undefined;
  do {
    const page = await store.list(store.bucket, prefix, limit, after);
    all.keys.push(...page.keys);
    all.prefixes.push(...page.prefixes);
    after = page.next;
  } while (after !== undefined);
  return all;
}

/** The behaviour of every store. */
export function examples(t: Test, open: () => Store): void {
  void t.test('an object is what its last writer wrote, with its kind', async t => {
    const store = open();
    const custom = {
      alt: 'a dog', Title: 'Grüße, 🐶', 'with space': '  x  ', empty: '', 'rowgate-x': 'y', line: 'a\r\nb: c', utf: '=?UTF-8?Q?x?=',
    };
    const stored = await put(store, 'k/one', Buffer.from('first'), { contentType: 'image/png', custom });
    t.match(stored, { size: 5, contentType: 'image/png', custom });
    t.match(await store.info({ bucket: store.bucket, key: 'k/one' }),
      { size: 5, contentType: 'image/png', custom, version: stored.version });
    const again = await put(store, 'k/one', Buffer.from('second'));
    t.not(again.version, stored.version);
    const info = await store.info({ bucket: store.bucket, key: 'k/one' });
    t.match(info, { size: 6, contentType: 'text/plain', version: again.version });
    t.same(info?.custom, {});
    t.ok(Math.abs((info?.modified.getTime() ?? 0) - Date.now()) < 60_000);
    t.equal((await read(store, 'k/one'))?.toString(), 'second');
  });

  void t.test('spans are inclusive; an empty object is empty', async t => {
    const store = open();
    await put(store, 'span', Buffer.from('0123456789'));
    t.equal((await read(store, 'span', { start: 0, end: 0 }))?.toString(), '0');
    t.equal((await read(store, 'span', { start: 3, end: 9 }))?.toString(), '3456789');
    await put(store, 'none', Buffer.alloc(0));
    t.equal((await read(store, 'none'))?.length, 0);
    t.match(await store.info({ bucket: store.bucket, key: 'none' }), { size: 0 });
  });

  void t.test('an object larger than a part, to the byte', async t => {
    const store = open();
    for (const size of [PART - 1, PART, PART + 1, 2 * PART, 3 * PART + 4711]) {
      const bytes = bytesOf(size, size);
      t.match(await put(store, 'large', bytes, { contentType: 'video/mp4', custom: { n: String(size) } }), { size });
      t.match(await store.info({ bucket: store.bucket, key: 'large' }), { size, contentType: 'video/mp4', custom: { n: String(size) } });
      t.ok(bytes.equals(await read(store, 'large') ?? Buffer.alloc(0)), `${size} bytes`);
      const span = { start: size - 400_000, end: size - 2 };
      t.ok(bytes.subarray(span.start, span.end + 1).equals(await read(store, 'large', span) ?? Buffer.alloc(0)));
    }
  });

  void t.test('a dropped object leaves nothing', async t => {
    const store = open();
    for (const size of [0, 10, 2 * PART + 1]) {
      const intake = await store.intake({ bucket: store.bucket, key: `dropped/${size}` }, KIND);
      await intake.write(bytesOf(size));
      await intake.drop();
      t.equal(await store.info({ bucket: store.bucket, key: `dropped/${size}` }), undefined);
    }
    t.same(await listAll(store, 'dropped/', 10), { keys: [], prefixes: [] });
  });

  void t.test('a missing object', async t => {
    const store = open();
    const place = { bucket: store.bucket, key: 'nobody/has/put/this' };
    t.equal(await store.info(place), undefined);
    t.equal(await store.open(place), undefined);
    await store.remove(place);
    t.same(await store.list(store.bucket, 'nobody/', 10), { keys: [], prefixes: [] });
  });

  void t.test('a folder stays though it is empty, and is no object', async t => {
    const store = open();
    await store.folder({ bucket: store.bucket, key: 'folders/empty' });
    await store.folder({ bucket: store.bucket, key: 'folders/empty' });
    t.same(await store.list(store.bucket, 'folders/', 10), { keys: [], prefixes: ['folders/empty/'] });
    t.same(await store.list(store.bucket, 'folders/empty/', 10), { keys: [], prefixes: [] });
    t.equal(await store.info({ bucket: store.bucket, key: 'folders/empty/' }), undefined);
    t.equal(await store.open({ bucket: store.bucket, key: 'folders/empty/' }), undefined);
  });

  void t.test('lists are of one level, by names, in pages; a foreign page token is refused', async t => {
    const store = open();
    for (const name of ['b', 'a', 'sub/x', 'sub/y', 'c', 'sub.x']) await put(store, `pages/${name}`, Buffer.from(name));
    for (const limit of [1, 2, 5, 100]) {
      t.same(await listAll(store, 'pages/', limit), { keys: ['pages/a', 'pages/b', 'pages/c', 'pages/sub.x'], prefixes: ['pages/sub/'] });
    }
    await t.rejects(store.list(store.bucket, 'pages/', 10, 'no token of ours!'), RangeError);
  });

  void t.test('a reader who leaves, and others who do not', async t => {
    const store = open();
    const bytes = bytesOf(2 * PART);
    await put(store, 'left', bytes);
    const [one, other] = await Promise.all([0, 1].map(async () => (await store.open({ bucket: store.bucket, key: 'left' }))?.read()));
    if (one === undefined || Buffer.isBuffer(one)) return t.fail('it is a stream');
    await new Promise(resolve => one.once('readable', resolve));
    one.destroy();
    const pieces: Buffer[] = [];
    for await (const piece of other as AsyncIterable<Buffer>) pieces.push(Buffer.from(piece));
    t.ok(bytes.equals(Buffer.concat(pieces)));
  });
}

type Model = Map<string, { bytes: Buffer; kind: Kind }>;

/** So many random operations, each of which does what a map would do; on a disk folders stay when their files have gone. */
export async function randomly(t: Test, store: Store, steps: number, seed: number): Promise<void> {
  const next = generator(seed);
  const pick = <T>(from: readonly T[]): T => from[next(from.length)] as T;
  const model: Model = new Map();
  const stored = new Set<string>();
  for (const key of KEYS) await store.remove({ bucket: store.bucket, key });
  const does = {
    async put() {
      const [key, size] = [pick(KEYS), pick([0, 1, next(5000), next(500_000), ...(next(20) === 0 ? [PART + next(PART)] : [])])];
      const kind = {
        contentType: pick(['text/plain', 'image/svg+xml', 'a/b; c="d"']), custom: pick([{}, { x: 'y' }, { X: 'ä', 'p q': ' ' }]),
      };
      const bytes = bytesOf(size, next(1e9));
      await put(store, key, bytes, kind, 1 + next(2_000_000));
      model.set(key, { bytes, kind });
      stored.add(key);
    },
    async drop() {
      const intake = await store.intake({ bucket: store.bucket, key: pick(KEYS) }, KIND);
      await intake.write(bytesOf(next(100_000)));
      await intake.drop();
    },
    async remove() {
      const key = pick(KEYS);
      await store.remove({ bucket: store.bucket, key });
      model.delete(key);
    },
    async info() {
      const key = pick(KEYS);
      const info = await store.info({ bucket: store.bucket, key });
      const { bytes, kind } = model.get(key) ?? {};
      t.same(info && { size: info.size, contentType: info.contentType, custom: info.custom },
        kind && bytes && { size: bytes.length, ...kind }, key);
    },
    async read() {
      const key = pick(KEYS);
      const bytes = model.get(key)?.bytes;
      t.ok(bytes === undefined ? await read(store, key) === undefined : bytes.equals(await read(store, key) ?? Buffer.alloc(0)), key);
    },
    async span() {
      const key = pick(KEYS);
      const { bytes } = model.get(key) ?? {};
      if (!bytes?.length) return;
      const start = next(bytes.length);
      const end = start + next(bytes.length - start);
      t.ok(bytes.subarray(start, end + 1).equals(await read(store, key, { start, end }) ?? Buffer.alloc(0)), `${key} ${start}-${end}`);
    },
    async list() {
      const prefix = pick(PREFIXES);
      const below = (keys: Iterable<string>) => [...keys].filter(key => key.startsWith(prefix)).map(key => key.slice(prefix.length));
      const folders = below(store.engine === 'local' ? stored : model.keys()).filter(key => key.includes('/'));
      t.same(sorted(await listAll(store, prefix, 1 + next(4))), sorted({
        keys: below(model.keys()).filter(key => !key.includes('/')).map(key => prefix + key),
        prefixes: [...new Set(folders.map(key => `${prefix}${key.slice(0, key.indexOf('/'))}/`))],
      }), prefix);
    },
  };
  const names = Object.keys(does) as (keyof typeof does)[];
  for (let step = 0; step < steps; step++) await does[pick([...names, 'put', 'put', 'put'] as typeof names)]();
}

/** Stores sort by UTF-8 or by UTF-16, which differ beyond the basic plane. */
function sorted({ keys, prefixes }: { keys: string[]; prefixes: string[] }): { keys: string[]; prefixes: string[] } {
  return { keys: keys.sort(), prefixes: prefixes.sort() };
}
