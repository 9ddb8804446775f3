// The history of a row is written by its table, for any writer.
import { test } from 'tap';
import { openService, tokenFor } from '../harness/service.ts';
import { plan } from '../collections/declared.ts';
import { createHistorian, everyone, id, inOne, notes } from './history.ts';
import { collections } from './client.ts';

/** The files that most tests use, so that they are lent one service. */
const files = [
  notes,
  {
    slug: 'comments', history: true, securityRules: everyone,
    properties: { id, note: { type: 'relation', relation: { kind: 'belongsTo', target: 'notes', onDelete: 'cascade' } } },
  },
  { ...notes, slug: 'labels', properties: { id, text: { type: 'string', validation: { unique: true } }, stars: { type: 'number' } } },
  {
    ...notes, slug: 'sketches', properties: { ...notes.properties, map: { type: 'map' }, draft: { type: 'string', columnName: '__draft' } },
  },
  {
    ...notes, slug: 'papers', softDelete: true,
    properties: { ...notes.properties, deletedAt: { type: 'date' }, updatedAt: { type: 'date', autoValue: 'on_update' } },
  },
  { ...notes, slug: 'pages', properties: { ...notes.properties, id: { type: 'string', isId: 'manual' } } },
  { ...notes, slug: 'readings', properties: {
    id, at: { type: 'date' }, local: { type: 'date', timezone: false }, ratio: { type: 'number', columnType: 'double precision' },
    bytes: { type: 'binary' },
  } },
];

test('create, update and delete each leave an entry', async t => {
  const { send, sql } = await createHistorian(t, files);
  const ann = await tokenFor('ann');
  t.equal((await send('POST', 'notes', { text: 'one', stars: 4 }, { as: ann })).status, 201);
  t.equal((await send('PATCH', 'notes/1', '{"text": "two", "stars": 4.50}')).status, 200);
  const answer = await send('GET', 'notes/1/history', undefined, { as: ann });
  t.equal(answer.status, 200, answer.text);
  t.same(Object.keys(answer.body.data[0] as object),
    ['id', 'table_name', 'entity_id', 'action', 'changed_fields', 'values', 'previous_values', 'updated_by', 'updated_at']);
  t.match(answer.body, {
    data: [
      {
        id: /^[0-9a-f-]{36}$/, table_name: 'notes', entity_id: '1', action: 'update', changed_fields: ['text', 'stars'],
        values: { id: 1, text: 'two', stars: 4.5 }, previous_values: { id: 1, text: 'one', stars: 4 }, updated_by: 'service',
        updated_at: /^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d\d\dZ$/,
      },
      {
        table_name: 'notes', entity_id: '1', action: 'create', changed_fields: null, values: { id: 1, text: 'one', stars: 4 },
        previous_values: null, updated_by: 'ann',
      },
    ],
    meta: { total: 2, limit: 20, offset: 0, hasMore: false },
  });
  t.match(answer.text, /"values" : \{ "id" : 1, "text" : "two", "stars" : 4\.50 \}/, 'every digit, in the order of the file');
  t.equal((await send('DELETE', 'notes/1')).status, 204);
  t.equal((await send('GET', 'notes/1/history')).status, 404, 'the row is gone');
  const [entry] = await sql`select action, snapshot, previous, updated_by from service.history order by number desc limit 1`;
  t.same({ ...entry }, { action: 'delete', snapshot: { id: 1, text: 'two', stars: 4.5 }, previous: null, updated_by: 'service' },
    'its history stays');
});

test('every writer: SQL, COPY, cascades, upserts, MERGE, and 10,000 rows at once', async t => {
  const { sql, told, historyOf, send } = await createHistorian(t, files);
  await sql`insert into notes (text) values ('by SQL')`;
  await sql`insert into notes (id, text) values (1, 'again') on conflict (id) do update set text = excluded.text`;
  await sql`merge into notes n using (values (1, 'merged')) v (id, text) on v.id = n.id when matched then update set text = v.text`;
  t.same(await told('notes/1', 'text'), [['create', null, 'by SQL'], ['update', 'text', 'again'], ['update', 'text', 'merged']]);
  t.equal((await historyOf('notes/1'))[0]?.updated_by, null, 'nobody has entered');
  const copy = await sql`copy notes (id, text) from stdin`.writable();
  await new Promise<void>((resolve, reject) => {
    copy.once('error', reject).once('finish', resolve);
    copy.end('2\tcopied\n');
  });
  t.same(await told('notes/2', 'text'), [['create', null, 'copied']]);
  await sql`insert into comments (note_id) values (2), (2), (1)`;
  t.equal((await send('DELETE', 'notes/2')).status, 204);
  t.match(await sql`select entity_id, action, updated_by from service.history where collection = 'comments' and action = 'delete'
    order by 1`,
    [{ entity_id: '1', updated_by: 'service' }, { entity_id: '2', updated_by: 'service' }], 'the cascade is of who deleted');
  await sql`insert into notes (id, stars) select n, 0 from generate_series(1000, 10999) n`;
  await sql`update notes set stars = stars + 1 where id >= 1000`;
  t.match(await sql`select action, count(*)::int, count(distinct entity_id)::int as rows from service.history
    where entity_id::int >= 1000 group by 1 order by 1`,
    [{ action: 'create', count: 10_000, rows: 10_000 }, { action: 'update', count: 10_000, rows: 10_000 }]);
});

test('each row of a bulk, an upsert and a batch; a request that is sent again leaves none', async t => {
  const { send, told } = await createHistorian(t, files);
  const done = async (...request: Parameters<typeof send>) => {
    const { status, text } = await send(...request);
    t.ok(status < 300, `${request[0]} ${request[1]}`, { text });
  };
  await done('POST', 'labels/bulk', { rows: [{ text: 'a' }, { text: 'b' }] });
  await done('PATCH', 'labels/bulk',
    { updates: [{ id: 1, data: { stars: 1 } }, { id: 2, data: { stars: 2 } }, { id: 1, data: { stars: 3 } }] });
  await done('POST', 'labels?on_conflict=text', { text: 'b', stars: 5 });
  await done('POST', 'labels/bulk', { rows: [{ text: 'b', stars: 6 }, { text: 'c' }], upsert: true, onConflict: ['text'] });
  await done('POST', '_batch', { operations: [
    { op: 'create', collection: 'labels', values: { text: 'd' } }, { op: 'update', collection: 'labels', id: 2, values: { stars: 7 } },
  ] });
  for (let n = 0; n < 2; n++) await done('PATCH', 'labels/2', { stars: 8 }, { headers: { 'idempotency-key': 'once' } });
  t.match(await told('labels/1', 'stars'), [['create'], ['update', 'stars', 1], ['update', 'stars', 3]]);
  t.match(await told('labels/2', 'stars'),
    [['create'], ['update', 'stars', 2], ['update', 'stars', 5], ['update', 'stars', 6], ['update', 'stars', 7], ['update', 'stars', 8]]);
  await done('POST', 'labels/bulk/delete', { ids: [1] });
  t.equal((await send('GET', 'labels/1/history')).status, 404);
});

test('no entry without a difference; columns that begin with __ make none', async t => {
  const { sql, told, historyOf, send } = await createHistorian(t, files);
  await sql`insert into sketches (text, map) values ('one', '{"a": {"b": [1, 2]}, "c": 1.0}')`;
  await sql`update sketches set text = text`;
  await sql`update sketches set map = '{"c": 1, "a": {"b": [1, 2.0]}}'`;
  await sql`update sketches set __draft = 'x'`;
  t.equal((await send('PATCH', 'sketches/1', {})).status, 200);
  await sql`update sketches set map = '{"c": 1, "a": {"b": [2, 1]}}', __draft = 'y'`;
  t.same(await told('sketches/1', 'draft'), [['create', null, null], ['update', 'map', 'y']]);
  t.match((await historyOf('sketches/1'))[0], { previous_values: { draft: 'x', map: { a: { b: [1, 2] } } } });
});

test('a rollback leaves nothing', async t => {
  const { sql, send, told } = await createHistorian(t, [{ ...notes, callbacks: { afterSave: 'app.check' } }], {
    setup: `create schema app; create function app.check(op text, old jsonb, new jsonb) returns void language plpgsql as $$ begin
      if new ->> 'text' = 'no' then raise exception 'No.'; end if; end $$`,
  });
  await sql`insert into notes (text) values ('one')`;
  await inOne(sql, `update notes set text = 'gone'`, 'select 1 / 0').catch(() => undefined);
  await inOne(sql, 'savepoint s', `update notes set text = 'gone too'`, 'rollback to s', `update notes set text = 'two'`);
  t.equal((await send('PATCH', 'notes/1', { text: 'no' })).status, 400);
  t.same(await told('notes/1', 'text'), [['create', null, 'one'], ['update', 'text', 'two']]);
});

test('a callback that writes the row again comes after the change that it follows', async t => {
  const { sql, told } = await createHistorian(t, [
    { ...notes, softDelete: true, properties: { ...notes.properties, deletedAt: { type: 'date' } }, callbacks: { afterSave: 'app.again' } },
  ], {
    setup: `create schema app; create function app.again(op text, old jsonb, new jsonb) returns void language plpgsql as $$ begin
      update public.notes set text = (new ->> 'text') || '!' where id = (new ->> 'id')::int and length(text) < 4; end $$`,
  });
  await sql`insert into notes (text) values ('a')`;
  t.same(await told('notes/1', 'text'),
    [['create', null, 'a'], ['update', 'text', 'a!'], ['update', 'text', 'a!!'], ['update', 'text', 'a!!!']]);
  await inOne(sql, `update notes set text = 'b'`, `update notes set text = 'b0b0'`, `update notes set text = 'c!'`,
    'update notes set deleted_at = now()', 'update notes set deleted_at = null', 'update notes set stars = 5');
  t.same((await told('notes/1', 'text')).slice(4), [
    ['update', 'text', 'b'], ['update', 'text', 'b!'], ['update', 'text', 'b!!'], ['update', 'text', 'b!!!'], ['update', 'text', 'b0b0'],
    ['update', 'text', 'c!'], ['update', 'text', 'c!!'], ['update', 'text', 'c!!!'],
    ['delete', null, 'c!!!'], ['update', 'deletedAt', 'c!!!'], ['update', 'stars', 'c!!!'],
  ]);
});

test('concurrent writers of one row leave one entry each, in the order in which they wrote', async t => {
  const { send, sql, historyOf } = await createHistorian(t, files);
  await sql`insert into notes (text) values ('0')`;
  const answers = await Promise.all(Array.from({ length: 40 }, (_, n) => send('PATCH', 'notes/1', { text: `v${n}` })));
  t.same(new Set(answers.map(({ status }) => status)), new Set([200]));
  const entries = await historyOf('notes/1');
  t.equal(entries.length, 41);
  for (const [n, { previous_values: before }] of entries.slice(0, -1).entries()) {
    t.same(before, entries[n + 1]?.values, 'each begins where the one before ended');
  }
  t.same((await sql`select array_agg(number order by number) as numbers from service.history`)[0]?.['numbers'],
    Array.from({ length: 41 }, (_, n) => n + 1));
});

test('a soft delete is a delete, and a restore an update', async t => {
  const { send, sql, told } = await createHistorian(t, files);
  await send('POST', 'papers', { text: 'one' });
  t.equal((await send('DELETE', 'papers/1')).status, 204);
  t.same(await told('papers/1', 'text', 'deletedAt'), [['create', null, 'one', null], ['delete', null, 'one', null]],
    'seen in the trash, with the row as it was');
  t.equal((await send('PATCH', 'papers/1', { deletedAt: null })).status, 200);
  await sql`update papers set deleted_at = now()`;
  t.equal((await send('DELETE', 'papers/1?hard=true')).status, 204);
  t.match(await sql`select action from service.history order by number`,
    ['create', 'delete', 'update', 'delete', 'delete'].map(action => ({ action })));
  t.equal((await send('GET', 'papers/1/history')).status, 404);
});

test('excluded columns and undeclared ones are never kept', async t => {
  const { send, sql } = await createHistorian(t, [
    { ...notes, properties: { id, text: { type: 'string' }, secret: { type: 'string', excludeFromApi: true } } },
  ], {
    setup: 'create table notes (id int generated by default as identity primary key, text text, secret text, other text)',
  });
  await sql`insert into notes (text, secret, other) values ('one', 'hidden', 'foreign')`;
  await sql`update notes set secret = 'changed', other = 'changed'`;
  await sql`update notes set text = 'two', secret = 'again'`;
  t.match(await sql`select action, snapshot, previous from service.history order by number`, [
    { action: 'create', snapshot: { id: 1, text: 'one' }, previous: null },
    { action: 'update', snapshot: { id: 1, text: 'two' }, previous: { text: 'one' } },
  ]);
  t.notMatch(JSON.stringify(await sql`select * from service.history`), /hidden|changed|again|foreign/);
  t.notMatch((await send('GET', 'notes/1/history')).text, /secret|other/);
});

test('the newest 200 entries of a row are kept, and none of more than 90 days', async t => {
  const { sql, send } = await createHistorian(t, files);
  await sql`insert into notes (stars) values (0), (0)`;
  await sql`do $$ begin for i in 1 .. 250 loop update public.notes set stars = i where id = 1; end loop; end $$`;
  t.match(await sql`select count(*)::int, min(number), max(number) from service.history where entity_id = '1'`,
    [{ count: 200, min: 52, max: 251 }]);
  const page = await send('GET', 'notes/1/history?limit=100&offset=150');
  t.same([page.body.data.length, page.body.data[0].values.stars, page.body.meta],
    [50, 100, { total: 200, limit: 100, offset: 150, hasMore: false }]);
  const ages = async () =>
    (await sql`select number from service.history where entity_id = '2' order by 1`).map(row => row['number'] as number);
  await sql`update notes set stars = 1 where id = 2`;
  await sql`update notes set stars = 2 where id = 2`;
  await sql`update service.history set updated_at = now() - interval '1 day' * (case number when 3 then 89 else 91 end)
    where entity_id = '2'`;
  t.same(await ages(), [1, 2, 3]);
  await sql`update notes set stars = 3 where id = 2`;
  t.same(await ages(), [3, 4]);
  t.same((await sql`select count(*)::int from service.history where entity_id = '1'`)[0]?.['count'], 200, 'another row\'s stay');
});

test('another key is another row, and a key that is used again does not tell of the row before', async t => {
  const { sql, told, send } = await createHistorian(t, files);
  await sql`insert into pages values ('a', 'of ann')`;
  await sql`update pages set text = 'still of ann'`;
  await sql`update pages set id = 'b'`;
  t.equal((await send('GET', 'pages/a/history')).status, 404);
  t.same(await told('pages/b', 'text'), [['create', null, 'still of ann']]);
  await sql`insert into pages values ('a', 'of bob')`;
  t.same(await told('pages/a', 'text'), [['create', null, 'of bob']]);
  t.match(await sql`select action, snapshot ->> 'text' as text from service.history where entity_id = 'a' order by number`, [
    { action: 'create', text: 'of ann' }, { action: 'update' }, { action: 'delete', text: 'still of ann' },
    { action: 'create', text: 'of bob' },
  ]);
});

test('a trigger that is generated, planned and compared as the others', async t => {
  const { sql } = await createHistorian(t, [
    { ...notes, callbacks: { afterSave: 'app.none' } },
    { slug: 'plain', properties: { id, text: { type: 'string' } }, securityRules: everyone },
  ], {
    setup: 'create schema app; create function app.none(op text, old jsonb, new jsonb) returns void language sql begin atomic end',
  });
  t.match(await sql`select tgname as name, tgfoid::regproc::text as function from pg_trigger
    where not tgisinternal and tgname like '\_9%' order by 1`,
    [
      { name: '_900_after_save', function: 'service_private.notes__after_save' },
      { name: '_910_history', function: 'service_private.notes__history' },
    ]);
  t.match(await sql`select prosecdef, proconfig from pg_proc where proname = 'notes__history'`,
    [{ prosecdef: true, proconfig: [
      'search_path=pg_catalog, pg_temp', 'TimeZone=UTC', 'DateStyle=ISO, YMD', 'IntervalStyle=postgres', 'extra_float_digits=1',
    ] }]);
  t.same(await plan(sql), []);
  await sql`alter function service_private.notes__history() security invoker`;
  t.match((await plan(sql)).map(({ kind, target }) => [kind, target]), [['function', 'service_private.notes__history']]);
  await sql`alter function service_private.notes__history() security definer`;
  await sql`alter table notes disable trigger _910_history`;
  t.match(await plan(sql), [{ target: 'public.notes._910_history', verdict: 'report', detail: /disabled/ }]);
  await sql`create or replace trigger _905_mine after update on notes for each row execute function suppress_redundant_updates_trigger()`;
  t.match((await plan(sql)).map(({ target, detail }) => `${target} ${detail}`), [/_905_mine.* runs between them/, /_910_history/]);
  await sql`drop trigger _910_history on notes`;
  t.match((await plan(sql)).filter(({ statement }) => statement !== null),
    [{ kind: 'trigger', target: 'public.notes._910_history', verdict: 'safe', statement: /after insert or update or delete/ }]);
  const [first, second] = await Promise.all(['notes', 'plain'].map(async slug =>
    (await sql`select service_private.write_plan(${sql.json({ op: 'update', collection: slug, body: ['text'] })},
      '{admin}') ? 'fastPath' as fast`)[0]?.['fast'] as boolean));
  t.same([first, second], [false, true]);
});

test('it keeps no table off the fast path', async t => {
  const { sql, send, told } = await createHistorian(t, files);
  for (const shape of [{ op: 'create', collection: 'notes', body: ['text'] }, { op: 'update', collection: 'notes', body: ['text'] }]) {
    t.equal((await sql`select service_private.write_plan(${sql.json(shape)}, '{admin}') ? 'fastPath' as fast`)[0]?.['fast'], true,
      shape.op);
  }
  for (const text of ['one', 'two', 'three']) await send(text === 'one' ? 'POST' : 'PATCH', text === 'one' ? 'notes' : 'notes/1', { text });
  t.same(await told('notes/1', 'text'), [['create', null, 'one'], ['update', 'text', 'two'], ['update', 'text', 'three']]);
});

test('a column that is dropped or retyped under it does not keep rows from being written', async t => {
  const { sql } = await createHistorian(t, [{ ...notes, properties: { ...notes.properties, at: { type: 'date' } } }]);
  await sql`insert into notes (text, at) values ('one', '2020-01-01T10:00:00Z')`;
  await sql`alter table notes drop column stars`;
  await sql`update notes set text = 'two'`;
  await sql`alter table notes alter at type text using 'then'`;
  await sql`update notes set text = 'three'`;
  t.match(await sql`select snapshot from service.history order by number`, [
    { snapshot: { id: 1, text: 'one', at: '2020-01-01T10:00:00.000Z', stars: null } },
    { snapshot: { id: 1, text: 'two', at: /^2020-01-01T10:00:00/ } }, { snapshot: { id: 1, text: 'three', at: 'then' } },
  ]);
});

test('every writer, with any settings, leaves the same values', async t => {
  const { sql, told } = await createHistorian(t, files);
  const write = `insert into readings (at, local, ratio, bytes)
    values ('2020-06-01 10:00:00.5+00', '2020-06-01 10:00:00', 0.1::float8 + 0.2, '\\x00ff')`;
  await inOne(sql, write);
  await inOne(sql, `set local timezone = 'Pacific/Kiritimati'`, `set local datestyle = 'SQL, DMY'`, 'set local extra_float_digits = -5',
    `set local bytea_output = 'escape'`, write);
  const expected = [['create', null, '2020-06-01T10:00:00.500Z', '2020-06-01T10:00:00.000Z', 0.30000000000000004, 'AP8=']];
  t.same(await told('readings/1', 'at', 'local', 'ratio', 'bytes'), expected);
  t.same(await told('readings/2', 'at', 'local', 'ratio', 'bytes'), expected);
});

test('entries are reachable only through a row: not by the role of requests, nor by writers of the table', async t => {
  const { sql } = await createHistorian(t, files);
  await sql`insert into notes (text) values ('one')`;
  for (const statement of ['select * from service.history', 'delete from service.history',
    `insert into service.history (collection, entity_id, number, action, snapshot) values ('notes', '1', 9, 'create', '{}')`,
    `select service_private.record_change('notes', 'id', null, null, '{"id": 1}')`,
    `select * from service_private.current_history('notes', '1')`]) {
    await t.rejects(inOne(sql, 'set local role service_user', statement), { code: '42501' }, statement);
  }
  await t.rejects(inOne(sql, 'set local role service_user', 'select service_private.notes__history()'), { code: '42501' });
  for (const statement of [
    `select service_private.history_page('notes', '1', 1, 0, '{id}', '{id}', '{}', '{}')`,
    `select service_private.history_entry('notes', '1', 'x')`,
  ]) {
    await t.rejects(inOne(sql, 'set local role service_user', statement), { code: '42501', message: /^No caller has entered/ }, statement);
  }
  await sql.unsafe('create role history_writer nologin; grant insert on notes to history_writer; create policy theirs on notes to '
    + 'history_writer using (true) with check (true)').simple();
  t.teardown(() => sql.unsafe('drop owned by history_writer; drop role history_writer').simple());
  await inOne(sql, 'set local role history_writer', `insert into notes (text) values ('theirs')`);
  t.match(await sql`select snapshot ->> 'text' as text from service.history where entity_id = '2'`, [{ text: 'theirs' }],
    'a role without any right on the service writes history all the same');
});

test('a partitioned table, written directly into a partition too', async t => {
  const { sql, told, send } = await createHistorian(t, [notes], {
    setup: `create table notes (id int primary key, text text, stars numeric) partition by range (id);
      create table low partition of notes for values from (0) to (10); create table high partition of notes for values from (10) to (99)`,
  });
  await sql`insert into low values (1, 'one')`;
  t.equal((await send('PATCH', 'notes/1', { text: 'two' })).status, 200);
  t.same(await told('notes/1', 'text'), [['create', null, 'one'], ['update', 'text', 'two']]);
  await sql`update notes set id = 11`;
  t.same(await told('notes/11', 'text'), [['create', null, 'two']], 'moved to another partition it is another row');
  await sql`create table more partition of notes for values from (100) to (999)`;
  await sql`insert into more values (100, 'later')`;
  t.same(await told('notes/100', 'text'), [['create', null, 'later']]);
});

test('odd names', async t => {
  const { send, told, sql } = await createHistorian(t, [{
    ...notes, slug: 'odd~Notes-1', schema: 'my "schema"', table: `it's "notes"`, softDelete: { field: 'gone at' },
    properties: {
      Key: { type: 'string', isId: 'manual', columnName: `k'e"y` }, 'the text': { type: 'string', columnName: 'a"b\\c' },
      'gone at': { type: 'date', columnName: `gone'"At` },
    },
  }]);
  t.equal((await send('POST', 'odd~Notes-1', { Key: 'a/b:c%', 'the text': 'one' })).status, 201);
  const path = `odd~Notes-1/${encodeURIComponent('a/b:c%')}`;
  t.equal((await send('PATCH', path, { 'the text': 'two' })).status, 200);
  t.equal((await send('DELETE', path)).status, 204);
  t.same(await told(path, 'Key', 'the text', 'gone at'),
    [['create', null, 'a/b:c%', 'one', null], ['update', 'the text', 'a/b:c%', 'two', null], ['delete', null, 'a/b:c%', 'two', null]]);
  const [entry] = await sql`select id from service.history order by number limit 1`;
  t.match((await send('POST', `${path}/history/${String(entry?.['id'])}/revert`)).body.data,
    { Key: 'a/b:c%', 'the text': 'one', 'gone at': null });
});

test('a view has no rows of its own whose history a trigger could write: start says so', async t => {
  const { sql } = await createHistorian(t, [{ ...notes, readOnly: true }],
    { setup: 'create view notes with (security_invoker) as select 1 as id, null::text as text, null::numeric as stars' });
  t.match((await plan(sql)).filter(({ kind }) => kind === 'trigger'),
    [{ target: 'public.notes', verdict: 'report', detail: /is no table/ }]);
});

test('a renamed collection begins anew; its entries can be given to it', async t => {
  const { sql, url, close } = await createHistorian(t, [notes]);
  await sql`insert into notes (text) values ('one')`;
  await close();
  const renamed = await openService(url, { SERVICE_COLLECTIONS_DIR: collections(t, { ...notes, slug: 'memos', table: 'notes' }) });
  t.teardown(renamed.close);
  t.same((await renamed.request('/data/memos/1/history')).body.data, []);
  await sql`update notes set text = 'two'`;
  await sql`update service.history set collection = 'memos' where collection = 'notes'`;
  t.same((await renamed.request('/data/memos/1/history')).body.meta.total, 2);
  t.match(await sql`select tgfoid::regproc::text as function from pg_trigger where tgname = '_910_history'`,
    [{ function: 'service_private.memos__history' }]);
});
