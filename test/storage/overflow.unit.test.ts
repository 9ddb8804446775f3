import { createHash, randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { test } from 'tap';
import { openOverflow } from '../../gateway/blobs/overflow.ts';
import { cutParts } from '../../gateway/blobs/s3/parts.ts';
import { heldTogether, PART } from '../../gateway/blobs/s3/slabs.ts';

const sha256 = (pieces: Uint8Array[]) => pieces.reduce((hash, piece) => hash.update(piece), createHash('sha256')).digest('hex');

test('what overflows comes out in its order, few or many bytes, and while more comes', async t => {
  const { add, next, close } = openOverflow();
  const sent = [0, 1, 300_000, 900_000, 2_000_000, 5, 700_000].map(size => randomBytes(size));
  const got: Buffer[] = [];
  for (const [n, bytes] of sent.entries()) {
    add(bytes);
    const piece = n % 2 === 0 ? undefined : await next();
    if (piece !== undefined) got.push(Buffer.from(piece));
  }
  for (let piece = await next(); piece !== undefined; piece = await next()) got.push(Buffer.from(piece));
  t.equal(sha256(got), sha256(sent));
  add(Buffer.from('again'));
  t.equal(Buffer.from(await next() ?? []).toString(), 'again', 'after it was empty');
  t.equal(await next(), undefined);
  close();
});

test('a sender that does not stop fills the disk and not the memory, and its parts are what it sent', async t => {
  const parts: Buffer[] = [];
  let most = 0;
  const { push, ready, rest, close } = cutParts(PART, async (part, n) => {
    await setTimeout(2);
    parts[n] = Buffer.from(part);
  });
  const sent = Array.from({ length: 150 }, (_, n) => randomBytes(500_000 + n));
  let asked = 0;
  for (const [n, bytes] of sent.entries()) {
    if (!push(bytes)) asked += 1;
    most = Math.max(most, heldTogether());
    if (n % 60 === 59) await ready();
  }
  parts.push(Buffer.from(await rest()));
  await close();
  t.equal(sha256(parts), sha256(sent));
  t.ok(asked > 20, 'it was asked to stop');
  t.ok(most <= 6, `${most} parts at most`);
  t.equal(heldTogether(), 0);
});

test('who gives up while bytes wait on the disk leaves nothing', async t => {
  const { push, close } = cutParts(PART, () => setTimeout(5));
  for (let n = 0; n < 80; n++) push(randomBytes(500_000));
  await close();
  t.equal(heldTogether(), 0);
});
