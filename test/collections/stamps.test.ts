// Stamps belong to the table: every writer, by the API or SQL, gets them and cannot set them.
import type postgres from 'postgres';
import { test } from 'tap';
import { createWriter, collections, type Writer } from '../write/client.ts';
import { tokenFor } from '../harness/service.ts';
import { plan, provision } from './declared.ts';

const OLD = '2001-01-01T00:00:00.000Z';
const everyone = [{ access: 'public' }];
const id = { type: 'number', isId: 'increment' };
const notes = {
  slug: 'notes',
  properties: {
    id, text: { type: 'string' },
    createdAt: { type: 'date', autoValue: 'on_create' }, updatedAt: { type: 'date', autoValue: 'on_update' },
    createdBy: { type: 'string', autoValue: 'user_on_create' }, updatedBy: { type: 'string', autoValue: 'user_on_update' },
    account: { type: 'string', columnType: 'uuid', autoValue: 'user_on_update' },
    local: { type: 'date', timezone: false, autoValue: 'on_create' }, day: { type: 'date', mode: 'date', autoValue: 'on_update' },
    hour: { type: 'date', columnType: 'time', autoValue: 'on_update' },
    tags: { type: 'relation', relation: { kind: 'manyToMany', target: 'tags', through: {
      properties: { linkedBy: { type: 'string', autoValue: 'user_on_create' }, linkedAt: { type: 'date', autoValue: 'on_create' } },
    } } },
  },
  callbacks: { beforeSave: 'app.forge' },
  securityRules: everyone,
};
const tags = { slug: 'tags', properties: { id, name: { type: 'string' } }, securityRules: everyone };
const FORGE = `create schema app; create function app.forge(op text, old jsonb, new jsonb) returns jsonb language sql
  return '{"created_at": "${OLD}", "updated_at": "${OLD}", "created_by": "eve", "updated_by": "eve"}'::jsonb`;

function open(t: Parameters<typeof createWriter>[0] & Parameters<typeof collections>[0], setup = FORGE): Promise<Writer> {
  return createWriter(t, { template: 'served', setup, env: { SERVICE_COLLECTIONS_DIR: collections(t, notes, tags) } });
}

/** Runs a statement as the restricted role, in a session where this caller has entered. */
async function as(sql: postgres.Sql, uid: string | null, statement: string): Promise<postgres.Row[]> {
  return await sql.begin(async transaction => {
    await transaction`set local role service_user`;
    if (uid !== null) await transaction`select service.enter(${uid})`;
    return transaction.unsafe(statement);
  });
}

/** The row with its times as words. */
function told(row: postgres.Row | undefined): Record<string, unknown> {
  const word = (value: unknown) =>
    value instanceof Date ? Math.abs(Date.now() - value.getTime()) < 600_000 ? 'now' : value.toISOString() : value;
  return Object.fromEntries(Object.entries(row ?? {}).map(([name, value]) => [name, word(value)]));
}

test('SQL of a caller is stamped like a request, also against its own values and a callback\'s', async t => {
  const { sql } = await open(t);
  const [made] = await as(sql, 'ann',
    `insert into notes (text, created_at, updated_at, created_by, updated_by) values ('x', '${OLD}', '${OLD}', 'eve', 'eve') returning *`);
  t.match(told(made), { created_by: 'ann', updated_by: 'ann', created_at: 'now', updated_at: 'now' });
  await sql`alter table notes disable trigger all`;
  await sql`update notes set created_at = ${OLD}, updated_at = ${OLD}`;
  await sql`alter table notes enable trigger all`;
  const [changed] = await as(sql, 'bob',
    `update notes set text = 'y', created_at = now(), created_by = 'eve', updated_by = 'eve' returning *`);
  t.match(told(changed), { created_at: OLD, created_by: 'ann', updated_by: 'bob', updated_at: 'now' });
  const [visited] = await as(sql, 'anonymous', `update notes set text = 'z' returning *`);
  t.match(told(visited), { created_by: 'ann', updated_by: null });
  const [merged] = await as(sql, 'cy',
    `insert into notes (id, text) values (1, 'w') on conflict (id) do update set text = excluded.text, created_by = 'cy' returning *`);
  t.match(told(merged), { created_by: 'ann', updated_by: 'cy' });
  const [nobody] = await as(sql, null, `insert into notes (text, created_by) values ('n', 'eve') returning *`);
  t.match(told(nobody), { created_by: null, updated_by: null, created_at: 'now' }, 'who has not entered is nobody');
});

test('every type of column: an account that is no uuid leaves none, times are of UTC', async t => {
  const { sql } = await open(t);
  const uid = '0d3c1a52-2f57-4f4e-9c1b-5a1f3c1e7a10';
  await as(sql, uid, `set local timezone = 'Pacific/Kiritimati'; insert into notes (text) values ('x')`);
  const [made] = await sql`
    select account, abs(extract(epoch from local - now() at time zone 'UTC')) < 600 as local,
    day - (now() at time zone 'UTC')::date = any (array[-1, 0]) as day,
      abs(extract(epoch from hour - (now() at time zone 'UTC')::time)) not between 600 and 85800 as hour from notes`;
  t.same({ ...made }, { account: uid, local: true, day: true, hour: true });
  await as(sql, 'service', `update notes set text = 'y'`);
  t.same((await sql`select account from notes`)[0]?.['account'], null);
  await sql.begin(async transaction => {
    await transaction`set local timezone = 'Pacific/Kiritimati'`;
    await transaction`insert into notes (text) values ('by default')`;
  });
  t.same((await sql`select abs(extract(epoch from local - now() at time zone 'UTC')) < 600 as local
    from notes where text = 'by default'`)[0]?.['local'], true);
});

test('outside of a request missing stamps are set, and those of a migration or a restore are kept', async t => {
  const { sql } = await open(t,
    'create schema app; create function app.forge(op text, old jsonb, new jsonb) returns jsonb language sql return null::jsonb');
  const [made] = await sql`insert into notes (text) values ('x') returning *`;
  t.match(told(made), { created_at: 'now', updated_at: 'now', created_by: null, updated_by: null });
  const [brought] = await sql`insert into notes (text, created_at, updated_at, created_by, updated_by)
    values ('x', ${OLD}, ${OLD}, 'ann', 'bob') returning *`;
  t.match(told(brought), { created_at: OLD, updated_at: OLD, created_by: 'ann', updated_by: 'bob' });
  const [changed] = await sql`update notes set text = 'y' where id = 2 returning *`;
  t.match(told(changed), { created_by: 'ann', updated_by: 'bob', updated_at: 'now' });
});

test('a function with its owner\'s rights stamps the caller; another role that may write meets no error', async t => {
  const { sql } = await open(t, `${FORGE}; create role rowgate_test_etl_${process.pid} nologin`);
  const role = sql(`rowgate_test_etl_${process.pid}`);
  t.teardown(async () => { await sql`drop owned by ${role}`; await sql`drop role ${role}`; });
  await sql.unsafe(`create function add_note() returns void language sql security definer as $$ insert into notes (text, created_by)
    values ('by function', 'eve') $$; grant execute on function add_note() to service_user`).simple();
  await as(sql, 'ann', 'select add_note()');
  t.match(await sql`select created_by, updated_by from notes`, [{ created_by: 'ann', updated_by: 'ann' }]);
  await sql`grant insert, select on tags to ${role}`;
  await sql`grant insert, select on notes_tags to ${role}`;
  await sql`alter table notes_tags disable row level security`;
  await sql`insert into tags (name) values ('one')`;
  await sql.begin(async transaction => {
    await transaction`set local role ${role}`;
    await transaction`insert into notes_tags (note_id, tag_id) values (1, 1)`;
  });
  t.same(told((await sql`select linked_by, linked_at from notes_tags`)[0]), { linked_by: null, linked_at: 'now' });
});

test('a junction stamps its links, the catalog of a second boot is the first\'s', async t => {
  const { sql, send } = await open(t);
  const ann = await tokenFor('ann');
  t.equal((await send('POST', 'notes', { text: 'x' }, { as: ann })).body.createdBy, 'ann');
  await send('POST', 'tags', { name: 'one' });
  await as(sql, 'ann', `insert into notes_tags (note_id, tag_id, linked_by) values (1, 1, 'eve')`);
  t.same(told((await sql`select linked_by, linked_at from notes_tags`)[0]), { linked_by: 'ann', linked_at: 'now' });
  t.match(await sql`select tgname, tgfoid::regprocedure::text as function from pg_trigger where tgname = '_300_stamp' order by 2`,
    [{ function: 'service_private.notes__stamp()' }, { function: 'service_private.notes_tags__link__stamp()' }]);
  t.same(await provision(sql), []);
  t.same((await plan(sql)).filter(({ verdict }) => verdict !== 'report'), []);
});
