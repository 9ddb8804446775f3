import t, { test } from 'tap';
import postgres from 'postgres';
import { createDatabase } from '../harness/database.ts';
import { lendService } from '../harness/lend.ts';
import { openService, schema } from '../harness/service.ts';
import { migrate } from '../../gateway/start/migrate.ts';
import { library } from './library.ts';

const { sql, request } = await lendService(t, { template: 'served', setup: library });

const asked = async (text: string) => (await sql.unsafe(text))[0]?.['answer'];
const refusal = (text: string) => sql.unsafe(text).then(() => undefined,
  (error: unknown) => [(error as postgres.PostgresError).code, (error as postgres.PostgresError).hint]);

test('a list, a row and a count as the API answers them to the service key', async t => {
  t.same(await asked(`select service.list('books', '{"where":{"authorId":["==",1]},"limit":2}') as answer`),
    (await request('/data/books?authorId=1&limit=2')).body);
  t.same(await asked(`select service.list('books') as answer`), (await request('/data/books')).body);
  t.same(await asked(`select service.get('books', '1', '{"include":["author","tags"]}') as answer`),
    (await request('/data/books/1?include=author,tags')).body);
  t.same(await asked(`select service.count('books', '{"where":{"pages":[[">",50],["<",300]]}}') as answer`),
    (await request('/data/books/count?pages=gt.50&pages=lt.300')).body);
  t.equal(await asked(`select service.get('books', '99') as answer`), null);
});

test('the claims are the third argument', async t => {
  const ids = async (claims: string) =>
    (await asked(`select service.list('books', '{"fields":["id"]}', '${claims}') as answer`)).data.map((row: any) => row.id);
  t.same(await ids('{"uid": "u", "roles": "admin"}'), [5, 4, 3, 2, 1]);
  for (const claims of ['{"uid": "u", "roles": "editor"}', '{"uid": "u"}', '{}', '{"uid": "anonymous", "roles": "admin"}']) {
    t.same(await ids(claims), [5, 4, 2, 1], claims);
  }
  t.equal(await asked(`select service.get('books', '3', '{}', '{"uid": "u"}') as answer`), null);
  t.same(await asked(`select service.count('books', '{}', '{"uid": "u"}') as answer`), { count: 4 });
});

test('a DBA writes conditions, groups, order and pages', async t => {
  const ids = async (request: object) => (await asked(`select service.list('books', '${JSON.stringify(request).replaceAll('\'',
    '\'\'')}') as answer`)).data.map((row: any) => row.id);
  t.same(await ids({ where: { id: ['in', [1, 2, 9]] }, orderBy: [{ field: 'id' }] }), [1, 2]);
  t.same(await ids({ where: { id: ['in', 2] } }), [2]);
  t.same(await ids({ where: { tags: ['array-contains-any', 1] } }), [2, 1]);
  t.same(await ids({ where: { pages: ['==', null] } }), [4]);
  t.same(await ids({ logical: { type: 'not', conditions: [{ column: 'pages', operator: '>', value: 50 }] } }), [5, 4]);
  t.same(await ids({ orderBy: [{ field: 'pages', direction: 'desc', nulls: 'last' }], limit: 2, offset: 1 }), [2, 1]);
  const first = await asked(`select service.list('books', '{"limit":2}') as answer`);
  t.same(await ids({ limit: 2, after: first.meta.nextCursor }), [3, 2]);
  t.same((await asked(`select service.list('books', '{"count":"none"}') as answer`)).meta, { limit: 50, offset: 0, hasMore: false });
});

test('mistakes of a DBA in psql', async t => {
  const list = (request: string) => refusal(`select service.list('books', '${request}')`);
  t.same(await list('{"wher":{}}'), ['GW400', 'INVALID_PARAM']);
  t.same(await list('{"page":2}'), ['GW400', 'INVALID_PARAM']);
  t.same(await list('{"limit":0}'), ['GW400', 'INVALID_LIMIT']);
  t.same(await list('{"offset":-1}'), ['GW400', 'INVALID_OFFSET']);
  t.same(await list('{"where":{"nothing":["==",1]}}'), ['GW400', 'UNKNOWN_FILTER_FIELD']);
  t.same(await list('{"where":{"id":["is",1]}}'), ['GW400', 'UNKNOWN_FILTER_OPERATOR']);
  t.same(await list('{"where":{"id":["==",[1,2]]}}'), ['GW400', 'INVALID_WHERE']);
  t.same(await list('{"where":{"id":["=="]}}'), ['GW400', 'INVALID_WHERE']);
  t.same(await list('{"where":{"id":1}}'), ['GW400', 'INVALID_WHERE']);
  t.same(await list('{"where":{"id":["in",[1,null]]}}'), ['GW400', 'INVALID_FILTER_VALUE']);
  t.same(await list('{"where":{"attributes->a":["==",[1]]}}'), ['GW400', 'INVALID_WHERE']);
  t.same(await list('{"logical":{"type":"or","conditions":[]}}'), ['GW400', 'INVALID_LOGICAL_GROUP']);
  t.same(await list('{"logical":{"type":"xor","conditions":[{"column":"id","operator":"==","value":1}]}}'),
    ['GW400', 'INVALID_LOGICAL_GROUP']);
  t.same(await list('{"after":"x"}'), ['GW400', 'INVALID_CURSOR']);
  t.same(await list(`{"after":"${Buffer.from('{"k":5,"v":[]}').toString('base64url')}.x"}`), ['GW400', 'INVALID_CURSOR']);
  const { meta } = await asked(`select service.list('books', '{"limit":2,"orderBy":[{"field":"pages"}]}') as answer`);
  t.same(await list(`{"after":"${meta.nextCursor}","orderBy":[{"field":"title"}]}`), ['GW400', 'CURSOR_ORDER_MISMATCH']);
  t.same(await list(`{"after":"${meta.nextCursor}","offset":1}`), ['GW400', 'CURSOR_WITH_OFFSET']);
  t.same(await refusal(`select service.list('nothing')`), ['GW404', 'NOT_FOUND']);
  t.same(await refusal(`select service.get('books', 'x')`), ['22P02', undefined]);
});

test('explain shows the statement and its plan, as the caller', async t => {
  const lines = (await sql`select service.explain('books', '{"where":{"id":["==",1]}}', '{"uid":"u"}') as line`).map(row =>
    row['line'] as string);
  const [{ statement } = { statement: '' }] = await sql<{ statement: string }[]>`select
    (service.compile((service_private.hoist('{"op":"list","path":["books"],"where":{"id":["==",1]}}')).shape, '{}')).statement`;
  const plan = lines.findIndex(line => /\(cost=/.test(line));
  t.equal(lines.slice(0, plan).join('\n'), statement);
  t.ok(plan > 40 && Math.max(...lines.slice(0, plan).map(({ length }) => length)) < 160, 'in lines that can be read');
  t.ok(lines.some(line => line.includes('on books t')) && lines.some(line => /actual time/.test(line))
    && lines.some(line => line.includes('NOT secret')), 'row security stands in the plan');
});

test('a transaction goes on as it was', async t => {
  await sql.begin(async transaction => {
    await transaction`select set_config('app.uid', 'before', true), set_config('timezone', 'Asia/Tokyo', true)`;
    const state = () => transaction`select current_user, session_user, current_setting('role') as role,
      service.uid() as uid, service.roles() as roles, current_setting('timezone') as zone, current_setting('datestyle') as style,
      current_setting('transaction_read_only') as read_only,
      (select count(*) from pg_prepared_statements where name = 'service_run') as prepared`;
    const before = await state();
    await transaction`select service.list('books', '{}', '{"uid":"u","roles":"editor"}')`;
    await transaction`select service.get('books', '1')`;
    t.same(await state(), before);
    await transaction.savepoint(async point => {
      await t.rejects(point.savepoint(inner => inner`select service.list('books', '{"where":{"id":["==","x"]}}')`), { code: '22P02' });
      t.same(await state(), before, 'after a refusal too');
    });
    await transaction`insert into tags values (4, 'still an owner')`;
  });
  const [after] = await sql`select service.uid() as uid`;
  t.ok(after?.['uid'] === null);
});

test('many answers in one statement, each its own', async t => {
  const rows = await sql<{ id: number; answer: any }[]>`select id, service.get('books', id::text, '{"fields":["title"]}') as answer
    from generate_series(1, 5) id`;
  t.same(rows.map(({ answer }) => answer.title), ['Tea', 'Coffee', 'Hidden', 'Milk', 'Orphan']);
});

test('an owner who is no superuser reads the same', async t => {
  const { url, name, sql: admin } = await createDatabase(t);
  const owner = `${name}_owner`;
  await admin.unsafe(`
    create role "${owner}" login password 'owner' createrole;
    alter database "${name}" owner to "${owner}";
    alter schema public owner to "${owner}";
    do $$ begin create role service_user nologin noinherit; exception when duplicate_object then null; end $$;
    grant service_user to "${owner}" with admin option;`).simple();
  t.teardown(async () => {
    await admin.unsafe(`drop owned by "${owner}" cascade; alter database "${name}" owner to current_user;
      drop role if exists "${name}_reader", "${name}_writer"; drop role "${owner}"`).simple();
    await admin.end();
  });
  const ownerUrl = Object.assign(new URL(url), { username: owner, password: 'owner' }).href;
  const mine = postgres(ownerUrl, { onnotice: () => undefined, max: 1 });
  await migrate(mine, schema);
  await mine.unsafe(library).simple();
  const service = await openService(ownerUrl);
  try {
    const [row] = await mine`select current_setting('is_superuser') as superuser, service.list('books', '{"include":["author"]}') as answer,
      service.list('books', '{}', '{"uid":"u"}') as seen`;
    t.equal(row?.['superuser'], 'off');
    t.same(row?.['answer'], (await service.request('/data/books?include=author')).body);
    t.equal(row?.['seen'].meta.total, 4);
    t.equal((await mine`select current_setting('role') as role`)[0]?.['role'], 'none');
  } finally {
    await service.close();
    await mine.end();
  }
});
