import type postgres from 'postgres';
import { test } from 'tap';
import { createDatabase } from '../harness/database.ts';
import '../harness/service.ts'; // registers the templates
import { audited, briefly } from './audited.ts';
import { some } from '../harness/effort.ts';

type Fault = { plants: string; finds: string[] };

/** A table as it should be, in which something is then wrong. */
const notes = `
  create table notes (id int primary key, owner text not null);
  create index on notes (owner);
  alter table notes enable row level security;
  create policy own on notes using (owner = (select service.uid()));
  grant select, insert, update, delete on notes to service_user;`;

/** The same with one policy of its own for another clause. */
const clause = (text: string, operation = 'select', form = 'using') =>
  `${notes} create policy other on notes for ${operation} ${form} (${text});`;

const FAULTS: Record<string, Fault> = {
  'row security off': {
    plants: 'create table t (id int primary key); grant select on t to service_user;',
    finds: ['critical rls-disabled {"table":"t","schema":"public"}'],
  },
  'row security switched off, with policies': {
    plants: `${notes} alter table notes disable row level security;`, finds: ['critical rls-disabled {"table":"notes","schema":"public"}'],
  },
  'row security off, granted to public, where names need quotes': {
    plants: 'create schema "The \'app\'"; grant usage on schema "The \'app\'" to public; create table "The \'app\'"."a ""b""" (id int '
      + 'primary key); grant select, delete on "The \'app\'"."a ""b""" to public;',
    finds: [
      'critical rls-disabled {"table":"a \\"b\\"","schema":"The \'app\'"}',
      'medium grant-to-public {"table":"a \\"b\\"","schema":"The \'app\'"}',
    ],
  },
  'policies on a table that is not granted': {
    plants: 'create table t (id int primary key); create policy p on t using (id = 1);',
    finds: ['medium policies-without-rls {"table":"t","schema":"public"}'],
  },
  'an open junction': {
    plants: `${notes}
      create table tags (id int primary key, name text); alter table tags enable row level security; create policy admin on tags
      using ('admin' = any (string_to_array((select service.roles()), ','))); grant select on tags to service_user;
      create table notes_tags (note int references notes, tag int references tags, primary key (note, tag));
      create index on notes_tags (tag); grant select, insert on notes_tags to service_user;`,
    finds: [
      'critical rls-disabled {"table":"notes_tags","schema":"public"}',
      'high junction-table-unprotected {"table":"notes_tags","schema":"public"}',
    ],
  },
  'row security without a policy': {
    plants: 'create table t (id int primary key); alter table t enable row level security; grant select on t to service_user;',
    finds: ['medium rls-enabled-no-policies {"table":"t","schema":"public"}'],
  },
  'a table of somebody else, not forced': {
    plants: `${notes} alter table notes owner to pg_database_owner;`,
    finds: ['medium rls-enabled-not-forced {"table":"notes","schema":"public"}'],
  },
  'who may create in public': { plants: 'grant create on schema public to public;', finds: ['medium grant-to-public {"schema":"public"}'] },
  'no primary key': {
    plants: 'create table t (id int not null unique); alter table t drop constraint t_id_key; create unique index t_id on t (id);',
    finds: ['info no-primary-key {"table":"t","schema":"public"}'],
  },
  'a view that runs as its owner': {
    plants: `${notes} create view seen as select id from notes; grant select on seen to service_user;`,
    finds: ['critical view-bypasses-rls {"view":"seen","schema":"public"}'],
  },
  'such a view below another': {
    plants: `${notes} create view inner_view as select id from notes; create view outer_view with (security_invoker = yes) as select id `
      + `from inner_view; grant select on inner_view, outer_view to service_user;`,
    finds: ['critical view-bypasses-rls {"view":"inner_view","schema":"public"}'],
  },
  'a view of a closed table': {
    plants: 'create table closed (id int primary key); create view seen as select id from closed; grant select on seen to service_user;',
    finds: ['low view-runs-as-owner {"view":"seen","schema":"public"}'],
  },
  'a materialized view': {
    plants: `${notes} create materialized view counts as select count(*) from notes; grant select on counts to service_user;`,
    finds: ['high matview-bypasses-rls {"view":"counts","schema":"public"}'],
  },
  'true': { plants: clause('true'), finds: ['critical policy-always-true {"table":"notes","policy":"other","schema":"public"}'] },
  'whatever is written': { plants: clause('true', 'insert',
    'with check'), finds: ['critical policy-always-true {"table":"notes","policy":"other","schema":"public"}'] },
  'rows may be given away': {
    plants: clause('owner = (select service.uid())) with check (true', 'update'),
    finds: ['critical policy-always-true {"table":"notes","policy":"other","schema":"public"}'],
  },
  'uid is not null': {
    plants: clause('(select service.uid()) is not null'),
    finds: ['critical policy-anonymous-tautology {"table":"notes","policy":"other","schema":"public"}'],
  },
  'no guest': {
    plants: clause('not (select service.is_anonymous())'),
    finds: ['critical policy-anonymous-tautology {"table":"notes","policy":"other","schema":"public"}'],
  },
  'some function of somebody is not null': {
    plants: `create function public.user_id() returns text stable return service.uid(); ${clause('(select public.user_id()) is not null')}`,
    finds: ['medium policy-anonymous-tautology {"table":"notes","policy":"other","schema":"public"}'],
  },
  'signed in': {
    plants: clause('(select service.uid()) <> \'anonymous\''),
    finds: ['medium policy-authenticated-tautology {"table":"notes","policy":"other","schema":"public"}'],
  },
  'a write that asks nobody': { plants: clause('id > 0', 'insert',
    'with check'), finds: ['high anonymous-write-allowed {"table":"notes","policy":"other","schema":"public"}'] },
  'a setting that may not be there': {
    plants: clause('owner = (select current_setting(\'app.org\'))'),
    finds: ['medium current-setting-throws {"table":"notes","policy":"other","schema":"public"}'],
  },
  'calls once a row': {
    plants: clause(
      'owner = service.uid() or owner = service.claim(\'it\'\'s (a) service.uid()\') and id in (select 1) and owner <> \'service.uid()\'',
    ),
    finds: ['medium policy-helper-per-row {"table":"notes","policy":"other","schema":"public"}'],
  },
  'calls while partitions are chosen': {
    plants: `create table parts (owner text, id int, primary key (owner, id)) partition by list (owner);
      create table part_a partition of parts for values in ('a');
      alter table parts enable row level security; create policy own on parts using (owner = service.uid());
      grant select on parts to service_user;`,
    finds: ['medium partitioned-identity-call {"table":"parts","policy":"own","schema":"public"}'],
  },
  'a column that is compared with itself': {
    plants: `${notes} create table members (note_id int, uid text, id int primary key); create index on members (uid);
      alter table members enable row level security;
      create policy own on members using (uid = (select service.uid())); grant select on members to service_user;
      create policy other on notes for select using (exists (select from members where uid = (select service.uid()) and members.id = id));`,
    finds: ['medium unqualified-column-in-subquery {"table":"notes","column":"id","policy":"other","schema":"public"}'],
  },
  'what users say of themselves': {
    plants: clause('(select service.jwt()) #>> \'{user_metadata,role}\' = \'staff\''),
    finds: ['high policy-trusts-user-metadata {"table":"notes","policy":"other","schema":"public"}'],
  },
  'a compared column without an index': {
    plants: `${notes} drop index notes_owner_idx;`,
    finds: ['low policy-column-unindexed {"table":"notes","column":"owner","schema":"public"}'],
  },
  'two policies for one thing': {
    plants: `${clause('id > 10', 'select')} create policy another on notes for select using (id < 5 and owner <> (select service.uid()));`,
    finds: ['low duplicate-permissive-policies {"table":"notes","policy":"another","schema":"public"}'],
  },
  'a policy for a role that no request has': {
    plants: `${notes} create policy other on notes for select to pg_monitor using (id > 0);
      insert into service.collections (slug, source, name, singular_name, schema_name, table_name, key)
      values ('notes', 'introspected', 'Notes', 'Note', 'public', 'notes', '{id}');`,
    finds: ['medium policy-role-unreachable {"table":"notes","policy":"other","schema":"public"}'],
  },
  'a foreign key without an index': {
    plants: `${notes} create table kept (id int primary key, note int references notes);`,
    finds: ['low foreign-key-unindexed {"table":"kept","column":"note","schema":"public"}'],
  },
  'two equal indexes': {
    plants: `${notes} create index again on notes (owner);`, finds: ['low duplicate-index {"table":"notes","schema":"public"}'],
  },
  'the owner\'s rights with the caller\'s path': {
    plants: 'create function public.f() returns int security definer language sql as \'select 1\'; revoke execute on function public.f() '
      + 'from public;',
    finds: ['medium security-definer-mutable-search-path {"schema":"public","routine":"f"}'],
  },
  'the owner\'s rights for everybody': {
    plants: 'create function public.f("a b" int, out c int) security definer set search_path = pg_catalog language sql as \'select 1\';',
    finds: ['low security-definer-executable {"schema":"public","routine":"f"}'],
  },
  'a policy that calls what the path decides': {
    plants: `create function public.mine(text) returns boolean stable language sql as 'select $1 = service.uid()';
      ${clause('public.mine(owner)')}`,
    finds: ['low function-search-path-mutable {"schema":"public","routine":"mine"}'],
  },
  'the caller behind immutable': {
    plants: 'create function public.me() returns text immutable return current_setting(\'app.uid\', true);',
    finds: ['high identity-in-immutable-function {"schema":"public","routine":"me"}'],
  },
  'an extension in public': {
    plants: 'create extension citext schema public;', finds: ['low extension-in-public {"schema":"public","extension":"citext"}'],
  },
};

for (const [name, { plants, finds }] of some(Object.entries(FAULTS))) {
  test(`${name}: it alone is found, and its fix leaves nothing to find`, async t => {
    const { sql } = await createDatabase(t, { template: 'served' });
    await sql.unsafe(plants).simple();
    const { findings } = await audited(sql);
    t.same(findings.map(briefly), finds);
    for (const fix of new Set(findings.map(({ fix }) => fix))) await run(sql, fix);
    t.same((await audited(sql)).findings.map(briefly), []);
  });
}

test('findings with an unknown fix say why', async t => {
  const { sql } = await createDatabase(t, { template: 'served' });
  await sql`create table t (id int)`;
  const { findings: [found] } = await audited(sql);
  t.match(found, { id: 'no-primary-key', fix: null, detail: /for you to say/ });
});

test('a restriction that asks for the caller narrows what is let beside it', async t => {
  const { sql } = await createDatabase(t, { template: 'served' });
  await sql.unsafe(clause('true')).simple();
  await sql`create policy mine on notes as restrictive using (owner = (select service.uid()))`;
  t.same((await audited(sql)).findings, []);
});

test('a foreign table that requests read', async t => {
  const { sql } = await createDatabase(t, { template: 'served' });
  await sql.unsafe('create foreign data wrapper nowhere; create server nowhere foreign data wrapper nowhere; create foreign table far (id '
    + 'int) server nowhere; grant select on far to service_user;').simple();
  const { findings } = await audited(sql);
  t.same(findings.map(briefly), ['high foreign-table-readable {"table":"far","schema":"public"}']);
  await run(sql, findings[0]?.fix);
  t.same((await audited(sql)).findings, []);
});

async function run(sql: postgres.Sql, fix: string | null | undefined): Promise<void> {
  await sql.unsafe(fix ?? 'no fix').simple();
}
