import { randomBytes } from 'node:crypto';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'tap';
import { fileWriter } from '../../gateway/blobs/file-writer.ts';

const bytes = randomBytes(4_500_000);

test('a file has the bytes that were written, from the given position on', async t => {
  const path = join(t.testdir({ begun: 'begun' }), 'begun');
  const file = await open(path, 'r+');
  const writer = fileWriter(file, 3);
  const lengths = [700, 100_000, 524_288, 1_500_000];
  for (let at = 0, n = 0; at < bytes.length; at += lengths[n++ % 4] ?? 0) {
    await writer.write(bytes.subarray(at, at + (lengths[n % 4] ?? 0)));
  }
  t.equal(writer.size, bytes.length + 3);
  await file.close();
  t.ok(Buffer.concat([Buffer.from('beg'), bytes]).equals(await readFile(path)));
});

test('a write rejects with the error of the disk', { skip: process.platform !== 'linux' && 'there is no /dev/full' }, async t => {
  const file = await open('/dev/full', 'w');
  await t.rejects(fileWriter(file).write(bytes), { code: 'ENOSPC' });
  await file.close();
});
