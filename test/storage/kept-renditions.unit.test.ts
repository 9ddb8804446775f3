import { globSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { pino } from 'pino';
import t, { test, type Test } from 'tap';
import { openLocalStore } from '../../gateway/blobs/local/local-store.ts';
import type { Opened, Store } from '../../gateway/blobs/store.ts';
import { createProcesses, type MakeRendition } from '../../gateway/images/processes.ts';
import { createRenditions, type Renditions, type RenditionsOptions } from '../../gateway/images/renditions.ts';
import { until } from '../harness/until.ts';
import { colourAt, facts, negative, options, image, refusal, SVG } from './images.ts';

// Processes that make images keep nothing from ending; a service does.
const alive = setInterval(() => undefined, 60_000);
t.teardown(() => { clearInterval(alive); });

const make = createProcesses();

/** Renditions of images in a folder of the test's, and how often one was made. */
async function gallery(t: Test, { durable = false, log = pino({ level: 'silent' }) }: Partial<RenditionsOptions> = {}) {
  const folder = t.testdir();
  const store = await openLocalStore({ path: folder, cleans: false });
  const counted = { made: 0, log };
  const countedMake: MakeRendition = (...task) => {
    counted.made += 1;
    return make(...task);
  };
  const renditionsOf = (): Renditions => createRenditions({ durable, log, make: countedMake });
  const ask = async (renditions: Renditions, key: string, query: string, from: Store = store) => {
    const opened = await from.open({ bucket: 'default', key });
    const wanted = options(query);
    if (opened === undefined || wanted === undefined) throw new Error('Nothing is asked for.');
    return renditions({ source: '(default)', store: from, place: { bucket: 'default', key }, opened, options: wanted });
  };
  return {
    folder, store, counted, renditionsOf, ask,
    put: (key: string, contentType: string, bytes: Buffer) => put(store, key, contentType, bytes),
  };
}

async function put(store: Store, key: string, contentType: string, bytes: Buffer): Promise<void> {
  const intake = await store.intake({ bucket: 'default', key }, { contentType, custom: {} });
  await intake.write(bytes);
  await intake.finish();
}

/** A store whose objects count who has not closed them. */
function watched(store: Store): { store: Store; open: Set<Opened> } {
  const open = new Set<Opened>();
  return { open, store: { ...store, open: async place => {
    const opened = await store.open(place);
    if (opened === undefined) return undefined;
    const own: Opened = {
      ...opened, close: () => { open.delete(own); opened.close(); }, read: span => { open.delete(own); return opened.read(span); },
    };
    open.add(own);
    return own;
  } } };
}

test('a rendition is made once, for all who ask for it, until the image is another', async t => {
  const { store, counted, renditionsOf, ask, put } = await gallery(t);
  await put('a.png', 'image/png', await image('png'));
  const renditions = renditionsOf();
  const seen = watched(store);
  const same = await Promise.all(Array.from({ length: 5 }, () => ask(renditions, 'a.png', 'width=20', seen.store)));
  t.equal(counted.made, 1, 'at the same time');
  t.equal(new Set(same).size, 1);
  await ask(renditions, 'a.png', 'width=0020&format=webp', seen.store);
  t.equal(counted.made, 1, 'and later, however it is spelt');
  await ask(renditions, 'a.png', 'width=21', seen.store);
  t.equal(counted.made, 2);
  await put('a.png', 'image/png', await negative());
  t.equal(await colourAt(await ask(renditions, 'a.png', 'width=20', seen.store), 2, 2), 0b011, 'of the new image');
  await put('b.png', 'image/png', SVG);
  t.same(await refusal(ask(renditions, 'b.png', 'width=20', seen.store)), [415, 'UNSUPPORTED_MEDIA_TYPE']);
  t.equal(seen.open.size, 0, 'nothing stays open');
});

test('renditions that are not even tried', async t => {
  const { store, counted, renditionsOf, ask, put } = await gallery(t);
  const seen = watched(store);
  await put('empty.png', 'image/png', Buffer.alloc(0));
  await put('bitmap.bmp', 'image/bmp', Buffer.from('BM'));
  await put('large.png', 'image/png', Buffer.alloc(64 * 1024 * 1024 + 1));
  for (const key of ['empty.png', 'bitmap.bmp', 'large.png']) {
    t.same(await refusal(ask(renditionsOf(), key, 'width=20', seen.store)), [415, 'UNSUPPORTED_MEDIA_TYPE'], key);
  }
  t.equal(counted.made + seen.open.size, 0);
});

test('renditions that are kept in the bucket', async t => {
  const { folder, store, counted, renditionsOf, ask, put } = await gallery(t, { durable: true });
  await put('a.jpg', 'image/jpeg', await image('jpeg'));
  const inBucket = () => globSync('default/_service/renditions/*', { cwd: folder }).filter(name => !name.endsWith('.json'));
  const made = await Promise.all(['webp', 'avif', 'jpeg', 'png'].map(format => ask(renditionsOf(), 'a.jpg', `width=20&format=${format}`)));
  await until('they are kept', () => inBucket().length === 4);
  t.same(inBucket().map(name => name.replace(/[0-9a-f]{64}/, '#')).sort(),
    ['avif', 'jpg', 'png', 'webp'].map(type => `default/_service/renditions/#.${type}`));
  t.same(await ask(renditionsOf(), 'a.jpg', 'width=20&format=jpeg'), made[2]);
  t.equal(counted.made, 4, 'another process finds them');
  const types = await Promise.all(inBucket().map(async name =>
    (await store.info({ bucket: 'default', key: name.slice('default/'.length) }))?.contentType));
  t.same(types.sort(), ['image/avif', 'image/jpeg', 'image/png', 'image/webp']);
});

test('a store that keeps nothing costs no answer, and one line in the log', async t => {
  const lines: string[] = [];
  const { store, renditionsOf, ask, put } = await gallery(t,
    { durable: true, log: pino({}, { write: (line: string) => { lines.push(line); } }) });
  await put('a.jpg', 'image/jpeg', await image('jpeg'));
  const isRendition = (key: string): boolean => key.startsWith('_service/');
  const away = (): Promise<never> => Promise.reject(new Error('The store is away.'));
  const failing: Store = { ...store, intake: away, open: place => isRendition(place.key) ? away() : store.open(place) };
  const renditions = renditionsOf();
  for (const width of [10, 20, 30]) {
    t.equal(await facts(ask(renditions, 'a.jpg', `width=${width}`, failing)), `webp ${width}x${Math.round(width * 2 / 3)}`);
  }
  await until('it is logged', () => lines.length > 0);
  await setImmediate();
  t.equal(lines.length, 1);
});
