import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import sharp from 'sharp';
import { test } from 'tap';
import { until } from '../harness/until.ts';
import { lendFiles, refusal, serveFiles } from './files.ts';
import { image, imageProcesses } from './images.ts';

const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>';

test('an image as its address asks for it', async t => {
  const { upload, read, request, base } = await lendFiles(t);
  const [jpeg, gif] = [await image('jpeg'), await image('gif')];
  await upload('public/a.jpg', jpeg, { type: 'image/jpeg' });
  await upload('own/a.jpg', jpeg, { type: 'image/jpeg' });
  await upload('public/a.gif', gif, { type: 'image/gif' });
  await upload('public/a.svg', SVG, { type: 'image/svg+xml' });
  await upload('public/a.txt', 'words');
  await upload('public/no.png', SVG, { type: 'image/png' });

  const made = await read('public/a.jpg?width=30&format=png', { as: null });
  t.equal(made.status, 200);
  const bytes = Buffer.from(await made.arrayBuffer());
  const { format, width, height } = await sharp(bytes).metadata();
  t.same({ format, width, height }, { format: 'png', width: 30, height: 20 });
  const headers = (response: Response) =>
    Object.fromEntries(['content-type', 'content-length', 'cache-control', 'etag', 'last-modified', 'vary', 'accept-ranges',
    'x-content-type-options', 'cross-origin-resource-policy', 'content-disposition',
    'content-encoding'].map(name => [name, response.headers.get(name)]));
  const expected = {
    'content-type': 'image/png', 'content-length': String(bytes.length),
    'cache-control': 'public, max-age=3600, stale-while-revalidate=86400, must-revalidate', 'vary': 'Authorization', 'accept-ranges': null,
    'x-content-type-options': 'nosniff', 'cross-origin-resource-policy': 'cross-origin', 'content-disposition': null,
    'content-encoding': null,
  };
  t.match(headers(made), expected);
  const original = await read('public/a.jpg', { as: null });
  t.equal(made.headers.get('last-modified'), original.headers.get('last-modified'));
  const tag = `W/"${bytes.length.toString(16)}-${/-(.*)"/.exec(original.headers.get('etag') ?? '')?.[1] ?? ''}"`;
  t.equal(made.headers.get('etag'), tag, 'its own size, the time of the image');

  const asked = (more: Record<string, string>, method = 'GET') =>
    read('public/a.jpg?width=30&format=png', { as: null, headers: more, method });
  const head = await asked({}, 'HEAD');
  t.same([head.status, headers(head)], [200, headers(made)]);
  const unchanged = await asked({ 'if-none-match': tag });
  t.same([unchanged.status, await unchanged.text(), unchanged.headers.get('etag'), unchanged.headers.get('cache-control')],
    [304, '', tag, expected['cache-control']]);
  t.equal((await asked({ 'if-modified-since': made.headers.get('last-modified') ?? '' })).status, 304);
  t.equal((await asked({ 'if-none-match': original.headers.get('etag') ?? '' })).status, 200,
    'the tag of the image is not its rendition\'s');
  const whole = await asked({ range: 'bytes=0-3' });
  t.same([whole.status, Buffer.from(await whole.arrayBuffer())], [200, bytes], 'a range of it is none');

  t.same((await read('public/a.jpg?quality=30', { as: null })).headers.get('content-type'), 'image/webp', 'any parameter will do');
  for (const [key, content, type] of [
    ['a.gif', gif, 'image/gif'], ['a.svg', SVG, 'image/svg+xml'], ['a.txt', 'words', 'text/plain'],
  ] as const) {
    const as = await read(`public/${key}?width=30`, { as: null });
    t.same([as.status, as.headers.get('content-type'), Buffer.from(await as.arrayBuffer())], [200, type, Buffer.from(content)],
      `${key} comes as it is`);
    t.equal((await read(`public/${key}?width=30`, { as: null, headers: { range: 'bytes=0-1' } })).status, 206);
    t.same((await refusal(await read(`public/${key}?width=0`, { as: null }))).slice(0, 2), [400, 'INVALID_TRANSFORM_OPTIONS']);
  }
  t.equal((await read('public/a.jpg?width=&height=', { as: null })).headers.get('content-type'), 'image/jpeg',
    'what is empty is not asked for');
  t.same(await refusal(await read('public/a.jpg?fit=crop', { as: null })),
    [400, 'INVALID_TRANSFORM_OPTIONS', { parameter: 'fit', value: 'crop' }]);
  t.same(await refusal(await read('public/no.png?width=30', { as: null })), [415, 'UNSUPPORTED_MEDIA_TYPE']);
  t.equal((await read('public/no.png?width=30', { as: null, method: 'HEAD' })).status, 415);
  t.same(await refusal(await read('public/none.jpg?width=30', { as: null })), [404, 'NOT_FOUND']);

  t.same(await refusal(await read('own/a.jpg?width=0', { as: null })), [401, 'UNAUTHORIZED'], 'who may not read it learns nothing of it');
  const { token } = (await request('/storage/metadata/own/a.jpg')).body.data;
  const own = await fetch(`${base}/file/own/a.jpg?width=30&token=${token}`);
  t.same([own.status, own.headers.get('cache-control')], [200, 'private, max-age=3600, must-revalidate']);
});

test('while images are made, data and files are served, and a request above the limit is refused', async t => {
  const { upload, read, request } = await serveFiles(t, { template: 'served_store' });
  await upload('public/a.jpg', await image('jpeg'), { type: 'image/jpeg' });
  const before = imageProcesses().length;
  const processes = Math.max(1, Math.min(4, availableParallelism()));
  const stopped = new Set<number>();
  const answers: Promise<Response>[] = [];
  let pending = 0;
  const ask = () => {
    pending += 1;
    answers.push(read(`public/a.jpg?width=${answers.length + 1}`, { as: null }).finally(() => { pending -= 1; }));
  };
  try {
    while (stopped.size < before + processes) {
      while (pending < processes) ask();
      await setTimeout(1);
      stopNew(stopped);
    }
    while (pending < processes + 64 + 1) ask();
    const refused = (await Promise.race(answers.slice(-65))).clone();
    t.equal(refused.headers.get('retry-after'), '1');
    t.same(await refusal(refused), [503, 'TRANSFORM_OVERLOADED']);

    t.equal((await read('public/a.jpg', { as: null })).status, 200);
    t.equal((await upload('b.txt', 'words')).status, 201);
    t.equal((await request('/data/products?limit=1')).status, 200);

    for (const id of stopped) process.kill(id, 'SIGCONT');
    const others = (await Promise.all(answers)).filter(({ status }) => status !== 200);
    t.same(others.map(({ status }) => status), [503], 'nobody else had to go');
  } finally {
    for (const id of stopped) process.kill(id, 'SIGCONT');
  }
});

/** Processes that make images are stopped as soon as they start, and so requests for one wait. */
function stopNew(stopped: Set<number>): void {
  for (const id of imageProcesses().filter(id => !stopped.has(id))) {
    process.kill(id, 'SIGSTOP');
    stopped.add(id);
  }
}

test('renditions are kept in the bucket where the settings say so, and cannot be named', async t => {
  const { upload, read, folder, request } = await serveFiles(t, { env: { STORAGE_RENDITION_CACHE: 'true' } });
  await upload('public/a.jpg', await image('jpeg'), { type: 'image/jpeg' });
  t.equal((await read('public/a.jpg?width=30', { as: null })).status, 200);
  const kept = (): string[] => globSync('default/_service/renditions/*.webp', { cwd: folder });
  await until('it is kept', () => kept().length > 0);
  t.notMatch(JSON.stringify((await request('/storage/list')).body), /_service/);
  t.same((await refusal(await read(kept()[0]?.replace('default/', '') ?? ''))).slice(0, 2), [400, 'INVALID_STORAGE_KEY']);
});
