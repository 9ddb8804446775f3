import type postgres from 'postgres';
import { test } from 'tap';
import { provision } from '../collections/declared.ts';
import { runCommand } from '../boot/gateway.ts';
import { createDatabase } from '../harness/database.ts';
import { defineFiles, ruled } from './client.ts';

const id = { type: 'number', isId: 'manual' };
const text = { type: 'string' };
const mine = { kind: 'compare', op: 'eq', left: { kind: 'field', name: 'owner' }, right: { kind: 'authUid' } };

const files = {
  posts: {
    softDelete: true, tenant: { field: 'org', from: { claim: 'org_id' } },
    properties: {
      id, owner: text, org: text, u: { type: 'string', columnType: 'uuid' }, deletedAt: { type: 'date' },
      tags: { type: 'relation', relation: { kind: 'manyToMany', target: 'tags' } },
    },
    securityRules: [
      { operation: 'select', access: 'public' }, { operations: ['insert', 'update'], ownerField: 'owner' },
      { operation: 'delete', ownerField: 'u', pgRoles: ['service_user'] },
      {
        operation: 'update', mode: 'restrictive', name: 'Only "mine"\nor not',
        condition: { kind: 'or', operands: [mine, { kind: 'rolesOverlap', roles: ['it\'s'] }] },
      },
      { operation: 'select', using: '{owner} = (select auth.uid()) or \'admin\' = any (string_to_array(auth.roles(), \',\'))' },
    ],
  },
  tags: {
    table: 'Tags of "posts"', properties: { id, owner: text },
    securityRules: [{ operations: ['select', 'insert', 'update', 'delete'], condition: mine }],
  },
  notes: {
    properties: { id, owner: text },
    securityRules: [
      { operation: 'select', roles: ['editor'] }, { operations: ['insert', 'update', 'delete'], roles: ['editor'] },
      { operation: 'delete', mode: 'restrictive', condition: { kind: 'registered' } },
    ],
  },
};

/** All that the database says of policies. */
async function policies(sql: postgres.Sql) {
  return await sql<{
    tablename: string; policyname: string; permissive: string; cmd: string; qual: string | null; with_check: string | null;
    comment: string | null;
  }[]>`
    select p.tablename, p.policyname, p.permissive, p.roles, p.cmd, p.qual, p.with_check, obj_description(o.oid, 'pg_policy') as comment
    from pg_policies p
    join pg_policy o on o.polname = p.policyname and o.polrelid = format('%I.%I', p.schemaname, p.tablename)::regclass
    where p.schemaname = 'public' order by 1, 2`;
}

/** On one connection: a script has its own transaction. */
async function run(sql: postgres.Sql, script: string): Promise<void> {
  const connection = await sql.reserve();
  await connection.unsafe(script).simple();
  connection.release();
}

async function dropAll(sql: postgres.Sql): Promise<void> {
  const statements = (await policies(sql)).map(({ tablename, policyname }) => sql`drop policy ${sql(policyname)} on ${sql(tablename)}`);
  for (const statement of statements) await statement;
  await sql`alter table notes disable row level security`;
}

test('a policy is named, says where it comes from, asks for the caller once a query, and casts no text', async t => {
  const found = await policies(await ruled(t, files));
  t.equal(found.length, 23);
  for (const { policyname, comment, qual, with_check } of found) {
    const expression = `${qual ?? ''} ${with_check ?? ''}`;
    t.match(comment, /^Generated from \w.*, which is the place to change it\. meaning:[0-9a-f]{16} state:[0-9a-f]{16} version:2\.\d+$/,
      policyname);
    t.notOk(outsideOfQueries(expression).includes('service.'), expression);
    t.notMatch(expression, /\w\)::text/, policyname);
  }
});

/** An expression without the queries in it, in their brackets. */
function outsideOfQueries(expression: string): string {
  const start = expression.indexOf('( SELECT ');
  if (start < 0) return expression;
  let [depth, end] = [1, start + 1];
  for (; depth > 0 && end < expression.length; end++) depth += { '(': 1, ')': -1 }[expression[end] ?? ''] ?? 0;
  return outsideOfQueries(expression.slice(0, start) + expression.slice(end));
}

test('one policy where one says it', async t => {
  const found = await policies(await ruled(t, files));
  const of = (table: string) => found.filter(({ tablename }) => tablename === table).map(({ policyname, cmd, permissive, with_check }) =>
    `${policyname.replace(/_[0-9a-f]{7}$/, '')} ${permissive.toLowerCase()} ${cmd}${with_check === null ? '' : ' with check'}`);
  t.same(of('Tags of "posts"'), ['Tags of "posts"_all permissive ALL', 'Tags of "posts"_default_admin permissive ALL']);
  t.same(of('notes'), ['notes_all permissive ALL', 'notes_default_admin permissive ALL', 'notes_delete restrictive DELETE'],
    'from two rules too');
});

test('the script makes the policies that a start makes, twice if need be', async t => {
  const sql = await ruled(t, files);
  const expected = await policies(sql);
  const [row] = await sql<{ script: string }[]>`select service.policies_sql() as script`;
  await dropAll(sql);
  for (const time of ['once', 'again']) {
    await run(sql, row?.script ?? '');
    t.same(await policies(sql), expected, time);
  }
  t.same(await sql`select * from service.provision_plan()`, [], 'and a start has nothing left to do');
});

test('rowgate policies prints it from the files, changes nothing, and says what is wrong with them', async t => {
  const { url, sql } = await createDatabase(t, { template: 'served' });
  const folder = (given: object) => t.testdir(Object.fromEntries(Object.entries(given).map(([slug, definition]) =>
    [`${slug}.json`, JSON.stringify({ slug, ...definition as object })])));
  const command = async (given: object, ...flags: string[]) =>
    await runCommand(t, ['policies', ...flags], { DATABASE_URL: url, SERVICE_COLLECTIONS_DIR: folder(given) });
  const printed = await command(files);
  t.equal(printed.code, 0);
  t.match(printed.output, /^begin;\n\nalter table public\."Tags of ""posts""" enable row level security;\n\n/);
  t.match(printed.output, /;\n\n-- tags\.securityRules\[0\]\ndrop policy if exists .*\ncreate policy .* for all using \(/);
  t.same(await sql`select slug from service.collections`, []);
  await defineFiles(t, sql, files);
  await provision(sql);
  const expected = await policies(sql);
  await dropAll(sql);
  await run(sql, printed.output);
  t.same(await policies(sql), expected);
  const listed = JSON.parse((await command(files, '--json')).output) as {
    table: string; name: string; origin: string; statement: string;
  }[];
  t.equal(listed.length, expected.length);
  t.match(listed.find(({ name }) => name === 'notes_default_admin'), {
    schema: 'public', table: 'notes', origin: 'the default for notes',
    statement: 'create policy notes_default_admin on public.notes for all using ((select string_to_array(service.roles(), \',\') && '
      + '\'{admin}\'::text[]))',
  });
  t.match(await command({ x: { securityRules: [{ condition: { kind: 'raw', sql: '{y}' } }] } }),
    { code: 1, output: /^x\.securityRules\[0\]\.condition\.sql: \{y\} is no field of x/ });
  t.match(await command({ x: { securityRules: [{}] }, y: { securityRules: [{ access: 1 }] } }),
    { code: 1, output: /^y\.securityRules\[0\]\.access: must be "public"/ });
  t.match(await runCommand(t, ['policies', '--help'], {}), { code: 0, output: /--json .*\n.*--suggest / });
  t.match(await runCommand(t, ['policies'], { DATABASE_URL: url, SERVICE_SOURCE: 'tables' }),
    { code: 0, output: /^-- There are no collection files/ });
});

test('a seal knows roles by their names: elsewhere the same policy has the same', async t => {
  const { sql } = await createDatabase(t);
  const [database] = await sql<{ name: string }[]>`select current_database() as name`;
  const role = `${database?.name ?? ''}_reader`;
  const { sql: served } = await createDatabase(t, { template: 'served' });
  await served`create table kept (id int)`;
  const state = async (name: string): Promise<string> => {
    await served`create role ${served(name)}`;
    try {
      await served`create policy p on kept to ${served(name)} using (id > 0)`;
      return (await served<{ state: string }[]>`select service_private.policy_state(oid) as state
        from pg_policy where polname = 'p'`)[0]?.state ?? '';
    } finally {
      await served`drop policy if exists p on kept`;
      await served`drop role ${served(name)}`;
    }
  };
  const first = await state(role);
  t.equal(await state(role), first, 'another id, the same name');
  t.not(await state(`${role}_other`), first);
});

test('policies with the seals of another version are made again, not called changed', async t => {
  const sql = await ruled(t, files);
  const expected = await policies(sql);
  await sql.unsafe(`do $$ declare p record; begin
    for p in select policyname, tablename, obj_description(o.oid, 'pg_policy') as comment from pg_policies
    join pg_policy o on o.polname = policyname and o.polrelid = format('%I', tablename)::regclass where schemaname = 'public' loop
      execute format('comment on policy %I on %I is %L', p.policyname, p.tablename,
        regexp_replace(p.comment, ', which.* meaning:(\\S+) state:\\S+ version:.*', '. meaning:\\1 state:0123456789abcdef version:17'));
    end loop; end $$`).simple();
  t.match((await policies(sql)).map(({ comment }) => comment),
    expected.map(() => /^Generated from .*\. meaning:[0-9a-f]+ state:0123456789abcdef version:17$/));
  const plan = await sql<{ verdict: string }[]>`select verdict from service.provision_plan()`;
  t.same(plan.map(({ verdict }) => verdict), expected.map(() => 'safe'));
  await provision(sql);
  t.same(await policies(sql), expected);
  t.same(await sql`select * from service.provision_plan()`, []);
});
