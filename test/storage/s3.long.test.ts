import { ListMultipartUploadsCommand, ListObjectsV2Command, type S3Client } from '@aws-sdk/client-s3';
import { pino } from 'pino';
import sharp from 'sharp';
import { test, type Test } from 'tap';
import type { Upload } from '../../gateway/blobs/resumable.ts';
import { openBucket, type Bucket } from '../../gateway/blobs/s3/bucket.ts';
import { connectS3 } from '../../gateway/blobs/s3/connection.ts';
import { toHeaders } from '../../gateway/blobs/s3/kind.ts';
import { beginMultipart } from '../../gateway/blobs/s3/multipart.ts';
import type { RemoteStore } from '../../gateway/blobs/s3/store.ts';
import { discardFolder } from '../../gateway/blobs/s3/unfinished.ts';
import { renditionOptions } from '../../gateway/images/options.ts';
import { createProcesses } from '../../gateway/images/processes.ts';
import { createRenditions } from '../../gateway/images/renditions.ts';
import { runs, seed } from '../harness/effort.ts';
import { remoteStoreOf, s3Client, startSwift, type ObjectServer } from '../harness/swift.ts';
import { until } from '../harness/until.ts';
import { image } from './images.ts';
import { refusal, serveFiles } from './files.ts';
import { begin, offsetOf, piece } from './tus-client.ts';
import { bytesOf, examples, put, randomly, read } from './store-suite.ts';

const PART = 5 * 1024 * 1024;
const KIND = { contentType: 'video/mp4', custom: { title: 'Größe' } };

const swift = await startSwift().catch((error: unknown) => error as Error);

test('S3', { skip: swift instanceof Error && `no store that speaks S3 can be had here: ${swift.message}` }, t => {
  if (swift instanceof Error) return t.end();
  const store = remoteStoreOf(swift);
  const bare = s3Client(swift.env);
  t.teardown(async () => {
    store.close();
    bare.destroy();
    await swift.stop();
  });
  examples(t, () => store);
  void t.test('unfinished uploads leave nothing', t => nothingIsLeft(t, store, bare));
  void t.test('an upload in parts whose gateway dies as it begins is found', t => diesBeginning(t, swift, store, bare));
  void t.test('uploads go on at another gateway, to the byte', t => goOn(t, swift));
  void t.test('a piece that ends late changes nothing', t => late(t, store));
  void t.test('an upload that is complete may be completed again', t => twice(t, store));
  void t.test('images are read from it, and their renditions kept in it', t => images(t, store));
  void t.test('over HTTP, by a service of several sources', t => overHttp(t, swift));
  void t.test(`random operations do what a map does, RANDOM_SEED=${seed}`, t => randomly(t, store, runs(1000), seed));
  t.end();
});

async function leftovers(bare: S3Client): Promise<string[]> {
  const { Contents } = await bare.send(new ListObjectsV2Command({ Bucket: 'media', Prefix: '_service/' }));
  const { Uploads } = await bare.send(new ListMultipartUploadsCommand({ Bucket: 'media' }));
  return [...Contents ?? [], ...Uploads ?? []].map(({ Key = '' }) => Key);
}

async function nothingIsLeft(t: Test, store: RemoteStore, bare: S3Client): Promise<void> {
  t.same(await leftovers(bare), [], 'after all the examples');
  const place = { bucket: 'media', key: 'crashed' };
  const intake = await store.intake(place, KIND);
  await intake.write(bytesOf(PART + 1));
  const upload = store.uploads.begin('11-aa', place, KIND, 2 * PART);
  const piece = await store.uploads.append(upload);
  await piece.write(bytesOf(PART + 7));
  await piece.end();
  // As after a crash: no finish, drop or discard.
  await until('five are left', async () => (await leftovers(bare)).length === 5);
  await store.sweep();
  t.equal((await leftovers(bare)).length, 5, 'what began just now stays');
  await store.sweep(new Date(Date.now() + 60_000));
  t.same(await leftovers(bare), []);
  await t.rejects(intake.finish(), { code: 'STORAGE_WRITE_FAILED', status: 502 });
  t.equal(await store.info(place), undefined);
}

/** An upload whose id was not known to any process. */
async function diesBeginning(t: Test, swift: ObjectServer, store: RemoteStore, bare: S3Client): Promise<void> {
  const connection = connectS3({ region: 'us-east-1', endpoint: swift.env.S3_ENDPOINT, forcePathStyle: true,
    accessKeyId: swift.env.S3_ACCESS_KEY_ID,
    secretAccessKey: swift.env.S3_SECRET_ACCESS_KEY });
  t.teardown(connection.close);
  const bucket = openBucket(connection, 'media');
  const dying = {
    ...bucket, create: (...asked: Parameters<Bucket['create']>) => bucket.create(...asked).then(() => Promise.reject(new Error('killed'))),
  };
  const begun = { key: 'begun/ü+ &', headers: toHeaders(KIND), signal: new AbortController().signal };
  await t.rejects(beginMultipart(dying, { ...begun, id: '22-bb' }).uploadId());
  const other = await bucket.create('begun/ü+ & of others', toHeaders(KIND));
  t.equal((await leftovers(bare)).length, 3);
  await discardFolder(bucket, '22-bb');
  await store.sweep();
  t.equal((await leftovers(bare)).length, 3, 'whether it is anybody\'s only the age tells');
  await store.sweep(new Date(Date.now() + 60_000));
  t.equal((await leftovers(bare)).length, 1, 'but for what is of others');
  await bucket.abort('begun/ü+ & of others', other);
}

/** Pieces of all sizes, each by a gateway that knows the JSON of the one before. */
async function goOn(t: Test, server: ObjectServer): Promise<void> {
  for (const sizes of [
    [3], [1000, 1, 700_000], [PART - 1, 1, 1], [PART, 5], [300_000, 2 * PART, PART + 12_345, 17], [2 * PART + 1, PART - 1],
  ]) {
    const bytes = bytesOf(sizes.reduce((sum, size) => sum + size), sizes.length);
    let upload = remoteStoreOf(server).uploads.begin(`go-on-${bytes.length}`, { bucket: 'media', key: 'went on' }, KIND, bytes.length);
    let offset = 0;
    for (const size of sizes) {
      const store = remoteStoreOf(server);
      const told: Upload[] = [];
      const piece = await store.uploads.append(JSON.parse(JSON.stringify(upload)) as Upload, now => void told.push(structuredClone(now)));
      for (let at = offset; at < offset + size; at += 400_000) {
        await piece.write(bytes.subarray(at, Math.min(at + 400_000, offset + size)));
      }
      offset += size;
      upload = await piece.end();
      t.equal(upload.offset, offset);
      t.same(told.at(-1), upload);
      t.same(told.map(now => now.offset), told.map(now => now.offset).sort((a, b) => a - b));
      store.close();
    }
    const store = remoteStoreOf(server);
    t.match(await store.uploads.complete(upload), { size: bytes.length, ...KIND });
    t.match(await store.info(upload.place), { size: bytes.length, ...KIND });
    t.ok(bytes.equals(await read(store, 'went on') ?? Buffer.alloc(0)), sizes.join(' + '));
    store.close();
  }
}

/** The upload went on from an older state, and elsewhere. */
async function late(t: Test, store: RemoteStore): Promise<void> {
  const [bytes, others] = [bytesOf(PART + 100, 1), bytesOf(PART + 100, 2)];
  const begun = store.uploads.begin('late', { bucket: 'media', key: 'late' }, KIND, PART + 100);
  const refused = { saved: () => { throw new Error('somebody else has it'); } };
  const stale = await store.uploads.append(begun, refused.saved);
  await stale.write(others.subarray(0, 500));
  const piece = await store.uploads.append(begun);
  await piece.write(bytes.subarray(0, 300));
  const upload = await piece.end();
  await t.rejects(stale.end());
  const more = await store.uploads.append(upload);
  await more.write(bytes.subarray(300));
  await store.uploads.complete(await more.end());
  t.ok(bytes.equals(await read(store, 'late') ?? Buffer.alloc(0)));
}

async function twice(t: Test, store: RemoteStore): Promise<void> {
  for (const size of [1000, PART + 1]) {
    const place = { bucket: 'media', key: `twice-${size}` };
    const piece = await store.uploads.append(store.uploads.begin(`twice-${size}`, place, KIND, size));
    await piece.write(bytesOf(size));
    const upload = await piece.end();
    const { version } = await store.uploads.complete(upload);
    t.match(await store.uploads.complete(upload), { version, size, ...KIND });
    const [began, later] = [new Date(Date.now() - 10_000), new Date(Date.now() + 10_000)];
    t.equal(await store.uploads.isReplaced(upload, began), false, 'by itself');
    await put(store, place.key, Buffer.from('of somebody else'));
    t.same([await store.uploads.isReplaced(upload, began), await store.uploads.isReplaced(upload, later)], [true, false]);
    if (size > PART) continue;
    await t.rejects(store.uploads.complete(upload), { code: 'STORAGE_WRITE_FAILED' });
    t.equal((await read(store, place.key))?.toString(), 'of somebody else');
  }
}

async function images(t: Test, store: RemoteStore): Promise<void> {
  const place = { bucket: 'media', key: 'public/a.png' };
  const large = await image('png', 400, 300).then(file => Buffer.concat([file, Buffer.alloc(200_000)])); // more than comes in one piece
  await put(store, place.key, large, { contentType: 'image/png', custom: {} });
  const make = createProcesses();
  let made = 0;
  const ask = async () => {
    const renditions = createRenditions({ durable: true, log: pino({ level: 'silent' }), make: (...task) => (made += 1, make(...task)) });
    const [opened, options] = [await store.open(place), renditionOptions(new URLSearchParams('width=40'))];
    if (opened === undefined || options === undefined) throw new Error('There is no image.');
    return renditions({ source: '(default)', store, place, opened, options });
  };
  const first = await ask();
  const { format, width, height } = await sharp(first).metadata();
  t.same({ format, width, height }, { format: 'webp', width: 40, height: 30 });
  const kept = async () => (await store.list('media', '_service/renditions/', 10)).keys;
  await until('one is kept', async () => (await kept()).length === 1);
  t.same([await ask(), made], [first, 1], 'another process finds it there');
  t.match(await store.info({ bucket: 'media', key: (await kept())[0] ?? '' }), { contentType: 'image/webp', size: first.length });
}

async function overHttp(t: Test, { env }: ObjectServer): Promise<void> {
  const named = Object.fromEntries(Object.entries(env).map(([name, value]) => [`${name}__MEDIA`, value]));
  const service = await serveFiles(t, { env: { ...env, ...named } });
  const bytes = bytesOf(PART + 10_000);
  const uploaded = await service.upload('http/a.bin', bytes, { type: 'image/png', fields: { metadata_alt: 'Größe' } });
  t.same([uploaded.status, await uploaded.json()],
    [201, { data: { key: 'http/a.bin', bucket: 'media', storageUrl: 's3://media/http/a.bin' } }]);
  const whole = await service.read('http/a.bin');
  t.ok(bytes.equals(Buffer.from(await whole.arrayBuffer())));
  t.match(Object.fromEntries(whole.headers), { 'content-type': 'image/png', 'accept-ranges': 'bytes' });
  const span = await service.read('http/a.bin?storageId=media', { headers: { range: `bytes=${PART}-` } });
  t.same([span.status, span.headers.get('content-range')], [206, `bytes ${PART}-${bytes.length - 1}/${bytes.length}`]);
  t.ok(bytes.subarray(PART).equals(Buffer.from(await span.arrayBuffer())));
  t.same(await refusal(await service.upload('x', 'x', { fields: { bucket: 'other' } })),
    [404, 'UNKNOWN_STORAGE_SOURCE', { bucket: 'other', knownBuckets: ['default', 'media'], storageSources: ['(default)', 'media'] }]);

  const id = await begin(service, bytes.length, { key: 'http/tus.bin' });
  t.equal((await piece(service, id, 0, bytes.subarray(0, 1000))).status, 204);
  t.equal(await offsetOf(service, id), 1000);
  t.equal((await piece(service, id, 1000, bytes.subarray(1000))).status, 204);
  t.ok(bytes.equals(Buffer.from(await (await service.read('http/tus.bin')).arrayBuffer())));
}
