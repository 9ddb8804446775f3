import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import fc from 'fast-check';
import { test, type Test } from 'tap';
import { openLocalStore } from '../../gateway/blobs/local/local-store.ts';
import { localUploads } from '../../gateway/blobs/local/uploads.ts';
import type { Piece, Upload } from '../../gateway/blobs/resumable.ts';
import type { ApiError } from '../../gateway/error.ts';
import { until } from '../harness/until.ts';

async function disk(t: Pick<Test, 'teardown'>, saveEvery?: number) {
  const path = mkdtempSync(join(tmpdir(), 'rowgate-tus-'));
  t.teardown(() => { rmSync(path, { recursive: true }); });
  const store = await openLocalStore({ path, cleans: false });
  return {
    uploads: localUploads(store, saveEvery), store,
    pathOf: (key: string) => join(path, 'default', key),
    read: (key: string) => readFileSync(join(path, 'default', key)),
    left: () => readdirSync(join(path, '.tus-uploads')),
  };
}

/** As the database keeps it. */
const kept = (upload: Upload): Upload => JSON.parse(JSON.stringify(upload));
const kind = { contentType: 'text/plain', custom: {} };
const at = (key: string) => ({ bucket: 'default', key });

const LENGTH = 60;

type Writer = { piece: Piece; mark: number; room: number; isOver: boolean };
const step = fc.record({ kind: fc.constantFrom('end', 'die', 'haunt'), bytes: fc.integer({ min: 0, max: 25 }) });

test('a file has exactly the counted bytes, after any sequence of writes, deaths and takeovers', async t => {
  const { uploads, read, left } = await disk(t, 1);
  await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 20 }), async steps => {
    const key = randomUUID();
    let upload = kept(uploads.begin(key, at(key), kind, LENGTH));
    const counted = Buffer.alloc(LENGTH); // each writer has its own byte
    const ghosts: Writer[] = [];
    let mark = 0;

    const count = (writer: Writer, grown: Upload) => {
      counted.fill(writer.mark, upload.offset, grown.offset);
      upload = kept(grown);
    };
    const begin = async (): Promise<Writer> => {
      const writer: Writer = { piece: undefined as unknown as Piece, mark: mark += 1, room: LENGTH - upload.offset, isOver: false };
      writer.piece = await uploads.append(upload, grown => {
        if (writer.isOver) throw new Error('overtaken');
        count(writer, grown);
      });
      return writer;
    };
    const send = async (writer: Writer, bytes: number) => {
      const size = Math.min(bytes, writer.room);
      writer.room -= size;
      await writer.piece.write(Buffer.alloc(size, writer.mark));
    };

    for (const { kind, bytes } of steps) {
      // it may know that it was overtaken
      if (kind === 'haunt') for (const ghost of ghosts) await send(ghost, bytes).catch(() => undefined);
      else {
        const writer = await begin();
        await send(writer, bytes);
        if (kind === 'end') count(writer, await writer.piece.end());
        else {
          await setTimeout(bytes % 3);
          writer.isOver = true;
          upload = kept(uploads.fence(upload));
          ghosts.push(writer);
        }
      }
    }
    const last = await begin();
    await send(last, LENGTH);
    count(last, await last.piece.end());
    for (const ghost of ghosts) await send(ghost, 10).catch(() => undefined);
    const whole = await uploads.complete(upload);
    const again = await uploads.complete(upload); // who did it could not tell
    for (const ghost of ghosts) await ghost.piece.end().catch(() => undefined);
    if (!read(key).equals(counted)) throw new Error(`${read(key).toString('hex')} instead of ${counted.toString('hex')}`);
    return whole.size === LENGTH && again.size === LENGTH && left().length === 0;
  }), { numRuns: 30 });
});

test('durable bytes are reported, without an end too', async t => {
  const { uploads } = await disk(t, 5);
  const told: number[] = [];
  const { promise: first, resolve } = Promise.withResolvers<undefined>();
  const piece = await uploads.append(uploads.begin('told', at('a'), kind, 10), ({ offset }) => { told.push(offset); resolve(undefined); });
  await piece.write(Buffer.from('abc'));
  await first;
  t.same(told, [3]);
  t.equal((await piece.end()).offset, 3);
});

test('a piece whose progress cannot be recorded stops', async t => {
  const { uploads } = await disk(t, 5);
  const piece = await uploads.append(uploads.begin('told', at('a'), kind, 10), () => Promise.reject(new Error('overtaken')));
  await piece.write(Buffer.from('abc'));
  await until('a write is refused',
    () => piece.write(Buffer.alloc(0)).then(() => false, (error: unknown) => (error as ApiError).code === 'STORAGE_WRITE_FAILED'));
  await t.rejects(piece.end(), { code: 'STORAGE_WRITE_FAILED' });
});

test('a discarded upload leaves nothing', async t => {
  const { uploads, left } = await disk(t);
  const upload = uploads.begin('gone', at('a'), kind, 10);
  await uploads.discard(upload); // not even begun
  const piece = await uploads.append(upload);
  await piece.write(Buffer.from('abc'));
  const half = await piece.end();
  await (await uploads.append(uploads.fence(half))).end();
  t.equal(left().length, 2);
  await uploads.discard(upload);
  t.same(left(), []);
});

test('bytes that are not there are not made up', async t => {
  const { uploads, store } = await disk(t);
  const place = at('a');
  const before = await store.intake(place, kind);
  await before.write(Buffer.alloc(10));
  await before.finish();
  await setTimeout(20); // times of files are coarse
  const upload = { ...uploads.begin('lost', place, kind, 10), offset: 3 };
  await t.rejects(uploads.append(upload), { code: 'STORAGE_WRITE_FAILED' });
  await t.rejects(uploads.complete({ ...upload, offset: 10 }), { code: 'STORAGE_WRITE_FAILED' },
    'nor taken for the file that was there before');
  const begun = await (await uploads.append({ ...upload, offset: 0 })).end();
  await t.rejects(uploads.append({ ...begun, offset: 3 }), { code: 'STORAGE_WRITE_FAILED' });
  await t.rejects(uploads.complete({ ...begun, offset: 10 }), { code: 'STORAGE_WRITE_FAILED' });
  await t.rejects(uploads.complete(uploads.fence({ ...begun, offset: 5 })), { code: 'STORAGE_WRITE_FAILED' });
});

test('a key that no disk can hold is refused at the beginning', async t => {
  const { uploads } = await disk(t);
  t.throws(() => uploads.begin('a', at('a/'), kind, 1), { status: 409, code: 'CONFLICT' });
  t.throws(() => uploads.begin('a', at('a.metadata.json'), kind, 1), { status: 400, code: 'INVALID_STORAGE_KEY' });
  t.throws(() => uploads.begin('a', at('a'.repeat(300)), kind, 1), { status: 400, code: 'INVALID_STORAGE_KEY' });
});

test('a completed upload is found again, also where the clock of the file system is some milliseconds behind', async t => {
  const { uploads, pathOf } = await disk(t);
  const now = Date.now();
  const piece = await uploads.append(uploads.begin('quick', at('quick'), kind, 1));
  await piece.write(Buffer.from('x'));
  const whole = await piece.end();
  await uploads.complete(whole);
  utimesSync(pathOf('quick'), new Date(), new Date(now - 4));
  t.match(await uploads.complete(whole), { size: 1 });
});
