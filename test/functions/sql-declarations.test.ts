import { test } from 'tap';
import { caughtUp } from '../harness/caught-up.ts';
import { until } from '../harness/until.ts';
import { call, serviceWith } from './library.ts';

test('functions are served, changed and withdrawn by DDL, comment, grant and revoke', async t => {
  const service = await serviceWith(t, '');
  const { sql, database: { catalog }, request } = service;
  const after = async (statement: string) => {
    await sql.unsafe(statement).simple();
    await caughtUp(catalog);
    const { status, text } = await call(service, 'answer', {});
    return status === 200 ? text : status;
  };
  t.equal(await after('create function app.answer() returns integer language sql stable as \'select 42\''), 404,
    'nothing but a comment opens it');
  t.equal(await after('comment on function app.answer is \'@endpoint\''), '42');
  t.equal(await after('create or replace function app.answer() returns integer language sql stable as \'select 43\''), '43');
  t.equal(await after('drop function app.answer; create function app.answer() returns text language sql stable as $$ select \'x\' $$'),
    404);
  t.equal(await after('comment on function app.answer is \'@endpoint\''), '"x"');
  t.equal(await after('revoke execute on function app.answer from public'), 404);
  t.equal(await after('grant execute on function app.answer to service_user'), '"x"');
  t.equal(await after('revoke usage on schema app from service_user'), 404);
  t.equal(await after('grant usage on schema app to service_user'), '"x"');
  t.equal(await after('alter function app.answer rename to other'), 404);
  t.equal((await request('/functions/other')).text, '"x"');
  t.equal(await after(
    'alter function app.other rename to answer; create function app.answer(a int) returns int language sql as \'select 1\''), 404);
  t.equal(await after('drop function app.answer(int)'), '"x"');
  t.equal(await after('alter function app.answer volatile'), '"x"');
  t.equal((await request('/functions/answer')).status, 404, 'a volatile one is called by POST');
  t.equal(await after('comment on function app.answer is \'no more\''), 404);
});

test('the contract has each function with its arguments and its result', async t => {
  const { request, sql, database } = await serviceWith(t, `
    create function app.books_of(owner text, at_least integer default 0) returns setof books language sql stable
      as 'select * from public.books';
    comment on function app.books_of is E'Books of an owner.\\n@endpoint\\n@roles editor, chief';
    create function app.stats(out total bigint, out by_mood app.mood[]) language sql stable as 'select 1, null::app.mood[]';
    comment on function app.stats is '@endpoint @public';
    create function app.hook(jsonb) returns void language sql volatile as '';
    comment on function app.hook is '@endpoint @scope functions:invoke'`);
  const functions = async () => (await request('/meta/contract')).body.functions;
  t.same(await functions(), [
    {
      name: 'books_of', description: 'Books of an owner', volatility: 'stable', roles: ['editor', 'chief'],
      arguments: [
        { name: 'owner', argument: 'owner', type: 'string', sqlType: 'text', required: true },
        { name: 'atLeast', argument: 'at_least', type: 'number', sqlType: 'integer', required: false },
      ],
      returns: { kind: 'set', collection: 'books' },
    },
    { name: 'hook', volatility: 'volatile', scope: 'functions:invoke', body: 'jsonb', bodyRequired: true, arguments: [],
      returns: { kind: 'void' } },
    {
      name: 'stats', volatility: 'stable', public: true, arguments: [],
      returns: {
        kind: 'row',
        properties: [
          { name: 'total', type: 'number', sqlType: 'bigint' },
          { name: 'byMood', type: 'array', sqlType: 'app.mood[]', enum: ['good', 'bad'] },
        ],
      },
    },
  ]);
  await sql`drop function app.hook`;
  await caughtUp(database.catalog);
  t.equal((await functions()).length, 2);
});

/** Declarations, and why each is not served. */
const REFUSED: [declaration: string, comment: string, problem: RegExp][] = [
  ['function app.f(a integer, a_b text, "aB" text) returns integer language sql as \'select 1\'', '@endpoint',
    /two of its arguments are named aB/],
  ['function app.f(integer) returns integer language sql as \'select 1\'', '@endpoint', /its argument \$1 has no name/],
  ['function app.f(json, b integer) returns integer language sql as \'select 1\'', '@endpoint', /its argument \$1 has no name/],
  ['function app.f(a anyelement) returns integer language sql as \'select 1\'', '@endpoint', /its argument a is of type anyelement/],
  ['function app.f(a internal) returns internal language internal as \'int4_sum\'', '@endpoint', /of type internal/],
  ['function app.f(a integer) returns record language sql as \'select 1, 2\'', '@endpoint', /it returns record/],
  ['function app.f() returns trigger language plpgsql as \'begin end\'', '@endpoint', /it returns trigger/],
  ['function app.f() returns setof record language sql as \'select 1, 2\'', '@endpoint', /it returns setof record/],
  ['function app.f(out a_b int, out "aB" int) language sql as \'select 1, 2\'', '@endpoint', /two of its columns are named aB/],
  ['procedure app.f(a integer) language sql as \'\'', '@endpoint', /it is a procedure/],
  ['aggregate app.f(integer) (sfunc = int4pl, stype = integer)', '@endpoint', /aggregate/],
  ['function app.f() returns integer language sql as \'select 1\'', '@endpoint @rolse admin', /unknown @rolse/],
  ['function app.f() returns integer language sql as \'select 1\'', '@endpoint @ roles admin', /unknown @/],
  ['function app.f() returns integer language sql as \'select 1\'', '@endpoint @Roles admin', /unknown @Roles/],
  ['function app.f() returns integer language sql as \'select 1\'', '@endpoint @roles', /names no role/],
  ['function app.f() returns integer language sql as \'select 1\'', '@endpoint @public @roles a', /@public opens/],
  ['function app.f() returns integer language sql as \'select 1\'', '@endpoint @scope', /@scope names one/],
  ['function app.f(a closed.t) returns integer language sql as \'select 1\'', '@endpoint', /may not use schema closed/],
  ['function closed.f() returns integer language sql as \'select 1\'', '@endpoint', /may not use schema closed/],
  ['function app.f() returns empty language sql as \'select null::empty\'', '@endpoint', /have no columns/],
];

test('a function that cannot be served is named, and breaks no other', async t => {
  const { sql, database: { catalog }, request } = await serviceWith(t, `
    create schema closed; create type closed.t as enum ('a'); create table public.empty ();
    create function app.good() returns integer language sql stable as 'select 1';
    comment on function app.good is '@endpoint'`);
  for (const [declaration, comment, problem] of REFUSED) {
    await sql.unsafe(`create ${declaration}`);
    const [{ kind, name } = { kind: '', name: '' }] = await sql<{ kind: string; name: string }[]>`
      select case prokind when 'p' then 'procedure' when 'a' then 'aggregate' else 'function' end as kind, oid::regprocedure::text as name
      from pg_proc where proname = 'f' and pronamespace in ('app'::regnamespace, 'closed'::regnamespace)`;
    await sql.unsafe(`comment on ${kind} ${name} is '${comment}'`);
    await caughtUp(catalog);
    t.match(catalog.current.endpoints.refused, [{ name: 'f', problem }], declaration);
    t.equal((await request('/functions/f', { method: 'POST' })).status, 404);
    t.equal((await request('/functions/good')).text, '1');
    await sql.unsafe(`drop ${kind} ${name}`);
  }
  await sql.unsafe(`
    create function app.g() returns integer language sql as 'select 1'; comment on function app.g is '@endpoint';
    create function public.g() returns integer language sql as 'select 1'; comment on function public.g() is '@endpoint';
    create function service.h() returns integer language sql as 'select 1'; comment on function service.h() is '@endpoint'`).simple();
  await caughtUp(catalog);
  t.match(catalog.current.endpoints.refused, [{ problem: /public\.g\(\)/ }, { problem: /app\.g\(\)/ }]);
  t.equal((await request('/functions/h')).status, 404, 'the service\'s own schemas hold none');
  const [{ audit } = { audit: { findings: [] } }] =
    await sql<{ audit: { findings: { id: string; detail: string }[] } }[]>`select service.audit() as audit`;
  t.same(audit.findings.filter(({ id }) => id === 'endpoint-not-served').length, 2);
});

test('the audit names functions that are served and run with their owner\'s rights', async t => {
  const { sql } = await serviceWith(t, `
    create function app.f() returns integer language sql stable security definer set search_path = pg_catalog as 'select 1';
    comment on function app.f is '@endpoint'`);
  const found =
    await sql<{ id: string; detail: string }[]>`select id, detail from service.audit_routines() where target ->> 'routine' = 'f'`;
  t.match([...found], [{ id: 'endpoint-security-definer', detail: /^\/functions\/f calls app\.f\(\), which runs as / }]);
});

test('a function that drops itself, or its table, is gone for the next call', async t => {
  const service = await serviceWith(t, `
    create function app.last() returns integer language plpgsql volatile security definer set search_path = pg_catalog as
      $$ begin drop function app.last(); return 1; end $$;
    comment on function app.last is '@endpoint'`);
  t.equal((await call(service, 'last', {})).text, '1');
  await until('the function is gone', async () => (await call(service, 'last', {})).status === 404);
});
