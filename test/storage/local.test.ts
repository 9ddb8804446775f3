import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { test } from 'tap';
import { tokenFor } from '../harness/service.ts';
import { lendFiles, refusal } from './files.ts';

test('an uploaded file is read, described, listed and deleted', async t => {
  const { folder, upload, read, request } = await lendFiles(t);
  for (const last of [false, true]) {
    for (const size of [0, 10, 100_000, 5_000_000]) {
      const bytes = randomBytes(size);
      const key = `${last ? 'last' : 'first'}/${size}.bin`;
      const answer = await upload(key, bytes, { type: 'image/png', last, fields: { metadata_alt: 'x' } });
      t.same([answer.status, await answer.json()], [201, { data: { key, bucket: 'default', storageUrl: `local://default/${key}` } }]);
      const file = await read(key);
      t.same([file.status, file.headers.get('content-type'), file.headers.get('content-length')], [200, 'image/png', String(size)]);
      t.ok(bytes.equals(Buffer.from(await file.arrayBuffer())));
      t.ok(bytes.equals(readFileSync(join(folder, 'default', key))));
      const { mtime } = statSync(join(folder, 'default', key));
      t.same(JSON.parse(readFileSync(join(folder, 'default', `${key}.metadata.json`), 'utf8')),
        { alt: 'x', contentType: 'image/png', size, uploadedAt: mtime.toISOString() });
    }
  }
  t.match((await request('/storage/metadata/first/10.bin')).body, { data: {
    bucket: 'default', fullPath: 'first/10.bin', name: '10.bin', size: 10, contentType: 'image/png', customMetadata: { alt: 'x', size: 10 },
    tokenExpiresIn: 300, token: String,
  } });
  t.same((await request('/storage/list')).body, {
    data: { items: [], prefixes: ['first', 'last'].map(name => ({ bucket: 'default', fullPath: name, name, parent: null, root: null })) },
  });
  t.same((await request('/storage/list?prefix=first&maxResults=3')).body.data.items.map(({ name }: { name: string }) => name),
    ['0.bin', '10.bin', '100000.bin'].sort());
  t.same((await request('/storage/file/first/10.bin', { method: 'DELETE' })).body, { message: 'File deleted' });
  t.same(await refusal(await read('first/10.bin')), [404, 'NOT_FOUND']);
  t.same(readdirSync(join(folder, '.uploads')), [], 'nothing is left aside');
});

test('a small file is shown as it is now, however often it was read', async t => {
  const { folder, upload, read } = await lendFiles(t);
  const path = (name: string) => join(folder, 'default', name);
  const names = ['edited.txt', 'replaced.txt', 'moved.txt', 'deleted.txt', 'linked.txt'];
  for (const name of names) await upload(name, 'one');
  await setTimeout(1100); // what was changed lately is not kept
  const texts = () => Promise.all(names.map(async name => {
    const file = await read(name);
    return file.status === 200 ? file.text() : file.status;
  }));
  for (let n = 0; n < 3; n++) t.same(await texts(), names.map(() => 'one'));
  t.equal(await (await read('edited.txt', { headers: { range: 'bytes=1-1' } })).text(), 'n');
  t.same(await (await read('edited.txt', { method: 'HEAD' })).text(), '');
  writeFileSync(path('edited.txt'), 'two');
  await upload('replaced.txt', 'two');
  writeFileSync(path('other'), 'two');
  renameSync(path('other'), path('moved.txt'));
  rmSync(path('deleted.txt'));
  renameSync(path('linked.txt'), path('target'));
  symlinkSync(path('target'), path('linked.txt'));
  t.same(await texts(), ['two', 'two', 'two', 404, 404]);
  t.same(await texts(), ['two', 'two', 'two', 404, 404]);
});

test('a session, or a token of the metadata, reads', async t => {
  const { upload, read, request, base } = await lendFiles(t);
  const ada = await tokenFor('ada');
  t.equal((await upload('a.txt', 'hello', { as: ada })).status, 201);
  t.equal(await (await read('a.txt', { as: ada })).text(), 'hello');
  t.same(await refusal(await read('a.txt', { as: null })), [401, 'UNAUTHORIZED']);
  const { token } = (await request('/storage/metadata/a.txt', { as: ada })).body.data;
  t.equal(await (await fetch(`${base}/file/a.txt?token=${token}`)).text(), 'hello');
  t.equal(await (await read('a.txt', { as: token })).text(), 'hello');
});
