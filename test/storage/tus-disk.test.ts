import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { rename, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { test, type Test } from 'tap';
import { localUploads } from '../../gateway/objects/local/uploads.ts';
import { type Piece, type Upload } from '../../gateway/objects/resumable.ts';

/** An object is a file of its key, and no more. */
function disk(t: Pick<Test, 'teardown'>) {
  const root = mkdtempSync(join(tmpdir(), 'rowgate-tus-'));
  t.teardown(() => { rmSync(root, { recursive: true }); });
  const pathOf = (key: string) => join(root, key);
  const infoOf = (key: string) => {
    const { size, mtime: modified } = statSync(pathOf(key));
    return { size, modified, version: '', contentType: 'text/plain', custom: {} };
  };
  const uploads = localUploads({
    root,
    info: ({ key }) => Promise.resolve(readdirSync(root).includes(key) ? infoOf(key) : undefined),
    adopt: (file, { key }) => rename(file, pathOf(key)).then(() => infoOf(key)),
    writer,
  });
  return { uploads, read: (key: string) => readFileSync(pathOf(key)), left: () => readdirSync(join(root, '.tus-uploads')) };
}

function writer(handle: FileHandle, position: number) {
  let size = position;
  let last: Promise<unknown> = Promise.resolve();
  return {
    push(bytes: Uint8Array) {
      const [copy, at] = [Buffer.from(bytes), size];
      last = last.then(() => handle.write(copy, 0, copy.length, at));
      size += copy.length;
      return true;
    },
    ready: () => Promise.resolve(),
    end: () => last.then(() => handle.datasync()).then(() => handle.close()).then(() => ({ size })),
    drop: () => last.then(() => handle.close()),
  };
}

const LENGTH = 60;

type Step = { kind: 'end' | 'die' | 'recover' | 'haunt' | 'complete'; bytes: number };
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({ kind: fc.constantFrom<Step['kind'][]>('end', 'die', 'recover', 'haunt', 'complete'), bytes: fc.integer({ min: 0, max: 25 }) }), { maxLength: 25 });

test('whoever writes, dies, is overtaken and goes on writing all the same: a file is of the bytes that were counted', async t => {
  const { uploads, read, left } = disk(t);
  await fc.assert(fc.asyncProperty(steps, async steps => {
    const key = randomUUID();
    let upload: Upload = JSON.parse(JSON.stringify(uploads.begin(key, { bucket: 'default', key }, { contentType: 'text/plain', custom: {} }, LENGTH)));
    let counted = Buffer.alloc(0); // each writer has its own byte
    let mark = 0;
    let dead: { piece: Piece; mark: number; sent: number; from: number } | undefined;
    const ghosts: NonNullable<typeof dead>[] = [];
    const send = async (writer: NonNullable<typeof dead>, bytes: number) => {
      const size = Math.min(bytes, LENGTH - writer.from - writer.sent);
      writer.piece.push(Buffer.alloc(size, writer.mark));
      writer.sent += size;
      await writer.piece.ready();
    };
    const flushed = () => new Promise(resolve => { setTimeout(resolve, 1); });
    const recover = async () => {
      if (dead === undefined) return;
      const recovered: Upload = JSON.parse(JSON.stringify(await uploads.recover(upload)));
      if (recovered.offset - upload.offset > dead.sent) throw new Error('more than was sent');
      counted = Buffer.concat([counted, Buffer.alloc(recovered.offset - upload.offset, dead.mark)]);
      upload = recovered;
      ghosts.push(dead);
      dead = undefined;
    };
    for (const { kind, bytes } of steps) {
      if (kind === 'haunt') for (const ghost of ghosts) await send(ghost, bytes);
      if (kind === 'recover') await recover();
      if (kind === 'end' || kind === 'die') {
        await recover();
        mark += 1;
        const writer = { piece: await uploads.append(upload), mark, sent: 0, from: upload.offset };
        await send(writer, bytes);
        if (kind === 'die') {
          dead = writer;
          if (bytes % 2 === 0) await flushed();
        } else {
          const ended: Upload = JSON.parse(JSON.stringify(await writer.piece.end()));
          counted = Buffer.concat([counted, Buffer.alloc(ended.offset - upload.offset, mark)]);
          if (ended.offset - upload.offset !== writer.sent) throw new Error('less than was sent');
          upload = ended;
        }
      }
    }
    await recover();
    const rest = await uploads.append(upload);
    rest.push(Buffer.alloc(LENGTH - upload.offset, 255));
    upload = JSON.parse(JSON.stringify(await rest.end()));
    counted = Buffer.concat([counted, Buffer.alloc(LENGTH - counted.length, 255)]);
    for (const ghost of ghosts) await send(ghost, 10);
    const whole = await uploads.complete(upload);
    const again = await uploads.complete(upload); // who did it could not tell
    for (const ghost of ghosts) await ghost.piece.end();
    if (!read(key).equals(counted)) throw new Error(`${read(key).toString('hex')} instead of ${counted.toString('hex')}`);
    return whole.size === LENGTH && again.size === LENGTH && left().length === 0;
  }), { numRuns: 120 });
});

test('what is given up leaves nothing', async t => {
  const { uploads, left } = disk(t);
  const upload = uploads.begin('gone', { bucket: 'default', key: 'a' }, { contentType: 'text/plain', custom: {} }, 10);
  await uploads.discard(upload); // not even begun
  const piece = await uploads.append(upload);
  piece.push(Buffer.from('abc'));
  await piece.end();
  await (await uploads.append(await uploads.recover(upload))).end();
  t.equal(left().length, 2);
  await uploads.discard(upload);
  t.same(left(), []);
});

test('bytes that are not there are not made up', async t => {
  const { uploads } = disk(t);
  const upload = { ...uploads.begin('lost', { bucket: 'default', key: 'a' }, { contentType: 'text/plain', custom: {} }, 10), offset: 3 };
  await t.rejects(uploads.append(upload), { code: 'ENOENT' });
  await t.rejects(uploads.recover(upload), /not on this disk/);
  await t.rejects(uploads.complete({ ...upload, offset: 10 }), /not on this disk/);
  const begun = await (await uploads.append({ ...upload, offset: 0 })).end();
  await t.rejects(uploads.append({ ...begun, offset: 3 }), /not on this disk/);
  await t.rejects(uploads.complete({ ...begun, offset: 10 }), /not on this disk/);
});
