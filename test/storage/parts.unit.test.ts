import { createHash, randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { test } from 'tap';
import { cutParts, heldTogether, PART } from '../../gateway/blobs/s3/parts.ts';

const sha256 = (pieces: Uint8Array[]) => pieces.reduce((hash, piece) => hash.update(piece), createHash('sha256')).digest('hex');

test('parts hold what was written, and few of them are in memory', async t => {
  const parts: Buffer[] = [];
  let [most, sending, mostSending] = [0, 0, 0];
  const { write, rest, close } = cutParts(PART, async (part, n) => {
    mostSending = Math.max(mostSending, sending += 1);
    await setTimeout(2);
    parts[n] = Buffer.from(part);
    sending -= 1;
  });
  const sent = Array.from({ length: 150 }, (_, n) => randomBytes(500_000 + n));
  for (const bytes of sent) {
    await write(bytes);
    most = Math.max(most, heldTogether());
  }
  parts.push(Buffer.from(await rest()));
  await close();
  t.equal(sha256(parts), sha256(sent));
  t.equal(mostSending, 2);
  t.equal(most, 3);
  t.equal(heldTogether(), 0);
});

test('an upload holds two parts instead of three when the process holds many', async t => {
  const gate = Promise.withResolvers<undefined>();
  const uploads = Array.from({ length: 8 }, () => cutParts(PART, () => gate.promise));
  const writing = uploads.map(({ write }) => write(randomBytes(3 * PART)));
  await setTimeout(50);
  t.ok(heldTogether() <= 20, `${heldTogether()} parts`);
  gate.resolve(undefined);
  await Promise.all(writing);
  await Promise.all(uploads.map(({ close }) => close()));
  t.equal(heldTogether(), 0);
});

test('a failed part fails the next write, and a closed upload holds nothing', async t => {
  const { write, rest, close } = cutParts(PART, async () => {
    await setTimeout(1);
    throw new Error('The store is away.');
  });
  const writing = Array.from({ length: 20 }, (_, n) => n).reduce((before, n) => before.then(() => write(randomBytes(PART + n))),
    Promise.resolve());
  await t.rejects(writing, /away/);
  await t.rejects(rest(), /away/);
  await close(true);
  t.equal(heldTogether(), 0);
});

test('an upload that is closed while a write waits sends nothing more and holds nothing', async t => {
  const gate = Promise.withResolvers<undefined>();
  const sent: (Buffer | undefined)[] = [];
  const { write, close } = cutParts(PART, part => {
    sent.push(part);
    return gate.promise;
  });
  const writing = write(randomBytes(4 * PART)); // waits with a full third part
  await setTimeout(20);
  const closing = close(true);
  gate.resolve(undefined);
  await t.rejects(writing, /closed/);
  await closing;
  t.equal(sent.length, 2);
  t.equal(heldTogether(), 0);
});
