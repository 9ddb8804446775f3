import t, { test } from 'tap';
import { createService } from '../harness/service.ts';
import { client, open, query, reader, user, type Client } from './client.ts';

const service = await createService(t, {
  template: 'served',
  setup: `
    create type mood as enum ('low', 'mid', 'high');
    create table events (
      id bigint primary key, a integer, b text, at timestamptz, price numeric, ratio double precision,
      mood mood, flag boolean, span interval, ints integer[], bits bit(8), code char(4));
    insert into events select n, nullif(n % 4, 0), case when n % 5 <> 0 then chr(97 + n % 3)
    end, case when n % 7 <> 0 then timestamptz '2024-01-01Z' + n % 6 * interval '1 microsecond' end,
      case n % 6 when 0 then 'NaN' when 1 then null else (n % 3)::numeric / 7
      end, case n % 5 when 0 then 'Infinity'::float8 when 1 then null else (n % 4) / 10.0 end,
      (array['low', 'mid', 'high', null])[n % 4 + 1]::mood, case n % 3 when 0 then n % 2 = 0
      end, n % 3 * interval '1 month 1 second', array[n % 2, n % 3], (n % 5)::integer::bit(8), case when n % 3 > 0 then chr(65 + n % 4) end
    from generate_series(1, 60) n;
    create table seats (hall text, line integer, seat integer, taken boolean, primary key (hall, line, seat));
    insert into seats select h, l, s, (l + s) % 2 = 0 from unnest(array['b', 'a', 'it''s', 'x:::y']) h,
    generate_series(1, 3) l, generate_series(1, 3) s;
    create view calendar with (security_invoker = on) as select nullif(id, 3) as id, a from events where id <= 12;
    comment on view calendar is '@key id';
    create table doomed (id integer primary key, rank integer);
    insert into doomed select n, n / 3 from generate_series(1, 20) n;
    create table secrets (id integer primary key, owner text);
    insert into secrets select n, case when n % 2 = 0 then 'even' else 'odd' end from generate_series(1, 20) n;
    alter table secrets enable row level security;
    create policy own on secrets using (owner = (select service.uid()) or (select service.uid()) = 'service');
    ${open('events', 'seats', 'doomed')}`,
});

/** Every row of a list, page by page, and what each page said. */
async function walk({ get }: Client, path: string, limit: number): Promise<{ rows: any[]; pages: any[] }> {
  const pages: any[] = [];
  const first = `${path}${path.includes('?') ? '&' : '?'}limit=${limit}`;
  for (let next: string | undefined = first; next !== undefined;) {
    const page: any = await get(next);
    pages.push(page);
    next = page.meta.nextCursor === undefined ? undefined : `${first}&after=${page.meta.nextCursor}`;
    if (pages.length > 200) throw new Error('the walk does not end');
  }
  return { rows: pages.flatMap(page => page.data), pages };
}

async function walksWhole(t: Parameters<typeof client>[0], path: string, limits: number[]): Promise<void> {
  const reading = client(t, service);
  const whole = (await reading.get(`${path}${path.includes('?') ? '&' : '?'}limit=1000`)).data;
  for (const limit of limits) {
    const { rows, pages } = await walk(reading, path, limit);
    t.same(rows, whole, `${path} in pages of ${limit}`);
    for (const [i, { data, meta }] of pages.entries()) {
      const last = i === pages.length - 1;
      t.same([meta.total, meta.limit, meta.offset, meta.hasMore, data.length],
        [whole.length, limit, 0, !last, last ? whole.length - i * limit : limit]);
    }
  }
}

test('without an order', t => walksWhole(t, 'events', [7, 60]));

test('in mixed directions with NULLs on either side', async t => {
  for (const direction of ['asc', 'desc']) {
    for (const nulls of ['first', 'last']) await walksWhole(t, `events?orderBy=a:${direction}:${nulls}`, [7]);
  }
  await walksWhole(t, `events?${query({
    orderBy: [{ field: 'a', direction: 'desc', nulls: 'last' }, { field: 'b', nulls: 'first' }, { field: 'flag', direction: 'desc' }],
  })}`, [4]);
  await walksWhole(t, `events?${query({ orderBy: ['mood:desc', 'price', 'id'] })}`, [9]);
  await walksWhole(t, `events?${query({ orderBy: ['a', 'a:desc', 'b'] })}`, [11]);
});

test('by every type, ties and special values included', async t => {
  for (const field of ['at', 'price', 'ratio', 'mood', 'span', 'ints', 'bits', 'code']) {
    await walksWhole(t, `events?orderBy=${field}:desc:last`, [8]);
  }
});

test('microseconds count, though milliseconds show', async t => {
  const { rows } = await walk(client(t, service), 'events?orderBy=at', 1);
  t.equal(new Set(rows.map(row => row.id)).size, 60);
});

test('with filters, with fields that leave the sort column out, over nested groups', async t => {
  await walksWhole(t, `events?${query({ orderBy: ['at:desc', 'a'], or: '(a.gte.2,b.isnull.)', flag: 'isnull.' })}`, [3]);
  await walksWhole(t, 'events?orderBy=price:desc&fields=b', [13]);
});

test('composite keys', async t => {
  await walksWhole(t, 'seats', [5]);
  await walksWhole(t, 'seats?orderBy=line', [5]);
  await walksWhole(t, `seats?${query({ orderBy: ['taken', 'seat:desc'] })}`, [5]);
});

test('a view whose key may be NULL', async t => {
  await walksWhole(t, 'calendar', [1, 5]);
  await walksWhole(t, 'calendar?orderBy=a:desc', [1, 5]);
  await walksWhole(t, 'calendar?orderBy=id', [1, 5]);
});

test('a request without an order goes on in the cursor\'s', async t => {
  const { get } = client(t, service);
  const first = await get('events?orderBy=a:desc:last&limit=10');
  const explicit = await get(`events?orderBy=a:desc:last&limit=10&after=${first.meta.nextCursor}`);
  const adopted = await get(`events?limit=10&after=${first.meta.nextCursor}`);
  t.same(adopted.data, explicit.data);
  t.equal(adopted.meta.total, 60, 'the total is of the whole filtered set');
});

test('a page goes on after a row that is gone meanwhile', async t => {
  const { get } = client(t, service);
  const first = await get('doomed?orderBy=rank&limit=4');
  const last = first.data.at(-1).id;
  await service.sql`delete from doomed where id = ${last}`;
  const second = await get(`doomed?limit=4&after=${first.meta.nextCursor}`);
  const [whole] = await service.sql`select array_agg(id order by rank, id desc) as ids from doomed`;
  t.same([...first.data.slice(0, -1), ...second.data].map(row => row.id), whole?.['ids'].slice(0, 7));
});

test('offset and page', async t => {
  const { get, column } = client(t, service);
  const second = await get('events?orderBy=id&limit=10&offset=10');
  t.same([second.data[0].id, second.meta], [11, { ...second.meta, total: 60, limit: 10, offset: 10, hasMore: true }]);
  t.same(await get('events?orderBy=id&limit=10&page=2'), second);
  t.same(await column('events?orderBy=id&page=2'), [51, 52, 53, 54, 55, 56, 57, 58, 59, 60]);
  t.equal((await get('events?orderBy=id&limit=10&page=3&offset=1')).meta.offset, 20, 'page stands above offset');
  t.match((await get('events?offset=60')), { data: [], meta: { total: 60, offset: 60, hasMore: false } });
  t.match((await get('events?offset=9007199254740991')), { data: [], meta: { total: 60, hasMore: false } });
  t.match((await get('events?limit=60')).meta, { total: 60, hasMore: false, offset: 0 });
  t.notOk('nextCursor' in (await get('events?limit=60')).meta);
  t.match((await get('events?a=99')), { data: [], meta: { total: 0, limit: 50, offset: 0, hasMore: false } });
});

test('the default limit is 50, the greatest 1000; each from 1 on has the same statement in SQL', async t => {
  const { get } = client(t, service);
  t.equal((await get('events')).data.length, 50);
  t.equal((await get('events?limit=1000')).data.length, 60);
  const [row] = await service.sql`select array_agg((service_private.hoist(json_build_object('op',
    'list', 'path', array['events'], 'limit', n))).shape -> 'limit' ->> 'bucket' order by n) as buckets from generate_series(1, 1000) n`;
  t.same(row?.['buckets'], Array.from({ length: 1000 }, (_, i) => String(2 ** Math.floor(Math.log2(i + 1) + 1))));
});

test('Prefer: count=none and count=estimated', async t => {
  const { get } = client(t, service);
  t.notOk('total' in (await get('events?limit=5', 'count=none')).meta);
  t.equal((await get('events?limit=5', 'count=estimated')).meta.total, 60);
  const next = (await get('events?limit=5', 'count=none')).meta.nextCursor;
  t.notOk('total' in (await get(`events?limit=5&after=${next}`, 'count=none')).meta);
});

test('an estimate is never less than what has been seen', async t => {
  const { get } = await reader(t, { template: 'served', setup: `create table many (id integer primary key);
    insert into many select generate_series(1, 12000); ${open('many')}` });
  const estimate = async (rest: string) => (await get(`many?limit=3&${rest}`, 'count=estimated')).meta.total;
  t.equal(await estimate(''), 10_001);
  t.equal(await estimate('offset=11000'), 11_004, 'the page and the row after it');
  t.equal(await estimate('offset=11997'), 12_000);
  t.equal(await estimate('offset=11998'), 12_000);
  t.equal(await estimate('offset=20000'), 10_001, 'nothing is seen past the end');
});

test('a cursor that this service did not issue for this collection is refused', async t => {
  const { get, refuses } = client(t, service);
  const cursor = (await get('events?orderBy=a:desc&limit=5')).meta.nextCursor as string;
  const [payload = '', signature = ''] = cursor.split('.');
  const said = JSON.parse(Buffer.from(payload, 'base64url').toString());
  const forged = (change: object, sign = signature) =>
    `${Buffer.from(JSON.stringify({ ...said, ...change })).toString('base64url')}.${sign}`;
  const strange = [
    forged({ v: ['2', '1'] }), forged({ v: [null, '1'] }), forged({ k: [] , v: ['7'] }), forged({ k: [['nothing', 'asc', 'last']] }),
    forged({ k: [['ints', 'asc', 'last']] }), forged({ v: [...said.v, 'more'] }), forged({}, 'AAAAAAAAAAAAAAAAAAAAAA'),
    `${payload}.${signature.slice(1)}`, `${payload}.`, payload, 'garbage', 'a.b', `${cursor}.x`,
  ];
  for (const after of strange) await refuses(`events?after=${after}`, 400, 'INVALID_CURSOR');
  const foreign = (await get('seats?orderBy=line&limit=2')).meta.nextCursor;
  await refuses(`events?after=${foreign}`, 400, 'INVALID_CURSOR');
  const plain = (await get('doomed?limit=2')).meta.nextCursor;
  await refuses(`events?after=${plain}`, 400, 'INVALID_CURSOR');
});

test('a cursor of another order, with an offset, or by score', async t => {
  const { get, refuses } = client(t, service);
  const after = (await get('events?orderBy=a:desc&limit=5')).meta.nextCursor;
  for (const orderBy of ['a', 'a:desc:last', 'b:desc', '["a:desc","id"]']) {
    await refuses(`events?after=${after}&orderBy=${orderBy}`, 400, 'CURSOR_ORDER_MISMATCH');
  }
  t.equal((await get(`events?after=${after}&orderBy=a:desc:first&limit=5`)).data.length, 5,
    'the default placement spelled out is the same order');
  for (const other of ['offset=0', 'page=1']) await refuses(`events?after=${after}&${other}`, 400, 'CURSOR_WITH_OFFSET');
  await refuses(`events?after=${after}&orderBy=_score`, 400, 'SCORE_CURSOR_UNSUPPORTED');
});

test('a cursor opens no rows to another caller', async t => {
  const even = client(t, service, await user('even'));
  const odd = client(t, service, await user('odd'));
  const first = await even.get('secrets?limit=3');
  t.same(first.data.map((row: any) => row.id), [20, 18, 16]);
  t.same(await odd.column(`secrets?limit=3&after=${first.meta.nextCursor}`), [15, 13, 11]);
  t.equal(first.meta.total, 10);
});

test('limit, offset and page are refused, never clamped', async t => {
  const { refuses } = client(t, service);
  for (const path of ['events', 'events/count', 'events/1']) {
    for (const limit of ['0', '-1', '1.5', 'x', '1001', '1e2', '+5']) {
      await refuses(`${path}?limit=${encodeURIComponent(limit)}`, 400, 'INVALID_LIMIT');
    }
    for (const offset of ['-1', '1.5', 'x', '9007199254740992']) await refuses(`${path}?offset=${offset}`, 400, 'INVALID_OFFSET');
    for (const page of ['0', '-1', '1.5', 'x']) await refuses(`${path}?page=${page}`, 400, 'INVALID_PAGE');
  }
});
