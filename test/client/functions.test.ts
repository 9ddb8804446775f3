import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { test } from 'tap';
import { typesFile, type Contract } from '../../gateway/features/meta/types/file.ts';
import { callFunction, createClient, fetchFunction, type Client, type Facts } from '../../client/src/index.ts';
import { serviceWith } from '../functions/library.ts';
import { serveFunctions } from '../functions/serve.ts';
import { leaveOut } from '../harness/answers.ts';
import { ROOT } from '../harness/server.ts';
import { SERVICE_KEY } from '../harness/service.ts';
import { checker } from './compiler.ts';
import { refusal } from './service.ts';
import { schema, type Schema } from './store.types.ts';

const FUNCTIONS = Object.entries({
  nothing: `(left_out text default '') returns void language sql volatile as ''`,
  exact: `(a numeric) returns numeric language sql immutable as 'select a'`,
  exacts: `(variadic "limit" bigint[] default '{}') returns bigint[] language sql immutable as 'select "limit"'`,
  flag: `(on_day date) returns boolean language sql stable as 'select on_day = ''2026-01-02'''`,
  echo: `(jsonb) returns jsonb language sql immutable as 'select $1'`,
  pair_of: `(a integer) returns app.pair language sql stable as 'select a, ''x'' where a > 0'`,
  sums: `(at_least numeric default 0) returns table (title text, total numeric) language sql stable as
    'select title, pages * 1.50 from public.books where pages >= at_least'`,
  thick: `(at_least integer) returns setof public.books language sql stable as 'select * from public.books where pages >= at_least'`,
  book: `(wanted integer) returns public.books language sql stable as 'select * from public.books where id = wanted'`,
  write_one: `(named text) returns public.books language sql volatile as
    'insert into public.books (title, owner_uid) values (named, ''u1'') returning *'`,
}).map(([name, text]) => `create function app.${name}${text}; comment on function app.${name} is '@endpoint';`).join('\n');

const USES = `
  import { callFunction, type Client } from '${join(ROOT, 'client/src/index.ts')}';
  import { expectTypeOf } from 'expect-type';
  import { type Schema, type Json, type Book, type Author } from './rowgate.types.ts';
  export async function uses(db: Client<Schema>): Promise<void> {
    const nothing = await callFunction(db, 'nothing', {});
    expectTypeOf<typeof nothing>().toEqualTypeOf<undefined>();
    const exact = await callFunction(db, 'exact', { a: 1n });
    expectTypeOf<typeof exact>().toEqualTypeOf<string | null>();
    const exacts = await callFunction(db, 'exacts', { limit: [1, '2'] });
    expectTypeOf<typeof exacts>().toEqualTypeOf<string[] | null>();
    const echo = await callFunction(db, 'echo', [1]);
    expectTypeOf<typeof echo>().toEqualTypeOf<Json | null>();
    const pair = await callFunction(db, 'pair_of', { a: 1 });
    expectTypeOf<typeof pair>().toEqualTypeOf<{ a: number | null; b: string | null } | null>();
    const sums = await callFunction(db, 'sums', {}, { where: { total: ['>', '1.5'] }, fields: ['total'] });
    expectTypeOf<(typeof sums.data)[number]>().toEqualTypeOf<{ total: string | null }>();
    const thick = await callFunction(db, 'thick', { atLeast: 1 }, { fields: ['title'], include: { author: { fields: ['name'] } } });
    expectTypeOf<(typeof thick.data)[number]['author']>().toEqualTypeOf<{ id: number; name: string } | null>();
    const whole = await callFunction(db, 'thick', { atLeast: 1 });
    expectTypeOf<(typeof whole.data)[number]>().toEqualTypeOf<Book>();
    const book = await callFunction(db, 'book', { wanted: 1 }, { include: { author: true } });
    expectTypeOf<NonNullable<typeof book>['author']>().toEqualTypeOf<Author | null>();
    // @ts-expect-error no fields of a value
    await callFunction(db, 'exact', { a: 1 }, { fields: ['a'] });
    // @ts-expect-error one row has no limit
    await callFunction(db, 'book', { wanted: 1 }, { limit: 1 });
    // @ts-expect-error not selected
    thick.data[0]?.pages;
  }`;

type Any = Record<string, any>;

test('SQL functions have the types of their arguments and results, and answer with every digit', async t => {
  const service = await serviceWith(t, FUNCTIONS);
  const [row] = await service.sql<{ contract: Contract }[]>`select service.contract() as contract`;
  const folder = t.testdir({ 'rowgate.types.ts': typesFile(row?.contract as Contract), 'uses.ts': USES });
  t.same(checker([join(folder, 'uses.ts')]).complaints, []);

  const { schema } = await import(pathToFileURL(join(folder, 'rowgate.types.ts')).href) as { schema: Facts };
  const db = createClient({ url: service.address, schema, token: SERVICE_KEY, warn: () => undefined }) as unknown as Client<any>;
  const call = callFunction as unknown as (db: Client<any>, name: string, args: unknown, query?: Any) => Promise<any>;
  t.equal(await call(db, 'nothing', {}), undefined);
  t.equal(await call(db, 'exact', { a: '12345678901234567890.10' }), '12345678901234567890.10');
  t.equal(await call(db, 'exact', { a: null }), null);
  t.same(await call(db, 'exacts', { limit: ['9007199254740993', 0n] }), ['9007199254740993', '0'],
    'an argument may be named like a word of the grammar');
  t.equal(await call(db, 'flag', { onDay: new Date('2026-01-02') }), true);
  t.equal(await call(db, 'flag', { onDay: '2026-01-03' }), false);
  for (const value of [0, '', null, false, [1.5], { value: 1, data: [{ value: 2 }] }]) t.same(await call(db, 'echo', value), value);
  t.same(await call(db, 'pair_of', { a: 1 }), { a: 1, b: 'x' });
  t.equal(await call(db, 'pair_of', { a: 0 }), null);
  t.same((await call(db, 'sums', { atLeast: 190 }, { orderBy: [{ field: 'total', direction: 'desc' }], fields: ['total'] })),
    { data: [{ total: '300.00' }, { total: '285.00' }], meta: { total: 2, limit: 50, offset: 0, hasMore: false } });
  t.match(await call(db, 'thick', { atLeast: 190 }, { where: { 'author.name': 'Ada' }, fields: ['title'], include: { author: true } }),
    { data: [{ title: 'book 20', author: { name: 'Ada' } }] });
  const orderBy = [{ field: 'id' }];
  const { meta } = await call(db, 'thick', { atLeast: 100 }, { limit: 3, count: 'none', orderBy });
  t.same(Object.keys(meta), ['limit', 'offset', 'hasMore', 'nextCursor']);
  t.equal((await call(db, 'thick', { atLeast: 100 }, { limit: 3, orderBy, after: meta.nextCursor })).data[0]?.title, 'book 13');
  t.match(await call(db, 'book', { wanted: 3 }, { fields: ['title'], include: { author: true } }),
    { title: 'book 3', author: { name: 'Bo' } });
  t.equal(await call(db, 'book', { wanted: 99 }), null);
  t.same(await refusal(call(db, 'thick', {})), ['VALIDATION_CONSTRAINT', 400]);
  t.same(await refusal(call(db, 'nowhere', {})), ['FUNCTION_NOT_FOUND', 404]);
  t.same(await refusal(call(db, '../data/books', {})), ['FUNCTION_NOT_FOUND', 404], 'a name stays a name');
  t.same(await refusal(call(db, 'thick', { atLeast: Number.NaN })), ['INVALID_INPUT', 0]);

  const tries: Record<string, number> = {};
  const losing = createClient({ url: service.address, schema, token: SERVICE_KEY, warn: () => undefined, async fetch(url, init) {
    const response = await fetch(url, init);
    const name = new URL(url).pathname.split('/').at(-1) ?? '';
    tries[name] = (tries[name] ?? 0) + 1;
    if (tries[name] === 1) throw new TypeError('The answer is lost.');
    return response;
  } }) as unknown as Client<any>;
  t.equal((await call(losing, 'thick', { atLeast: 190 })).data.length, 2, 'a function that reads is called again');
  t.same(await refusal(call(losing, 'write_one', { named: 'once' })), ['NETWORK', 0]);
  t.match(tries, { thick: 2, write_one: 1 });
  t.equal((await service.sql`select from books where title = 'once'`).length, 1, 'another is done once');
});

test('routes of function files answer as they are, and refuse with their codes', async t => {
  const { address } = await serveFunctions(t, { 'stock.ts': `
    import { ApiError, defineFunction, getUserId, requireAuth } from 'rowgate/functions';
    let calls = 0;
    export default defineFunction(app => {
      app.get('/low', requireAuth, c => c.json({ most: c.req.query('most'), uid: getUserId(c), sent: c.req.header('x-sent') ?? null }));
      app.post('/count', async c => c.text((await c.req.text()) + ++calls));
      app.get('/stream', c => c.body(new ReadableStream({ async pull(to) { to.enqueue(new TextEncoder().encode('a')); to.close(); } })));
      app.get('/a b', c => c.text('spaced'));
      app.get('/bad', () => { throw new ApiError(409, 'SOLD_OUT', 'None is left.', { left: 0 }); });
      app.get('/plain', c => c.text('no', 418));
    });` });
  leaveOut(Number(new URL(address).port)); // a code of its author's own
  const db = createClient<Schema>({ url: address, schema, token: SERVICE_KEY, warn: () => undefined });
  const low = await fetchFunction(db, 'stock/low', { query: { most: '5 & 6' }, headers: { 'x-sent': 'yes' } });
  t.same(await low.json(), { most: '5 & 6', uid: 'service', sent: 'yes' });
  const visitor = createClient<Schema>({ url: address, schema, warn: () => undefined });
  t.same(await refusal(fetchFunction(visitor, 'stock/low')), ['UNAUTHORIZED', 401]);
  t.equal(await (await fetchFunction(visitor, '/stock/count', { method: 'POST', body: 'call ' })).text(), 'call 1');
  t.equal(await (await fetchFunction(visitor, 'stock/stream')).text(), 'a');
  t.equal(await (await fetchFunction(visitor, 'stock/a b')).text(), 'spaced');
  t.match(await fetchFunction(db, 'stock/bad').catch((error: unknown) => error),
    { code: 'SOLD_OUT', status: 409, message: 'None is left.', details: { left: 0 } });
  t.match(await fetchFunction(db, 'stock/plain').catch((error: unknown) => error), { code: 'NETWORK', status: 418 });
  const auth = { token: () => Promise.resolve('none'), refused: () => Promise.resolve(true) };
  const stale = createClient<Schema>({ url: address, schema, auth, warn: () => undefined });
  const once = { method: 'POST', body: new Blob(['x']).stream(), duplex: 'half' } as const;
  t.same(await refusal(fetchFunction(stale, 'stock/count', once)), ['UNAUTHORIZED', 401], 'a stream cannot be sent again');
  t.same(await refusal(fetchFunction(db, 'stock/../../data/tags')), ['INVALID_INPUT', 0], 'a path stays below the functions');
});
