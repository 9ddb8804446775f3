import { existsSync } from 'node:fs';
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import sharp from 'sharp';
import t, { test } from 'tap';
import { ApiError } from '../../gateway/error.ts';
import type { Source } from '../../gateway/blobs/store.ts';
import { isImage, loaderOf } from '../../gateway/images/kinds.ts';
import { FITS, FORMATS, renditionOptions, type RenditionOptions } from '../../gateway/images/options.ts';
import { createProcesses, type MakeRendition } from '../../gateway/images/processes.ts';
import { random } from '../harness/effort.ts';
import { until } from '../harness/until.ts';
import { colourAt, facts, negative, options, image, imageProcesses, png, refusal, SVG, twoColours } from './images.ts';

// Processes that make images keep nothing from ending; a service does.
const alive = setInterval(() => undefined, 60_000);
t.teardown(() => { clearInterval(alive); });

/** A rendition of a file that claims to be of this type. */
function rendition(
  make: MakeRendition, type: string, file: Buffer, query = 'quality=80', read: () => Promise<Buffer | Source> = () => Promise.resolve(file),
): Promise<Buffer> {
  const loader = loaderOf(`image/${type}`);
  const wanted = options(query);
  if (loader === undefined || wanted === undefined) throw new Error('Nothing is asked for.');
  return make({ loader, size: file.length, options: wanted }, read);
}

test('options of a rendition', t => {
  const usual = { width: undefined, height: undefined, quality: 80, format: 'webp', fit: 'cover' };
  for (const [query, expected] of [
    ['', undefined],
    ['token=x&storageId=media', undefined],
    ['width=&height=&quality=&format=&fit=', undefined],
    ['width=1', { ...usual, width: 1 }],
    ['width=4096&height=4096', { ...usual, width: 4096, height: 4096 }],
    ['height=0020&quality=', { ...usual, height: 20 }],
    ['quality=1', { ...usual, quality: 1 }],
    ['quality=100', { ...usual, quality: 100 }],
    ['width=1&width=2', { ...usual, width: 2 }],
    ...FORMATS.map(format => [`format=${format}`, { ...usual, format }] as const),
    ...FITS.map(fit => [`fit=${fit}`, { ...usual, fit }] as const),
  ] as const) t.same(options(query), expected, query);

  for (const query of [
    ...['width', 'height'].flatMap(side => [
      '0', '4097', '-1', '1.5', '1e3', '0x10', ' 1', '1 ', '%2B1', '١', 'auto', '9'.repeat(400), '%00', '%',
    ].map(value => `${side}=${value}`)),
    ...['0', '101', '-1', '80.0', 'high'].map(value => `quality=${value}`),
    ...['jpg', 'gif', 'svg', 'WEBP', 'webp%20', '__proto__', 'constructor'].map(value => `format=${value}`),
    ...['crop', 'Cover', 'toString', '%ff'].map(value => `fit=${value}`),
    'width=100&height=0', 'width=1&width=x',
  ]) t.throws(() => options(query), { status: 400, code: 'INVALID_TRANSFORM_OPTIONS' }, query);
  t.end();
});

test('no query is answered with anything but options in their range, or a refusal', t => {
  const name = fc.constantFrom('width', 'height', 'quality', 'format', 'fit', 'token');
  const value = fc.oneof(fc.string({ unit: 'binary' }), fc.integer().map(String), fc.constantFrom('', '10', ...FORMATS, ...FITS));
  const query = fc.array(fc.tuple(name, value), { maxLength: 6 });
  fc.assert(fc.property(query, parts => {
    const found = read(new URLSearchParams(parts));
    if (found === undefined) return;
    const { width = 1, height = 1, quality, format, fit } = found;
    const areInRange = [width, height].every(side => Number.isInteger(side) && side >= 1 && side <= 4096) && quality >= 1 && quality <= 100;
    if (!areInRange || !FORMATS.includes(format) || !FITS.includes(fit)) throw new Error(JSON.stringify(found));
  }), random(1000));
  t.end();

  function read(query: URLSearchParams): RenditionOptions | undefined {
    try {
      return renditionOptions(query);
    } catch (error) {
      if (error instanceof ApiError && error.code === 'INVALID_TRANSFORM_OPTIONS') return undefined;
      throw error;
    }
  }
});

test('types of images', t => {
  for (const type of ['image/png', 'IMAGE/JPEG', 'image/webp; q=1', 'image/bmp']) t.equal(isImage(type), true, type);
  for (const type of ['image/svg+xml', 'image/svg', 'image/gif', 'image/GIF;a=b', 'text/plain', 'application/image', '']) {
    t.equal(isImage(type), false, type);
  }
  t.end();
});

/** Most tests share these. */
const make = createProcesses();

test('renditions', async t => {
  for (const type of ['jpeg', 'png', 'webp', 'avif', 'tiff'] as const) {
    const file = await image(type);
    for (const format of FORMATS) {
      const made = await rendition(make, type, file, `width=30&format=${format}`);
      t.equal(await facts(Promise.resolve(made)), `${format === 'avif' ? 'heif' : format} 30x20`, `${type} to ${format}`);
      t.same([await colourAt(made, 5, 10), await colourAt(made, 25, 10)], [0b100, 0b001], `the image of ${type} is that of ${format}`);
    }
  }
  const file = await image('png', 60, 40);
  for (const [query, expected] of Object.entries({
    'quality=50': 'webp 60x40',
    'height=10': 'webp 15x10',
    'width=20&height=20': 'webp 20x20',
    'width=20&height=20&fit=contain': 'webp 20x20',
    'width=20&height=20&fit=fill': 'webp 20x20',
    'width=20&height=20&fit=inside': 'webp 20x13',
    'width=20&height=20&fit=outside': 'webp 30x20',
    'width=4096': 'webp 60x40',
    'width=4096&height=4096': 'webp 60x40',
    'width=4096&height=4096&fit=fill': 'webp 60x40',
    'width=4096&height=4096&fit=inside': 'webp 60x40',
    'width=4096&height=4096&fit=outside': 'webp 60x40',
    'width=120&height=20': 'webp 60x20',
  })) t.equal(await facts(rendition(make, 'png', file, query)), expected, query);
});

test('upright, without metadata, and nothing is black that was not there', async t => {
  const turned = await twoColours(60, 40).jpeg().withExif({ IFD0: { Copyright: 'Ada' }, IFD3: { GPSLatitude: '48/1 0/1 0/1' } })
    .withMetadata({ orientation: 6 }).toBuffer();
  t.ok((await sharp(turned).metadata()).exif?.includes('Ada'));
  const upright = await rendition(make, 'jpeg', turned, 'width=20&format=jpeg');
  const { width, height, exif, orientation, icc } = await sharp(upright).metadata();
  t.same({ width, height, exif, orientation, icc }, { width: 20, height: 30, exif: undefined, orientation: undefined, icc: undefined });
  t.same([await colourAt(upright, 10, 5), await colourAt(upright, 10, 25)], [0b100, 0b001], 'red is above now');

  const clear = await sharp({ create: { width: 20, height: 20, channels: 4, background: '#0000' } }).png().toBuffer();
  t.equal(await colourAt(await rendition(make, 'png', clear, 'format=jpeg'), 5, 5), 0b111);
  const letterbox = await rendition(make, 'jpeg', await image('jpeg'), 'width=20&height=30&fit=contain');
  t.same([...await sharp(letterbox).extract({ left: 0, top: 0, width: 1, height: 1 }).raw().toBuffer()].at(3), 0);
  t.equal(await colourAt(await rendition(make, 'jpeg', await image('jpeg'), 'width=20&height=30&fit=contain&format=jpeg'), 0, 0), 0b111);
});

test('animations stay animated as WebP, and become still elsewhere', async t => {
  const frames = await Promise.all([image('png'), negative()]);
  const file = await sharp(frames, { join: { animated: true } }).webp().toBuffer();
  t.equal((await sharp(await rendition(make, 'webp', file, 'width=30')).metadata()).pages, 2);
  t.equal(await facts(rendition(make, 'webp', file, 'width=30&format=png')), 'png 30x20');
});

test('files that cannot be read as their claimed type are refused', async t => {
  const whole = { jpeg: await image('jpeg', 300,
    200), png: await image('png', 300, 200), webp: await image('webp', 300, 200), avif: await image('avif', 300, 200) };
  const gif = await image('gif');
  const cases: [string, string, Buffer][] = [
    ['an SVG', 'png', SVG], ['an SVG', 'webp', SVG], ['an SVG', 'tiff', SVG],
    ['an SVG with a declaration', 'jpeg', Buffer.concat([Buffer.from('<?xml version="1.0"?>\n'), SVG])],
    ['a GIF', 'png', gif], ['a JPEG', 'png', whole.jpeg], ['a PNG', 'jpeg', whole.png], ['a PNG', 'avif', whole.png],
    ['a PDF', 'png', Buffer.from('%PDF-1.4\n1 0 obj <</Type /Catalog>> endobj\ntrailer <</Root 1 0 R>>\n%%EOF')],
    ['HTML', 'png', Buffer.from('<!doctype html><script>alert(1)</script>')], ['one byte', 'jpeg', Buffer.from([0xff])],
    ['a portable pixmap', 'tiff', Buffer.from('P6 1 1 255 abc')],
    ...Object.entries(whole).flatMap(([type, file]) => [8, 40, file.length / 2].map((size): [string, string, Buffer] =>
      [`${Math.floor(size)} bytes`, type, file.subarray(0, size)])),
  ];
  for (const [name, type, file] of cases) {
    t.same(await refusal(rendition(make, type, file, 'width=20')), [415, 'UNSUPPORTED_MEDIA_TYPE'], `${name} as ${type}`);
  }
});

test('images that are larger than they look', async t => {
  for (const [width, height] of [[30_000, 30_000], [2 ** 31 - 1, 2 ** 31 - 1], [1, 2 ** 31 - 1], [8192, 6401]] as const) {
    t.same(await refusal(rendition(make, 'png', png(width, height, Buffer.alloc(1000)), 'width=20')), [415, 'UNSUPPORTED_MEDIA_TYPE'],
      `${width} by ${height}`);
  }
  const large = png(4096, 4097, Buffer.alloc(4097 * (1 + 3 * 4096)));
  t.same(await refusal(rendition(make, 'png', large, 'format=avif')), [400, 'INVALID_TRANSFORM_OPTIONS'],
    'more than can be asked for takes too long');
  t.same(await refusal(rendition(make, 'png', large, 'format=avif&width=4096&height=1&fit=outside')), [400, 'INVALID_TRANSFORM_OPTIONS']);
  t.equal(await facts(rendition(make, 'png', large, 'format=avif&width=40')), 'heif 40x40');
  t.equal(await facts(rendition(make, 'png', large, 'format=jpeg')), 'jpeg 4096x4097');
  const long = png(1, 17_000, Buffer.alloc(17_000 * 4));
  t.same(await refusal(rendition(make, 'png', long)), [400, 'INVALID_TRANSFORM_OPTIONS'], 'WebP has no room');
  t.same(await refusal(rendition(make, 'png', long, 'format=avif')), [400, 'INVALID_TRANSFORM_OPTIONS'], 'nor has AVIF');
  t.equal(await facts(rendition(make, 'png', long, 'format=png')), 'png 1x17000');
  t.equal(await facts(rendition(make, 'png', long, 'height=4096')), 'webp 1x4096');
});

test('damaged images', async t => {
  const files =
    await Promise.all((['jpeg', 'png', 'webp', 'avif', 'tiff'] as const).map(async type => ({ type, file: await image(type, 30, 20) })));
  const damage = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 20 });
  await fc.assert(fc.asyncProperty(fc.constantFrom(...files), damage, async ({ type, file }, changes) => {
    const damaged = Buffer.from(file);
    for (const [at, value] of changes) damaged[at % file.length] = value;
    const answer = rendition(make, type, damaged, 'width=20&format=jpeg');
    const refused = await answer.then(() => undefined, () => refusal(answer));
    // A header may come to claim a form for which no format has room.
    const isRefusal = refused === undefined || refused[0] === 415 || refused[1] === 'INVALID_TRANSFORM_OPTIONS';
    if (!isRefusal) throw new Error(String(refused));
  }), random(400));
  t.end();
});

test('a request is refused when too many wait', async t => {
  const make = createProcesses({ atOnce: 1, waiting: 1 });
  const file = await image('jpeg');
  const first = Promise.withResolvers<Buffer>();
  const answers = [rendition(make, 'jpeg', file, 'width=3', () => first.promise), rendition(make, 'jpeg', file, 'width=4')];
  t.same(await refusal(rendition(make, 'jpeg', file, 'width=5')), [503, 'TRANSFORM_OVERLOADED']);
  first.resolve(file);
  t.same(await Promise.all(answers.map(facts)), ['webp 3x2', 'webp 4x3']);
  t.equal(await facts(rendition(make, 'jpeg', file, 'width=5')), 'webp 5x4');
});

test('one that does not come to an end is given up', async t => {
  const make = createProcesses({ atOnce: 1, deadline: 50 });
  const file = await image('jpeg');
  const stalled = new Readable({ read: () => undefined });
  t.same(await refusal(rendition(make, 'jpeg', file, 'width=3', () => Promise.resolve(stalled))), [503, 'TRANSFORM_OVERLOADED']);
  t.ok(stalled.destroyed, 'nor is anything asked of the store any more');
});

test('a process that ends is replaced', async t => {
  const file = await image('jpeg');
  for (const [signal, expected] of [['SIGKILL', [503, 'TRANSFORM_OVERLOADED']], ['SIGSEGV', [415, 'UNSUPPORTED_MEDIA_TYPE']]] as const) {
    const make = createProcesses({ atOnce: 1 });
    const before = imageProcesses();
    const stalled = new Readable({ read: () => undefined });
    const answer = refusal(rendition(make, 'jpeg', file, 'width=3', () => Promise.resolve(stalled)));
    await setImmediate();
    for (const id of imageProcesses().filter(id => !before.includes(id))) process.kill(id, signal);
    t.same(await answer, expected, signal);
    t.ok(stalled.destroyed);
    t.equal(await facts(rendition(make, 'jpeg', file, 'width=3')), 'webp 3x2');
    const [idle] = imageProcesses().filter(id => !before.includes(id));
    if (idle === undefined) throw new Error('There is no process.');
    process.kill(idle, 'SIGKILL');
    await until('it has ended', () => !existsSync(`/proc/${idle}`));
    t.equal(await facts(rendition(make, 'jpeg', file, 'width=4')), 'webp 4x3', 'also when it ended in between');
  }
});

test('a store that breaks off is named, not the image', async t => {
  const make = createProcesses({ atOnce: 1 });
  const file = await image('jpeg');
  const broken = new Error('The store is away.');
  await t.rejects(rendition(make, 'jpeg', file, 'width=3', () => Promise.reject(broken)), broken);
  await t.rejects(rendition(make, 'jpeg', file, 'width=3', () => Promise.resolve(Readable.from((function* () {
    yield file.subarray(0, 10);
    throw broken;
  })()))), broken);
  await t.rejects(rendition(make, 'jpeg', file, 'width=3', () => Promise.resolve(Readable.from([file.subarray(1)]))),
    { message: /bytes instead of/ });
  await t.rejects(rendition(make, 'jpeg', file, 'width=3', () => Promise.resolve(Readable.from([file, file]))),
    { message: /bytes instead of/ });
  t.equal(await facts(rendition(make, 'jpeg', file, 'width=3')), 'webp 3x2');
});
