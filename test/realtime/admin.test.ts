// Frames for admins: SQL, what the database has, and copies of it.
import { pino } from 'pino';
import { test } from 'tap';
import { masked, statementsOf } from '../../gateway/database/sql-text.ts';
import { atDatabase } from '../../gateway/features/realtime/admin/run-sql.ts';
import { createDatabase } from '../harness/database.ts';
import { openService, SERVICE_KEY, tokenFor } from '../harness/service.ts';
import { connect, type TestSocket } from '../harness/socket.ts';
import { until } from '../harness/until.ts';

const setup = `
  create type public.mood as enum ('calm', 'wild');
  create table public.artist (id integer primary key, name varchar(80) not null default 'x', mood public.mood);
  create table public.tag (id integer primary key, label text);
  create table public.artist_tag (artist_id integer references public.artist, tag_id integer references public.tag,
    primary key (artist_id, tag_id));
  create table public.leftover (id integer primary key);
  alter table public.artist enable row level security;
  create policy calm on public.artist for select using (mood = 'calm');
  insert into public.artist values (1, 'Nina', 'calm'), (2, 'Chet', 'wild');`;

type Line = { audit?: string; actor?: { uid: string }; statement?: string; refused?: string; parameters?: number };

test('admin frames', async t => {
  const { url, sql } = await createDatabase(t, { template: 'served' });
  await sql.unsafe(setup).simple();
  const lines: Line[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => { lines.push(JSON.parse(line) as Line); } });
  const open = (env: Record<string, string>) =>
    openService(url, { SERVICE_SOURCE: 'tables', SERVICE_MAX_ANSWER_SIZE: '1000000', ...env }, undefined, log);
  const service = await open({ DATABASE_URL: url });
  t.teardown(service.close);
  const admin = await connect(t, service, { token: SERVICE_KEY });
  const run = async (text: string, more: object = {}, socket: TestSocket = admin) =>
    (await socket.request('EXECUTE_SQL', { sql: text, ...more })).payload;

  await t.test('EXECUTE_SQL passes row security and shows what the statement returned', async t => {
    t.same((await run('select id, name from artist order by id')).result, [{ id: 1, name: 'Nina' }, { id: 2, name: 'Chet' }]);
    t.same((await run('select $1::int + 1 as n, $2::text as t, $3::jsonb as j, $4::boolean as b, $5::text as none', {
      options: { params: [41, 'it\'s', { a: 1 }, true, null] },
    })).result,
      [{ n: 42, t: 'it\'s', j: { a: 1 }, b: true, none: null }]);
    t.same((await run(`select 12345678901234567890.10 as n, timestamptz '2026-01-02 03:04:05.123456Z' at time zone 'UTC' as at,
      '\\x0102'::bytea as bytes`)).result,
      [{ n: '12345678901234567890.10', at: '2026-01-02 03:04:05.123456', bytes: '\\x0102' }]);
    t.same((await run('update artist set name = name')).result, []);
    t.same((await run('select current_user as me', { options: { role: 'service_user' } })).result, [{ me: 'service_user' }]);
  });

  await t.test('a script says what each statement did', async t => {
    const { result, script } =
      await run('insert into tag values (1, \'new\'); select label from tag; delete from tag; set role service_user', { mode: 'script' });
    t.same(result, [{ label: 'new' }]);
    t.match(script, [
      { command: 'INSERT', rowCount: 1, rows: [] }, { command: 'SELECT', rowCount: 1, rows: [{ label: 'new' }] },
      { command: 'DELETE', rowCount: 1 }, { command: 'SET' },
    ]);
    t.same((await run('select 1 as one', { mode: 'script' })).script, [{ command: 'SELECT', rowCount: 1, rows: [{ one: 1 }] }]);
    t.equal((await run('insert into tag values (7, \'x\'); select 1/0', { mode: 'script' })).error.code, 'SQL_ERROR');
    t.same((await run('select count(*)::int as n from tag')).result, [{ n: 0 }], 'all or nothing');
  });

  await t.test('nothing of a session is left to the next', async t => {
    await run('set role service_user; set search_path to nowhere; create temp table mine (id int)', { mode: 'script' });
    t.same((await run(`select current_user <> 'service_user' as own, current_setting('search_path') as path,
      to_regclass('pg_temp.mine') as mine`)).result,
      [{ own: true, path: '"$user", public', mine: null }]);
    await until('its connection is closed', async () =>
      (await sql`select from pg_stat_activity where application_name = 'rowgate sql' and datname = current_database()`).length === 0);
  });

  await t.test('errors of the database are passed on in its words', async t => {
    const refused: [text: string, code: string, more?: object][] = [
      ['selct 1', 'SQL_ERROR'], ['select 1; select 2', 'SQL_ERROR'], ['select * from nothing', 'SQL_ERROR'],
      ['copy artist to stdout', 'NOT_SUPPORTED'], ['copy artist from stdin', 'NOT_SUPPORTED'],
      ['select 1', 'SQL_ERROR', { options: { role: 'nobody' } }], ['select 1', 'SQL_ERROR', { options: { database: 'no such database' } }],
      ['select repeat(\'x\', 600000) from generate_series(1, 2)', 'PAYLOAD_TOO_LARGE'], ['', 'INVALID_INPUT'],
      ['select 1', 'INVALID_INPUT', { mode: 'other' }], ['select 1', 'INVALID_INPUT', { options: { params: 'x' } }],
      ['select $1', 'INVALID_INPUT', { mode: 'script', options: { params: [1] } }], ['select 1', 'INVALID_INPUT', { options: { role: 5 } }],
    ];
    for (const [text, code, more] of refused) t.equal((await run(text, more)).error?.code, code, text);
    t.match((await run('select * from nothing')).error,
      { message: 'relation "nothing" does not exist', details: { dbCode: '42P01', position: '15' } });
  });

  await t.test('but for words that make a client sign in anew', async t => {
    t.equal((await run('select * from "Unauthorized, invalid token"')).error.message,
      'relation "not authorized, invalid-token" does not exist');
    t.equal((await run('do $$ begin raise \'TOKEN IS EXPIRED, session expired, auth error\'; end $$')).error.message,
      'TOKEN-IS-EXPIRED, session-expired, auth-error');
  });

  await t.test('a client that leaves ends its statement', async t => {
    const socket = await connect(t, service, { token: SERVICE_KEY });
    socket.send({ type: 'EXECUTE_SQL', payload: { sql: 'select pg_sleep(20)' } });
    const running = () =>
      sql`select from pg_stat_activity where query = 'select pg_sleep(20)' and state = 'active' and pid <> pg_backend_pid()`;
    await until('it runs', async () => (await running()).length > 0);
    socket.raw.terminate();
    await until('it has ended', async () => (await running()).length === 0);
    t.same((await run('select 1 as one')).result, [{ one: 1 }]);
  });

  await t.test('each is written down, without what stood in it', async t => {
    lines.length = 0;
    await run('select name from artist where name = \'secret\' and id = 4711 -- secret', { options: { params: [] } });
    await run('select $1::text', { options: { params: ['secret'] } });
    await run('selct \'secret\'');
    const audited = lines.filter(({ audit }) => audit === 'EXECUTE_SQL');
    t.match(audited, [
      { actor: { uid: 'service' }, statement: 'select name from artist where name = ? and id = ?' },
      { statement: 'select $1::text', parameters: 1 }, { statement: 'selct ?', refused: '42601' },
    ]);
    t.notMatch(JSON.stringify(lines), /secret|4711/);
  });

  await t.test('only with the scope', async t => {
    const person = await connect(t, service, { token: await tokenFor('ann') });
    for (const type of ['EXECUTE_SQL', 'CREATE_BRANCH', 'DELETE_BRANCH']) {
      t.match((await person.request(type, { sql: 'select 1', name: 'x' })).payload.error,
        { code: 'FORBIDDEN', details: { requiredScope: 'database:write' } });
    }
    const reads = [
      'FETCH_DATABASES', 'FETCH_ROLES', 'FETCH_APPLICATION_ROLES', 'FETCH_CURRENT_DATABASE', 'FETCH_UNMAPPED_TABLES',
      'FETCH_TABLE_METADATA', 'LIST_BRANCHES',
    ];
    for (const type of reads) t.equal(await person.refusal(type), 'FORBIDDEN');
    const { body: { key: { key } } } = await service.request('/admin/api-keys',
      { method: 'POST', body: JSON.stringify({ name: 'x', scopes: ['database:read'] }) });
    const keyed = await connect(t, service, { token: key as string });
    t.match((await keyed.request('EXECUTE_SQL', { sql: 'select 1' })).payload.error,
      { code: 'API_KEY_FORBIDDEN', details: { requiredScope: 'database:write' } });
    t.equal((await keyed.request('FETCH_CURRENT_DATABASE')).type, 'FETCH_CURRENT_DATABASE_SUCCESS');
  });

  await t.test('the list of databases and tables', async t => {
    const main = decodeURIComponent(new URL(url).pathname.slice(1));
    t.same((await admin.request('FETCH_CURRENT_DATABASE')).payload, { database: main });
    t.ok((await admin.request('FETCH_DATABASES')).payload.databases.includes(main));
    t.ok((await admin.request('FETCH_ROLES')).payload.roles.includes('service_user'));
    await service.account(await tokenFor('cat', ['curator']));
    t.match((await admin.request('FETCH_APPLICATION_ROLES')).payload.roles, ['admin', 'curator']);
    t.same((await admin.request('FETCH_UNMAPPED_TABLES')).payload, { tables: ['artist_tag', 'leftover', 'tag'] },
      'those without row security are not served');
    t.same((await admin.request('FETCH_UNMAPPED_TABLES', { mappedPaths: ['tag', 'other'] })).payload,
      { tables: ['artist_tag', 'leftover'] });
    t.equal(await admin.refusal('FETCH_UNMAPPED_TABLES', { mappedPaths: [1] }), 'INVALID_INPUT');
    const { metadata } = (await admin.request('FETCH_TABLE_METADATA', { tableName: 'artist' })).payload;
    t.same(metadata.columns[1], {
      column_name: 'name', data_type: 'character varying', udt_name: 'varchar', is_nullable: 'NO',
      column_default: '\'x\'::character varying', character_maximum_length: 80, enum_values: null,
    });
    t.same(metadata.columns[2].enum_values, ['calm', 'wild']);
    t.same(metadata.junctions,
      [{ junction_table_name: 'artist_tag', source_column_name: 'artist_id', target_table_name: 'tag', target_column_name: 'tag_id' }]);
    t.match(metadata.policies, [{ policy_name: 'calm', roles: ['public'], cmd: 'SELECT', qual: /mood/, with_check: null }]);
    t.same((await admin.request('FETCH_TABLE_METADATA', { tableName: 'public.artist_tag' })).payload.metadata.foreignKeys, [
      { column_name: 'artist_id', foreign_table_name: 'artist', foreign_column_name: 'id' },
      { column_name: 'tag_id', foreign_table_name: 'tag', foreign_column_name: 'id' },
    ]);
    for (const [tableName, code] of [['nothing', 'NOT_FOUND'], ['pg_class', 'NOT_FOUND'], [5, 'INVALID_INPUT']]) {
      t.equal(await admin.refusal('FETCH_TABLE_METADATA', { tableName }), code);
    }
  });

  await t.test('branches are copies of the database', async t => {
    const main = decodeURIComponent(new URL(url).pathname.slice(1));
    const [name, copy] = [`branch_${process.pid}`, `branch_${process.pid}_copy`];
    t.teardown(async () => { for (const database of [name, copy]) await sql.unsafe(`drop database if exists "${database}"`); });
    t.match((await admin.request('CREATE_BRANCH', { name })).payload.error, { code: 'SQL_ERROR', details: { dbCode: '55006' } },
      'of one that is in use there is none');
    await sql.unsafe(`create database "${name}"`);
    t.equal(await admin.refusal('DELETE_BRANCH', { name }), 'NOT_FOUND', 'what is no branch is not deleted');
    await sql.unsafe(
      `comment on database "${name}" is 'rowgate branch {"parentDatabase":"${main}","createdAt":"2026-01-01T00:00:00.000Z"}'`,
    );
    await run('create table made (id int)', { options: { database: name } });
    const { branch } = (await admin.request('CREATE_BRANCH', { name: copy, options: { source: name } })).payload;
    t.match(branch, { name: copy, parentDatabase: name, createdAt: /Z$/, sizeBytes: Number });
    t.same((await run('select to_regclass(\'made\')::text as made', { options: { database: copy } })).result, [{ made: 'made' }]);
    t.match((await admin.request('LIST_BRANCHES')).payload.branches,
      [{ name, parentDatabase: main }, { name: copy, parentDatabase: name }]);
    t.equal(await admin.refusal('CREATE_BRANCH', { name: copy, options: { source: name } }), 'SQL_ERROR');
    t.equal(await admin.refusal('CREATE_BRANCH', { name: 'other', options: { source: 'template1' } }), 'NOT_FOUND');
    for (const database of [copy, name]) t.same((await admin.request('DELETE_BRANCH', { name: database })).payload, { success: true });
    t.equal(await admin.refusal('DELETE_BRANCH', { name: copy }), 'NOT_FOUND');
    for (const wrong of ['', 'A', 'a b', '1x', 'x'.repeat(41), 'a"b', 5, undefined]) {
      t.equal(await admin.refusal('CREATE_BRANCH', { name: wrong }), 'INVALID_INPUT', String(wrong));
    }
    t.match(await admin.refusal('DELETE_BRANCH', { name: main }), /NOT_FOUND|INVALID_INPUT/);
  });

  await t.test('the embedded server has none', async t => {
    const embedded = await open({});
    t.teardown(embedded.close);
    const socket = await connect(t, embedded, { token: SERVICE_KEY });
    for (const type of ['CREATE_BRANCH', 'DELETE_BRANCH', 'LIST_BRANCHES']) {
      t.equal(await socket.refusal(type, { name: 'x' }), 'BRANCHING_UNSUPPORTED');
    }
  });
});

test('the log\'s record of a statement', t => {
  const statements: [text: string, shown: string][] = [
    ['select 1, 1.5e3, .25, x1, $1 from t2', 'select ?, ?, ?, x1, $1 from t2'],
    ['select \'it\'\'s\', E\'a\\\'b\', e\'\\\\\', \'x\'', 'select ?, ?, ?, ?'],
    ['select $$secret$$, $a$ secret $b$ $a$, 2', 'select ?, ?, ?'], ['select "a\'b", \'c"d\'', 'select "a\'b", ?'],
    ['select 1 -- secret\n/* secret */ + 2', 'select ? + ?'], ['select \'secret', 'select ?'], ['select $$secret', 'select ?'],
    ['/* secret', ''], ['alter role x password \'secret\'', 'alter role x password ?'],
    [`select ${'a, '.repeat(3_000)}a`, `select ${'a, '.repeat(3_000)}`.slice(0, 4_000) + '…'],
  ];
  for (const [text, shown] of statements) t.equal(masked(text), shown, text.slice(0, 60));
  t.end();
});

test('the statements of a script', t => {
  const body = 'create function f() returns int language sql begin atomic select case when true then 1; end; select 2; end';
  const scripts: [text: string, statements: string[]][] = [
    ['select 1; select 2', ['select 1', ' select 2']], [';;', []], ['', []], ['select \';\' ; -- ; \n', ['select \';\' ']],
    ['select 1;/* ; */', ['select 1']], ['do $$ begin; end; $$; select 1;', ['do $$ begin; end; $$', ' select 1']],
    [`${body}; select 3`, [body, ' select 3']],
    [
      'create rule r as on insert to t do (select 1; select 2); begin; end',
      ['create rule r as on insert to t do (select 1; select 2)', ' begin', ' end'],
    ],
    ['select "a;b";select e\'\\\';\'', ['select "a;b"', 'select e\'\\\';\'']], ['commit;select $x', ['commit', 'select $x']],
  ];
  for (const [text, statements] of scripts) t.same(statementsOf(text), statements, text);
  t.end();
});

test('another database of the same server', t => {
  t.equal(atDatabase('postgres://u:p%2F@host:5432/main?sslmode=require', 'a b'), 'postgres://u:p%2F@host:5432/a%20b?sslmode=require');
  t.equal(atDatabase('postgres://one:1,two:2', 'x'), 'postgres://one:1,two:2/x');
  t.end();
});
