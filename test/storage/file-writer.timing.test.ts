import { randomBytes } from 'node:crypto';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { test } from 'tap';
import { fileWriter } from '../../gateway/blobs/file-writer.ts';
import { isQuick } from '../../gateway/blobs/pace.ts';
import { SLAB } from '../../gateway/blobs/slabs.ts';
import { slowDisk } from './slow-disk.ts';

const bytes = randomBytes(9 * SLAB + 12_345);

test('all of it is written, in place and while the disk is slow, when the sender is asked to wait', async t => {
  const quick = join(t.testdir(), 'quick');
  await written(quick, [700, 100_000, SLAB, 3 * SLAB]);
  t.ok(bytes.equals(await readFile(quick)));

  slowDisk();
  t.notOk(isQuick(), 'for a hundred times as long');
  const slow = join(t.testdir(), 'slow');
  t.not((await written(slow, [700, 100_000, SLAB, 3 * SLAB])).length, 0);
  t.ok(bytes.equals(await readFile(slow)));
});

test('what a disk refuses is told, quick or slow', async t => {
  for (const isSlow of [false, true]) {
    if (isSlow) slowDisk();
    const file = await open('/dev/full', 'w');
    const writer = fileWriter(file);
    writer.push(bytes);
    await t.rejects(writer.flush(), { code: 'ENOSPC' });
    t.notOk(writer.push(bytes));
    await t.rejects(writer.ready(), { code: 'ENOSPC' });
    await file.close();
  }
});

/** Answers where its sender was asked to stop. */
async function written(path: string, lengths: number[]): Promise<number[]> {
  const file = await open(path, 'w');
  const writer = fileWriter(file);
  const stops: number[] = [];
  for (let at = 0, n = 0; at < bytes.length; at += lengths[n++ % lengths.length] ?? 0) {
    if (!writer.push(bytes.subarray(at, at + (lengths[n % lengths.length] ?? 0)))) stops.push(at);
    if (n === 0) await setTimeout(150); // then it is alone
  }
  if (stops.length > 0) await writer.ready();
  await writer.flush();
  await file.close();
  return stops;
}
