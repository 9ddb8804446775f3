import { randomBytes } from 'node:crypto';
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { test, type Test } from 'tap';
import { openService, SERVICE_KEY, type TestService } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { refusal, serveFiles, type Files } from './files.ts';
import { begin, offsetOf, piece, rawPiece, tus } from './tus-client.ts';

const MEBIBYTE = 1024 * 1024;

type Gateway = Pick<TestService, 'address' | 'account' | 'request'>;

/** Two on one disk and one database. */
async function two(t: Test): Promise<[Files, Gateway]> {
  const one = await serveFiles(t);
  const other = await openService(one.url, { STORAGE_PATH: one.folder });
  t.teardown(other.close);
  return [one, other];
}

async function row({ sql }: Pick<Files, 'sql'>): Promise<{ received: number; holder: string | null }> {
  const [found] = await sql`select received::int, holder from service.storage_uploads`;
  return found as { received: number; holder: string | null };
}

/** Another request writes. */
function held(service: Pick<Files, 'sql'>): Promise<true> {
  return until('somebody holds the upload', async () => (await row(service)).holder !== null);
}

test('bytes from before a broken connection are kept', async t => {
  const service = await serveFiles(t);
  for (const size of [1, 1000, 512 * 1024, 512 * 1024 + 1, 3 * MEBIBYTE + 17]) {
    const bytes = randomBytes(size + 100);
    const id = await begin(service, bytes.length, { key: 'a' });
    const { socket, closed } = await rawPiece(service, id, 0, { announced: bytes.length, sent: bytes.subarray(0, size) });
    socket.end();
    await closed;
    t.equal(await offsetOf(service, id), size);
    t.equal((await piece(service, id, size, bytes.subarray(size))).status, 204);
    t.ok(Buffer.from(await (await service.read('a')).arrayBuffer()).equals(bytes));
  }
});

test('an abandoned connection is ended by the next request, at any gateway, and nothing of it is lost', async t => {
  const [one, other] = await two(t);
  for (const [asks, by] of [['HEAD', one], ['HEAD', other], ['PATCH', other]] as const) {
    const id = await begin(one, 2000, { key: 'a' });
    const { closed, heard } = await rawPiece(one, id, 0, { announced: 2000, sent: Buffer.alloc(1000, 'a') });
    await held(one);
    await setTimeout(20); // it has come
    if (asks === 'HEAD') t.equal(await offsetOf(by, id), 1000);
    else t.same((await refusal(await piece(by, id, 0, Buffer.alloc(2000, 'b'))))[2], { offset: 1000 });
    await closed;
    t.equal(heard(), '');
    t.equal((await piece(other, id, 1000, Buffer.alloc(1000, 'c'))).status, 204);
    t.equal(await (await one.read('a')).text(), 'a'.repeat(1000) + 'c'.repeat(1000));
    await one.sql`delete from service.storage_uploads`;
  }
});

test('one that is given up ends who still sends', async t => {
  const [one, other] = await two(t);
  const id = await begin(one, 2000, { key: 'a' });
  const { closed } = await rawPiece(one, id, 0, { announced: 2000, sent: Buffer.alloc(1000) });
  await held(one);
  t.equal((await tus(other, 'DELETE', id)).status, 204);
  await closed;
  t.same(await refusal(await piece(one, id, 0, 'a')), [404, 'NOT_FOUND']);
});

test('the hold of a dead gateway expires soon, and its later writes are not in the file', async t => {
  const [one, other] = await two(t);
  const id = await begin(one, 10, { key: 'a' });
  await piece(one, id, 0, 'abc');
  await one.sql`update service.storage_uploads set holder = gen_random_uuid()`; // which no longer exists
  t.equal(await offsetOf(other, id), 3);
  const [upload] = await one.sql<{ held: { segments: { file: string }[] } }[]>`select held from service.storage_uploads`;
  t.equal(upload?.held.segments.length, 2);
  const ghost = join(one.folder, '.tus-uploads', upload?.held.segments[0]?.file ?? '');
  t.equal(readFileSync(ghost, 'utf8'), 'abc');
  appendFileSync(ghost, 'GHOST');
  t.equal((await piece(other, id, 3, 'defg')).status, 204);
  t.equal((await piece(one, id, 7, 'hij')).status, 204);
  t.equal(await (await one.read('a')).text(), 'abcdefghij');
});

test('one of several rivals writes at a time: the file is whole pieces, each where it was acknowledged', async t => {
  const gateways = await two(t);
  const [one] = gateways;
  const length = 40_000;
  let whole = 0;
  for (let round = 0; round < 2 || (whole === 0 && round < 20); round++) { // on a busy machine all of a round may be cut
    const id = await begin(one, length, { key: `rivals${round}` });
    const written: { from: number; to: number; mark: number }[] = [];
    let mark = 0;
    let isOver = false;
    const rival = async (number: number) => {
      while (!isOver) {
        const gateway = gateways[(number + mark) % 2] as Gateway;
        const from = await offsetOf(gateway, id);
        if (from < 0 || from === length) break;
        const own = mark += 1;
        const size = Math.min(1 + Math.floor(Math.random() * 4000), length - from);
        const bytes = Buffer.alloc(size, own % 256);
        if (Math.random() < 0.3) {
          const { socket, closed } = await rawPiece(gateway, id, from, { announced: size + 1, sent: bytes });
          if (Math.random() < 0.5) socket.end();
          else await setTimeout(Math.random() * 20);
          socket.destroy();
          await closed;
          continue;
        }
        const answer = await piece(gateway, id, from, bytes).catch(() => undefined); // cut
        if (answer?.status === 204) written.push({ from, to: from + size, mark: own % 256 });
        else if (answer !== undefined && ![400, 409].includes(answer.status)) throw new Error(`${answer.status} ${await answer.text()}`);
      }
    };
    const deadline = setTimeout(20_000).then(() => { isOver = true; });
    await Promise.race([Promise.all([0, 1, 2].map(rival)), deadline]);
    // A rival's request that is still on its way may intervene.
    for (let at = await offsetOf(one, id); at < length; at = await offsetOf(one, id)) await piece(one, id, at, Buffer.alloc(length - at));
    const file = readFileSync(join(one.folder, 'default', `rivals${round}`));
    t.equal(file.length, length);
    t.same(written.filter(({ from, to, mark }) => !file.subarray(from, to).every(byte => byte === mark)), []);
    whole += written.length;
  }
  t.ok(whole > 0);
});

test('a gateway that ends lets go: another goes on at the byte', async t => {
  const one = await serveFiles(t);
  const leaving = await openService(one.url, { STORAGE_PATH: one.folder });
  t.teardown(leaving.close);
  const id = await begin(leaving, 2000, { key: 'a' });
  const { closed } = await rawPiece(leaving, id, 0, { announced: 2000, sent: Buffer.alloc(700, 'a'), as: SERVICE_KEY });
  await held(one);
  await setTimeout(20);
  await leaving.close();
  await closed;
  t.same(await row(one), { received: 700, holder: null });
  t.equal((await piece(one, id, 700, Buffer.alloc(1300, 'b'))).status, 204);
});
