import { createHash, randomBytes } from 'node:crypto';
import { test } from 'tap';
import { createBacklog } from '../../gateway/http/backlog.ts';
import { giveSlab } from '../../gateway/process/slabs.ts';

const MEBIBYTE = 1024 * 1024;
const sha256 = (pieces: Uint8Array[]) => pieces.reduce((hash, piece) => hash.update(piece), createHash('sha256')).digest('hex');

test('bytes leave in the order in which they arrived, in memory and past its bound', async t => {
  const { add, next, close } = createBacklog();
  const sent: Buffer[] = [];
  const got: Buffer[] = [];
  const push = (size: number) => {
    sent.push(randomBytes(size));
    add(sent.at(-1) as Buffer);
  };
  const take = async () => {
    const piece = await next();
    if (piece === undefined) return false;
    got.push(Buffer.from(piece));
    piece.fill(0); // the memory is the consumer's
    giveSlab(piece);
    return true;
  };
  for (const size of [0, 1, 300_000, 900_000, 2_000_000, 5]) {
    push(size);
    await take();
  }
  for (let n = 0; n < 60; n++) push(MEBIBYTE - n); // almost twice the bound
  for (let n = 0; n < 30; n++) await take();
  push(700_000);
  while (await take());
  push(3);
  while (await take());
  t.equal(sha256(got), sha256(sent));
  close();
});

test('the bound is one for the process, and a closed backlog gives its share back', async t => {
  const first = createBacklog();
  first.add(randomBytes(33 * MEBIBYTE));
  const second = createBacklog();
  const bytes = randomBytes(2 * MEBIBYTE);
  second.add(bytes);
  const [piece, other] = [await second.next(), await second.next()];
  t.equal(sha256([piece ?? bytes, other ?? bytes]), sha256([bytes.subarray(0, MEBIBYTE)]), 'from the disk');
  t.equal(second.size, MEBIBYTE);
  first.close();
  second.close();
  const third = createBacklog();
  third.add(bytes);
  t.equal((await third.next())?.length, MEBIBYTE / 2);
  third.close();
});

test('a backlog that is closed while its disk is read ends the read with nothing', async t => {
  const full = createBacklog();
  full.add(randomBytes(32 * MEBIBYTE));
  const spilled = createBacklog();
  spilled.add(randomBytes(MEBIBYTE));
  const reading = spilled.next();
  spilled.close();
  t.equal(await reading, undefined);
  full.close();
});
