import { pino, type Logger } from 'pino';
import type postgres from 'postgres';
import { test, type Test } from 'tap';
import { createFairExecutor } from '../../gateway/database/fair-executor.ts';
import { createRecord } from '../../gateway/features/slow-requests/record.ts';
import { slowShape } from '../../gateway/features/slow-requests/slow-shapes.ts';
import { createDatabase } from '../harness/database.ts';
import { openService, SERVICE_KEY } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { BOTH, startOn } from '../workers/service.ts';

const NEEDLE = 'needle7';
/** Each statement that reads books takes longer than SLOW, and none that reads authors does. */
const SETUP = `
  create table authors (id int primary key, name text);
  create table books (id int primary key, title text, pages int, notes jsonb, author_id int references authors);
  alter table authors enable row level security;
  alter table books enable row level security;
  create policy all_rows on authors using (true) with check (true);
  create policy slowly on books using ((select pg_sleep(0.3)) is not null) with check (true);
  insert into authors values (1, 'Ada'), (2, '${NEEDLE}');
  insert into books select n, 'a "title", and {more} [of] it \\', n, '{"a": [1, {"b": 2}]}', 1 from generate_series(1, 3) n;
  create function public.dawdle(word text) returns text language sql stable as 'select word from pg_sleep(0.3)';
  comment on function public.dawdle is '@endpoint';`;
const SLOW = { SERVICE_SLOW_REQUEST_MS: '250', SERVICE_SOURCE: 'tables' };

type Line = Record<string, unknown> & { msg: string };
type Row = {
  method: string; route: string; collection: string | null; filter: string[]; sort: string[]; include: string[]; requests: number;
  slowest_ms: number; total_ms: number; waited_ms: number | null; database_ms: number | null; rows: number | null; status: number;
};

function collectLines(): { log: Logger; lines: Line[]; slow: () => Line[] } {
  const lines: Line[] = [];
  const log = pino({ level: 'debug' }, { write: (line: string) => { lines.push(JSON.parse(line) as Line); } });
  return { log, lines, slow: () => lines.filter(({ msg }) => msg === 'slow request') };
}

async function withService(t: Test, env: Record<string, string>) {
  const { url, sql } = await createDatabase(t, { template: 'served' });
  await sql.unsafe(SETUP).simple();
  const collected = collectLines();
  const service = await openService(url, { ...SLOW, ...env }, undefined, collected.log);
  return { ...service, ...collected, sql, url };
}

async function shapesOf(sql: postgres.Sql): Promise<Row[]> {
  return sql<Row[]>`
    select method, route, collection, filter, sort, include, requests::int, slowest_ms, total_ms, waited_ms, database_ms, rows::int, status
    from service.slow_requests order by route, method, requests desc, filter`;
}

test('a slow request is logged by its shape, and its shape is in service.slow_requests', async t => {
  const { request, close, slow, lines, sql } = await withService(t, {});
  const list = await request(
    `/data/books?title=ilike.${NEEDLE}*&or=(author.name.eq.${NEEDLE},pages.gt.0)&orderBy=pages:desc&include=author`);
  t.equal(list.status, 200, list.text);
  t.same(list.body.data, []);
  const path = `/data/books?notes->${NEEDLE}=neq.x&pages=gt.0`;
  t.equal((await request(path)).status, 200);
  t.equal((await request('/data/books?pages=gt.0')).body.data.length, 3);
  t.equal((await request('/data/books?pages=gt.1')).body.data.length, 2);
  t.equal((await request('/data/books/1')).status, 200);
  t.equal((await request('/data/books/1', { method: 'PATCH', body: JSON.stringify({ title: NEEDLE }) })).status, 200);
  t.equal((await request(`/functions/dawdle?word=${NEEDLE}`)).status, 200);
  t.equal((await request('/data/authors')).status, 200);
  t.match(slow()[0], {
    level: 40, method: 'GET', route: '/data/books', collection: 'books', filter: 'author.name, pages, title', sort: 'pages desc',
    include: 'author', rows: 0, status: 200, requestId: list.headers.get('x-request-id'),
  });
  const { durationMs, waitedMs, databaseMs } = slow()[0] as unknown as { durationMs: number; waitedMs: number; databaseMs: number };
  t.ok(databaseMs >= 300 && databaseMs <= durationMs, `${databaseMs} of ${durationMs} ms`);
  t.ok(waitedMs <= durationMs - databaseMs + 1, `${waitedMs} ms`);
  await close();
  const rows = await shapesOf(sql);
  t.match(rows, [
    { method: 'GET', route: '/data/books', collection: 'books', filter: ['pages'], sort: [], requests: 2, rows: /[23]/, status: 200 },
    { method: 'GET', route: '/data/books', filter: ['author.name', 'pages', 'title'], sort: ['pages desc'], include: ['author'], rows: 0 },
    { method: 'GET', route: '/data/books', collection: 'books', filter: ['notes', 'pages'], requests: 1, rows: 0 },
    { method: 'GET', route: '/data/books/:id', filter: [], requests: 1, rows: 1 },
    { method: 'PATCH', route: '/data/books/:id', collection: 'books', requests: 1, rows: 1 },
    { method: 'GET', route: '/functions/dawdle', collection: null, rows: 1 },
  ]);
  t.equal(rows.length, 6);
  t.ok(rows.every(row => row.total_ms >= row.slowest_ms && row.slowest_ms >= 250 && (row.database_ms ?? 0) >= 300));
  for (const secret of [NEEDLE, SERVICE_KEY, 'gt.0']) {
    t.same(lines.filter(line => JSON.stringify(line).includes(secret)), []);
    t.notMatch(JSON.stringify(await sql`select * from service.slow_request_shapes`), secret);
  }
});

test('names that the catalog does not know are values', async t => {
  const { address, request, close, slow, sql } = await withService(t, { SERVICE_SLOW_REQUEST_MS: '1' });
  // Compiled, and so slower than 1 ms.
  const odd = [`/data/authors?${NEEDLE}=1`, `/data/${NEEDLE}`, `/data/authors/1/${NEEDLE}`, `/data/authors?include=${NEEDLE}`,
    `/data/authors?orderBy=${NEEDLE}`, `/data/books?author.${NEEDLE}=1`, `/functions/${NEEDLE}`, `/${NEEDLE}`];
  for (const path of odd) await request(path);
  await fetch(`${address}/api/data/authors`, { method: NEEDLE.toUpperCase(), headers: { authorization: `Bearer ${SERVICE_KEY}` } });
  t.ok(slow().length > 0);
  await close();
  const text = JSON.stringify([slow(), await sql`select * from service.slow_request_shapes`]);
  t.notMatch(text.toLowerCase(), NEEDLE);
  t.match(text, '(other)');
});

test('the time for a connection is told apart from the time in PostgreSQL', async t => {
  const { request, close, slow } = await withService(t, { DB_POOL_MAX: '5', SERVICE_COALESCE: 'off' });
  const count = 12;
  await Promise.all(Array.from({ length: count }, (_, n) => request(`/data/books?pages=gt.-${n}`)));
  await close();
  const waited = slow().map(({ waitedMs }) => waitedMs as number);
  t.equal(waited.length, count);
  t.ok(Math.max(...waited) >= 300, `${waited.join()} ms`);
  t.ok(slow().every(({ databaseMs, waitedMs, durationMs }) => Number(databaseMs) + Number(waitedMs) <= Number(durationMs) + 1));
});

test('0 switches it off, and what is faster is not told of', async t => {
  for (const SERVICE_SLOW_REQUEST_MS of ['0', '600000']) {
    const { request, close, slow, sql } = await withService(t, { SERVICE_SLOW_REQUEST_MS });
    t.equal((await request('/data/books')).status, 200);
    await close();
    t.same(slow(), []);
    t.same(await shapesOf(sql), []);
  }
});

test('with workers the requests of all of them count', async t => {
  const { url, sql } = await createDatabase(t, { template: 'served' });
  await sql.unsafe(SETUP).simple();
  const { gateway, ask } = await startOn(t, { DATABASE_URL: url, ...SLOW });
  const asked = new Map<string | undefined, number>();
  await until('each worker has answered', async () => {
    const { worker } = await ask('/data/books');
    asked.set(worker, (asked.get(worker) ?? 0) + 1);
    return asked.size === BOTH.length;
  });
  gateway.process.kill('SIGTERM');
  await gateway.ended;
  const rows = await shapesOf(sql);
  const sent = [...asked.values()].reduce((sum, n) => sum + n, 0);
  t.equal(rows.find(({ route }) => route === '/data/books')?.requests, sent);
});

test('two starts add to the same shapes', async t => {
  const { url, sql } = await createDatabase(t, { template: 'served' });
  await sql.unsafe(SETUP).simple();
  const env = { DATABASE_URL: url, ...SLOW, SERVICE_WORKERS: '1' };
  const starts = [await startOn(t, env), await startOn(t, env)];
  const own = ['/data/books/1', '/data/books?pages=gt.0'];
  await Promise.all(starts.flatMap(({ ask }, i) => ['/data/books', own[i] ?? ''].map(ask)));
  await Promise.all(starts.map(({ gateway }) => {
    gateway.process.kill('SIGTERM');
    return gateway.ended;
  }));
  t.match(await shapesOf(sql), [
    { route: '/data/books', filter: [], requests: 2 }, { route: '/data/books', filter: ['pages'], requests: 1 },
    { route: '/data/books/:id', requests: 1 },
  ]);
});

const HOUR = 3_600_000;
const hourNow = () => Math.floor(Date.now() / HOUR) * HOUR;

test('gateways that add to the same shapes in another order wait for each other', async t => {
  const { sql } = await createDatabase(t, { template: 'served' });
  const [shapes, gateways, rounds] = [50, 4, 10];
  const slowest = { durationMs: 1, waitedMs: null, databaseMs: null, rows: null, status: 200, requestId: crypto.randomUUID() };
  const hour = hourNow();
  const shape = { hour, method: 'GET', filter: [], sort: [], include: [], requests: 1, totalMs: 1, slowest };
  const all = Array.from({ length: shapes }, (_, n) => ({ ...shape, route: `/r/${n}` }));
  await Promise.all(Array.from({ length: gateways }, async (_, i) => {
    const list = JSON.stringify(i % 2 === 0 ? all : all.toReversed());
    for (let n = 0; n < rounds; n++) await sql`select service_private.record_slow_requests(${list}::text::jsonb)`;
  }));
  t.same([...new Set((await shapesOf(sql)).map(({ requests }) => requests))], [gateways * rounds]);
});

test('an hour keeps the hundred shapes that took the most time, and none is older than a week', async t => {
  const { sql } = await createDatabase(t, { template: 'served' });
  const slowest = { durationMs: 1, waitedMs: null, databaseMs: null, rows: null, status: 200, requestId: crypto.randomUUID() };
  const shape = (hour: number, n: number) => ({
    hour, method: 'GET', route: `/r/${n}`, filter: [], sort: [], include: [], requests: 1, totalMs: n,
    slowest: { ...slowest, durationMs: n },
  });
  const record = (shapes: object[]) => sql`select service_private.record_slow_requests(${JSON.stringify(shapes)}::text::jsonb)`;
  const now = hourNow();
  const week = 7 * 24 * 3_600_000;
  await record(Array.from({ length: 150 }, (_, n) => shape(now, n)));
  await record([shape(now - week - 1, 7), shape(now - week + 7_200_000, 8)]);
  await record([shape(now, 149), shape(now, 3)]);
  const rows = await sql<{ route: string; requests: number; total_ms: number; slowest_ms: number; hour: Date }[]>`
    select route, requests::int, total_ms, slowest_ms, hour from service.slow_requests order by hour desc, total_ms desc`;
  t.equal(rows.filter(({ hour }) => hour.getTime() === now).length, 100);
  t.match(rows[0], { route: '/r/149', requests: 2, total_ms: 298, slowest_ms: 149 });
  t.same(rows.filter(({ hour }) => hour.getTime() !== now).map(({ route }) => route), ['/r/8']);
  const [all] = await sql<{ count: number }[]>`select count(*)::int from service.slow_request_shapes`;
  t.equal(all?.count, 101);
});

test('slow requests that cannot be written are written with the next ones', async t => {
  const { sql } = await createDatabase(t, { template: 'served' });
  const { log, lines } = collectLines();
  const { add, write } = createRecord({ ask: createFairExecutor(() => sql, { size: 1, deadline: 5_000 }), log });
  const slow = (route: string) => slowShape({ method: 'GET', route, collection: undefined, filter: [], sort: [], include: [] },
    { durationMs: 5, waitedMs: undefined, databaseMs: undefined, rows: undefined, status: 200, requestId: crypto.randomUUID() });
  await sql`alter table service.slow_request_shapes rename to elsewhere`;
  for (const route of ['/one', '/two', '/one']) {
    add([slow(route)]);
    await write();
  }
  await sql`alter table service.elsewhere rename to slow_request_shapes`;
  await write();
  t.match(await shapesOf(sql), [{ route: '/one', requests: 2, rows: null, waited_ms: null }, { route: '/two', requests: 1 }]);
  t.match(lines, [{ msg: /could not be written/ }], 'said once');
  t.equal(lines.length, 1);
});
