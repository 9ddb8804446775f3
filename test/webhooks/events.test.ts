// Which changes of rows are events, and what is told of them, whatever writes. Read from the jobs that the triggers enqueue.
import type postgres from 'postgres';
import { test, type Test } from 'tap';
import { createDatabase } from '../harness/database.ts';
import '../harness/service.ts'; // registers the template
import { told } from './receiver.ts';

const ALL = ['INSERT', 'UPDATE', 'DELETE'];

/** A database whose tables tell these webhooks, as a start makes it. `use` takes others. */
async function hooked(t: Test, setup: string, ...webhooks: object[]) {
  const { sql } = await createDatabase(t, { template: 'served' });
  await sql.unsafe(setup).simple();
  const use = async (...given: object[]) => {
    const full = given.map((one, i) => ({ id: `hook ${i}`, events: ALL, ordered: false, maxAttempts: 3, enabled: true, ...one }));
    const problems = await sql`select * from service_private.use_webhooks(${JSON.stringify(full)}::text::jsonb)`;
    if (problems.length > 0) throw new Error(JSON.stringify(problems));
    await makeTriggers(sql);
  };
  await use(...webhooks);
  return { sql, use, told: () => told(sql) };
}

async function makeTriggers(sql: postgres.Sql): Promise<void> {
  await sql`select service_private.resolve_webhooks()`;
  for (const { statement } of await sql<{ statement: string }[]>`select statement from service_private.plan_webhooks()`) {
    await sql.unsafe(statement);
  }
  if ((await sql`select from service_private.plan_webhooks()`).length > 0) throw new Error('The plan does not lead to what it plans.');
}

const NOTES = 'create table notes (id integer primary key, title text, body text, n numeric, at timestamptz)';

test('every writer is told of: INSERT, UPDATE, DELETE, upserts, COPY, MERGE, and what a cascade does', async t => {
  const { sql, told } = await hooked(t, `${NOTES};
    create table replies (id integer primary key, note integer references notes on delete cascade on update cascade);`,
  { table: 'notes' }, { table: 'public.replies' });
  await sql`insert into notes (id, title) values (1, 'one'), (2, 'two')`;
  t.match(await told(), [
    { type: 'INSERT', table: 'notes', schema: 'public', record: { id: 1, title: 'one', body: null } },
    { type: 'INSERT', record: { id: 2 } },
  ]);
  await sql`update notes set title = 'uno' where id = 1`;
  const [update] = await told();
  t.match(update, { type: 'UPDATE', record: { id: 1, title: 'uno' }, old_record: { id: 1, title: 'one' } });
  t.same(Object.keys(update ?? {}), ['type', 'table', 'record', 'old_record', 'schema', 'timestamp']);
  await sql`insert into notes (id, title) values (1, 'again'), (3, 'three') on conflict (id) do update set title = excluded.title`;
  t.match((await told()).map(({ type, record }) => [type, record.title]).sort(), [['INSERT', 'three'], ['UPDATE', 'again']]);
  const copying = await sql`copy notes (id, title) from stdin`.writable();
  await new Promise<void>((resolve, reject) => { copying.on('finish', resolve).on('error', reject).end('4\tcopied\n5\tcopied too\n'); });
  t.match(await told(), [{ type: 'INSERT', record: { id: 4, title: 'copied' } }, { type: 'INSERT', record: { id: 5 } }]);
  await sql`merge into notes using (values (5), (6)) v (id) on notes.id = v.id
    when matched then delete when not matched then insert (id) values (v.id)`;
  t.match((await told()).map(({ type, record }) => [type, record.id]).sort(), [['DELETE', 5], ['INSERT', 6]]);
  await sql`insert into replies values (10, 1), (11, 1)`;
  await told();
  await sql`update notes set id = 7 where id = 1`;
  t.match((await told()).map(({ type, table, record }) => [type, table, record.note ?? record.id]).sort(),
    [['UPDATE', 'notes', 7], ['UPDATE', 'replies', 7], ['UPDATE', 'replies', 7]]);
  await sql`delete from notes where id = 7`;
  const deleted = await told();
  t.match(deleted.map(({ type, table, record }) => [type, table, record.id]).sort(),
    [['DELETE', 'notes', 7], ['DELETE', 'replies', 10], ['DELETE', 'replies', 11]]);
  t.notOk(deleted.some(event => 'old_record' in event), 'the deleted row is the record');
  await sql`truncate notes cascade`;
  t.same(await told(), [], 'TRUNCATE looks at no row, and tells of none');
});

test('a rollback takes its events along, a savepoint those behind it', async t => {
  const { sql, told } = await hooked(t, NOTES, { table: 'notes' });
  await sql.begin(async transaction => {
    await transaction`insert into notes values (1)`;
    await transaction.savepoint(async inside => {
      await inside`insert into notes values (2)`;
      throw new Error('undone');
    }).catch(() => undefined);
    await transaction`insert into notes values (3)`;
  });
  await sql.begin(async transaction => {
    await transaction`insert into notes values (4)`;
    throw new Error('undone');
  }).catch(() => undefined);
  t.same((await told()).map(({ record }) => record.id as number), [1, 3]);
});

test('each webhook is told of its own events, and a disabled one of none', async t => {
  const { sql, told, use } = await hooked(t, `${NOTES}; create table others (id integer)`,
    { table: 'notes', events: ['DELETE'] }, { table: 'notes', events: ['INSERT', 'UPDATE'] }, { table: 'others', enabled: false });
  await sql`insert into notes values (1)`;
  await sql`insert into others values (1)`;
  await sql`delete from notes`;
  t.same((await told()).map(({ type }) => type as string), ['INSERT', 'DELETE']);
  t.match(await sql`select tgrelid::regclass::text as name from pg_trigger where tgname = '_950_webhook'`, [{ name: 'notes' }],
    'and its table has no trigger');
  await use();
  t.same([...await sql`select from pg_trigger where tgname = '_950_webhook'`], [], 'none is left where no webhook is');
});

test('an update that changes nothing of what is sent is no event', async t => {
  const { sql, told, use } = await hooked(t, NOTES, { table: 'notes', excludeColumns: ['body'] });
  await sql`insert into notes values (1, 'one', 'secret', 1.0, '2026-01-01T00:00:00Z')`;
  t.notMatch(JSON.stringify(await told()), /secret|body/);
  await sql`update notes set title = title`;
  await sql`update notes set body = 'another secret'`;
  t.same(await told(), []);
  await sql`update notes set n = 1.00`;
  t.match(JSON.stringify(await told()), /"n":1/, 'the text of a number has changed');
  await sql`update notes set title = 'two', body = 'third'`;
  t.same((await told()).map(({ record, old_record: old }) => [record.title, old.title, 'body' in record, 'body' in old] as unknown),
    [['two', 'one', false, false]]);
  await sql`delete from notes`;
  t.notMatch(JSON.stringify(await told()), /third|body/);
  await use({ table: 'notes', columns: ['title', 'n'], excludeColumns: ['body'] });
  await sql`insert into notes values (1, 'one')`;
  t.equal((await told()).length, 1, 'columns narrow updates alone');
  await sql`update notes set at = now()`;
  await sql`update notes set body = 'x'`;
  t.same(await told(), []);
  await sql`update notes set n = 3, at = null`;
  t.match(await told(), [{ type: 'UPDATE', record: { n: 3, at: null, title: 'one' } }], 'with all the others');
  await sql`update notes set n = null`;
  t.match(await told(), [{ record: { n: null } }]);
});

test('rows are as to_jsonb shows them, the same for every writer', async t => {
  const { sql, told } = await hooked(t, `
    create type mood as enum ('sad', 'happy'); create type pair as (a integer, b text);
    create table things (id bigint, "Big Name" numeric, t timestamptz, i interval, b bytea, j jsonb, raw json, m mood, p pair, l text[],
      f double precision, d date)`,
  { table: 'things' });
  const insert = (j: string, raw: string) => `insert into things values (9007199254740993, 0.10, '2026-01-31 12:00:00+02', '1 day 2 hours',
    '\\x00ff', '${j}', '${raw}', 'happy', row(1, 'x'), '{a,"b c"}', 'Infinity', 'infinity')`;
  await sql.unsafe(insert('{"b": 1, "a": [null]}', '{"b":1,"a":2}'));
  await sql.begin(async transaction => {
    await transaction.unsafe(`
      set local timezone = 'Asia/Tokyo';
      set local intervalstyle = 'iso_8601';
      set local bytea_output = 'escape'`).simple();
    await transaction.unsafe(insert('{"b": 1, "a": [null]}', '{"b":1,"a":2}'));
  });
  const bodies = (await sql<{ body: string }[]>`select payload ->> 'body' as body from service.jobs order by place`).map(({ body }) =>
    body.replace(/"timestamp".*/, ''));
  t.equal(new Set(bodies).size, 1, 'whatever its session shows');
  const [row] = await sql`select to_jsonb(t)::text as row from things t limit 1`;
  t.ok(bodies[0]?.includes(row?.['row'] as string), 'digit for digit');
  await told();
  await sql.unsafe(insert('1', '{"a":"\\u0000","n":1e999999}'));
  t.match(await told(), [{ record: { raw: '{"a":"\\u0000","n":1e999999}', m: 'happy' } }],
    'a value of type json that jsonb cannot hold is sent as its text, and the write succeeds');
});

test('a row in the trash is none: going there is DELETE, coming back UPDATE, going for good is not told', async t => {
  const { sql, told, use } = await hooked(t, NOTES);
  await sql`alter table notes add column deleted_at timestamptz`;
  await sql`insert into service.collections (slug, source, name, singular_name, schema_name, table_name, key, definition)
    values ('notes', 'file', 'notes', 'note', 'public', 'notes', '{id}', '{"softDelete": {"field": "deletedAt"}}')`;
  await sql`insert into service.properties (collection, name, column_name, position, type, sql_type, not_null, required) values
    ('notes', 'id', 'id', 1, 'number', 'integer', true, true),
    ('notes', 'deletedAt', 'deleted_at', 2, 'date', 'timestamp with time zone', false, false)`;
  await use({ table: 'notes', columns: ['title'] }, { table: 'notes', events: ['DELETE'] });
  await sql`insert into notes values (1, 'one')`;
  t.match(await told(), [{ type: 'INSERT' }]);
  await sql`update notes set deleted_at = now()`;
  t.match(await told(), [{ type: 'DELETE', record: { id: 1, deleted_at: /^\d/ } }, { type: 'DELETE' }]);
  await sql`update notes set title = 'changed in the trash'`;
  t.same(await told(), []);
  await sql`update notes set deleted_at = null`;
  const title = 'changed in the trash';
  t.match(await told(), [{ type: 'UPDATE', record: { title, deleted_at: null }, old_record: { title, deleted_at: /^\d/ } }],
    'though no column changed that it is narrowed to');
  await sql`update notes set deleted_at = now()`;
  await told();
  await sql`delete from notes`;
  t.same(await told(), []);
  await sql`insert into notes (id, deleted_at) values (2, now())`;
  t.same(await told(), [], 'a row that is made in the trash');
  await sql`insert into notes values (3)`;
  await told();
  await sql`delete from notes`;
  t.match((await told()).map(({ record }) => record.id as number), [3, 3], 'past the trash');
});

test('excluded properties of a collection leave no more from the commit on that excludes them', async t => {
  const { sql, told } = await hooked(t, NOTES, { table: 'notes' });
  await sql`insert into notes values (1, 'one', 'open')`;
  t.match(await told(), [{ record: { body: 'open' } }]);
  await sql.begin(async transaction => {
    await transaction`insert into service.collections (slug, source, name, singular_name, schema_name, table_name, key)
      values ('notes', 'introspected', 'notes', 'note', 'public', 'notes', '{id}')`;
    await transaction`insert into service.properties (collection, name, column_name, position, type, sql_type, not_null, required, excluded)
      values ('notes', 'body', 'body', 1, 'string', 'text', false, false, true)`;
    await transaction`update notes set body = 'secret', title = 'two'`;
  });
  t.match(await told(), [{ record: { title: 'two', body: undefined }, old_record: { body: undefined } }]);
});

test('partitions, those that come later, and tables that inherit are told of under the name of the whole', async t => {
  const { sql, told, use } = await hooked(t, `
    create schema shop;
    create table shop.sales (id integer, region text, note text, primary key (id, region)) partition by list (region);
    create table shop.north partition of shop.sales for values in ('north');
    create table shop.south partition of shop.sales for values in ('south') partition by list (id);
    create table shop.south_few partition of shop.south for values in (1, 2);
    create table shop.people (id integer primary key, name text);
    create table shop.staff (wage integer) inherits (shop.people);
    create table shop.bosses () inherits (shop.staff);`,
  { table: 'shop.sales' }, { table: 'shop.people' });
  await sql`insert into shop.sales values (1, 'north'), (1, 'south')`;
  await sql`insert into shop.south_few values (2, 'south')`;
  t.match(await told(), [1, 1, 2].map(id => ({ type: 'INSERT', table: 'sales', schema: 'shop', record: { id } })));
  await sql`create table shop.west partition of shop.sales for values in ('west')`;
  await sql`create table shop.east (note text, region text not null, id integer not null)`;
  await sql`alter table shop.sales attach partition shop.east for values in ('east')`;
  await sql`insert into shop.sales values (3, 'west')`;
  await sql`insert into shop.east (id, region) values (4, 'east')`;
  t.match(await told(), [{ table: 'sales', record: { id: 3 } }, { table: 'sales', record: { id: 4, region: 'east', note: null } }]);
  await sql`update shop.sales set region = 'west' where id = 4`;
  t.match((await told()).map(({ type, record }) => [type, record.region]).sort(), [['DELETE', 'east'], ['INSERT', 'west']],
    'a row that moves to another partition');
  await sql`insert into shop.staff values (1, 'Ada', 100)`;
  await sql`insert into shop.bosses values (2, 'Bob', 200)`;
  t.same((await told()).map(({ table, record }) => [table, record] as unknown),
    [['people', { id: 1, name: 'Ada' }], ['people', { id: 2, name: 'Bob' }]], 'with the columns of the named table alone');
  await sql`update shop.staff set wage = 300`;
  t.same(await told(), []);
  await use({ table: 'shop.north' }, { table: 'shop.staff' });
  await sql`insert into shop.sales values (5, 'north'), (6, 'west')`;
  await sql`insert into shop.people values (3, 'Cid')`;
  await sql`insert into shop.bosses values (4, 'Dee', 400)`;
  t.match(await told(), [{ table: 'north', record: { id: 5 } }, { table: 'staff', record: { id: 4, wage: 400 } }]);
  await use({ table: 'shop.north' }, { table: 'shop.sales' });
  await sql`insert into shop.north values (7, 'north')`;
  t.same((await told()).map(({ table }) => table as string).sort(), ['north', 'sales'], 'both, where both are named');
});

test('a table that is made anew is told of again', async t => {
  const { sql, told } = await hooked(t, NOTES, { table: 'notes' });
  await sql`drop table notes`;
  await sql`select service_private.resolve_webhooks()`;
  t.match(await sql`select name, problem from service_private.plan_webhooks()`,
    [{ name: 'public.notes', problem: 'there is no such table any more' }]);
  await sql.unsafe(NOTES);
  await makeTriggers(sql);
  await sql`insert into notes values (1)`;
  t.equal((await told()).length, 1);
});

test('a queue is a row of an ordered webhook, whatever its key', async t => {
  const { sql, use } = await hooked(t, 'create table keyed (a text, b integer, note text, primary key (a, b))', {
    table: 'keyed', id: 'in order', ordered: true }, { table: 'keyed', id: 'free' });
  const queues = async () => (await sql<{ queue: string | null }[]>`
    with gone as (delete from service.jobs returning place, queue) select queue from gone order by place`).map(({ queue }) => queue);
  await sql`insert into keyed values ('x', 1), ('x,1', 2)`;
  t.same(await queues(), ['service.webhook/in order/{x,1}', null, 'service.webhook/in order/{"x,1",2}', null]);
  await sql`update keyed set note = 'n' where b = 1`;
  await sql`delete from keyed where b = 1`;
  t.same(await queues(), ['service.webhook/in order/{x,1}', null, 'service.webhook/in order/{x,1}', null]);
  await use({ table: 'keyed', id: 'x'.repeat(100), ordered: true });
  await sql`insert into keyed values (repeat('long', 500), 1), (repeat('long', 500), 2)`;
  const [first, second] = await queues();
  t.match([first, second], [/^service\.webhook\/x{100}\/[0-9a-f]{64}$/, /^service\.webhook\/x{100}\/[0-9a-f]{64}$/]);
  t.not(first, second);
});
