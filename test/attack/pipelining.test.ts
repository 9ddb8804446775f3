// Several requests on a connection before the first is answered, and bytes that are no request.
import { test } from 'tap';
import { lendService } from '../harness/lend.ts';
import { running } from '../database/lanes.ts';
import { until } from '../harness/until.ts';
import { rawClient } from '../http/serve.ts';

const SETUP = `create table note (id int generated always as identity primary key, text text unique);
  alter table note enable row level security; create policy everyone on note using (true); insert into note (text) values ('first')`;
const env = { AUTH_REQUIRE: 'false' };

const head = (method: string, path: string, more = ''): string => `${method} /api/data/${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`;
const write = (text: string, method = 'POST', path = 'note'): string => {
  const body = JSON.stringify({ text });
  return head(method, path, `Content-Length: ${body.length}\r\n`) + body;
};
const statuses = (received: string): number[] => [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));

test('a write with requests behind it is answered, or not done', async t => {
  const { sql, address, request } = await lendService(t, { template: 'served', setup: SETUP, env });
  const port = Number(new URL(address).port);
  const acknowledged: string[] = [];
  const behind = {
    'a read': head('GET', 'note/1'), 'a write': write('behind'), 'a delete': head('DELETE', 'note/99'), 'half a request': 'GET /api/da',
  };
  for (const [name, bytes] of Object.entries(behind)) {
    for (const chunked of [false, true]) {
      const text = `${name}, chunked ${chunked}`;
      const body = JSON.stringify({ text });
      const sent = chunked
        ? `${head('POST', 'note', 'Transfer-Encoding: chunked\r\n')}${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
        : write(text);
      const client = await rawClient(t, port);
      client.send(sent + bytes);
      const answered = statuses(await (name === 'half a request' ? client.until(/\r\n\r\n/).catch(() => '') : client.rest()));
      if (answered.includes(201)) acknowledged.push(text);
      client.socket.destroy();
    }
  }
  t.equal((await request('/data/note', { method: 'POST', body: '{"text":"last"}' })).status, 201, 'what began before has ended');
  t.same(await sql`select text from note where text <> all(${['first', 'last']})`, acknowledged.map(text => ({ text })));
});

test('requests that come while a write is under way are answered after it', async t => {
  const { sql, address } = await lendService(t, { template: 'served', setup: SETUP, env });
  const port = Number(new URL(address).port);
  const writes = {
    create: [write('created'), 201], update: [write('updated', 'PATCH', 'note/1'), 200], delete: [head('DELETE', 'note/1'), 204],
    refused: [write('updated', 'PATCH', 'note/99'), 404],
  } as const;
  for (const [name, [bytes, status]] of Object.entries(writes)) {
    const client = await rawClient(t, port);
    await sql.begin(async transaction => {
      await transaction`lock table note in access exclusive mode`;
      client.send(bytes);
      await until('it waits', async () => (await running(sql, '%note%')).length > 0);
      client.send(head('GET', 'note/count'));
      await until('the second has come',
        () => Promise.resolve(client.socket.bytesWritten > bytes.length && client.socket.writableLength === 0));
    });
    t.match(await client.until(/"count":/), new RegExp(`^HTTP/1\\.1 ${status} [^]*HTTP/1\\.1 200 `), name);
    client.send(head('GET', 'note/count'));
    await client.until(/"count":[^]*"count":/);
  }
});

const plain = (line: string): string => `${line}\r\nHost: x\r\n\r\n`;
const given = (more: string): string => `${head('POST', 'note', more)}0\r\n\r\n`;
/** Bytes that are no request, and the status of their answer; null: none, and the connection ends when its time is over. */
const MALFORMED: [string, number | null][] = [
  [plain('GET /api/data/note HTTP/1.0'), 505], [plain('GET /api/data/note HTTP/2.0'), 505],
  [plain('GET http://x/api/data/note HTTP/1.1'), 505], ['GET /api/data/note HTTP/1.1\nHost: x\n\n', 505],
  ['\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\x00\x00\x00\x00', 505], [head('GET', 'note', `X-A: ${'a'.repeat(70_000)}\r\n`), 431],
  [head('GET', 'note', 'X-A: b\r\n'.repeat(300)), 431], [plain(`GET /${'a'.repeat(200_000)} HTTP/1.1`), 431],
  [given('Content-Length: abc\r\n'), 400], [given('Content-Length: -5\r\n'), 400],
  [given('Content-Length: 99999999999999999999999\r\n'), 400], [given('Content-Length: 5\r\nTransfer-Encoding: chunked\r\n'), 400],
  [given('Transfer-Encoding: gzip\r\n'), 400],
  [head('POST', 'note', 'Transfer-Encoding: chunked\r\n') + 'zz\r\n{}\r\n', 400],
  ['GET /api/data/note HTTP/1.1\r\n\r\n', null], [head('GET', 'note', 'X-A : b\r\n'), null], [head('GET', 'note', 'X-A: b\0c\r\n'), null],
];
/** A request that reaches the service is answered by it. */
const IN_THE_ENVELOPE: [string, number][] = [
  [given('Content-Length: 5\r\nContent-Length: 6\r\n'), 400], [given('Transfer-Encoding: gzip, chunked\r\n'), 400],
  [given('Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n'), 400],
  [head('GET', `note?text=${'a'.repeat(40_000)}`), 414], [head('BREW', 'note'), 404], [head('GET', 'note/%ff'), 400],
];

test('malformed requests are answered where possible, and change nothing', async t => {
  const { sql, address, request } = await lendService(t, { template: 'served', setup: SETUP, env });
  const port = Number(new URL(address).port);
  const answered = async (bytes: string) => {
    const client = await rawClient(t, port);
    client.send(bytes);
    return client;
  };
  for (const [bytes, status] of MALFORMED) {
    const client = await answered(bytes);
    const title = bytes.slice(0, 120);
    if (status === null) t.equal((await request('/data/note/1')).status, 200, title);
    else t.match(await client.rest(), new RegExp(`^HTTP/1\\.1 ${status} [^]*Connection: close`), title);
    client.socket.destroy();
  }
  for (const [bytes, status] of IN_THE_ENVELOPE) {
    const client = await answered(bytes);
    t.match(await client.until(/requestId/), new RegExp(`^HTTP/1\\.1 ${status} [^]*\\{"error":\\{"message":`), bytes.slice(0, 120));
    client.socket.destroy();
  }
  t.same(await sql`select count(*)::int from note`, [{ count: 1 }]);
});

test('no answer names the library that carries it', async t => {
  const { request, address } = await lendService(t, { template: 'served', setup: SETUP, env });
  const asked = ['/data/note', '/data/note/1', '/data/note/99', '/health', '/nothing', '/docs'];
  const answers = [...await Promise.all(asked.map(path => request(path))), await fetch(`${address}/`, { method: 'OPTIONS' })];
  for (const { headers } of answers) t.notOk(headers.has('uwebsockets'));
});
