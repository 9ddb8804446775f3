import { test } from 'tap';
import { createService, storeFiles } from '../harness/service.ts';

const OWN = `
  create table note (id int primary key, owner text default service.uid(),
    text text, by_owner text generated always as (service_private.base64url(text::bytea)) stored,
    constraint signed check (service.uid() <> ''));
  create table untouched (id int primary key, owner text default 'nobody');
  alter table note enable row level security;
  create policy own on note for update to service_user, public using (owner = (select service.uid())) with check (true);
  create policy readers on note for select to service_user using (true);
  create policy everyone on note for insert with check (true);
  create view mine as select * from note where owner = service.uid();
  create view mine_too as select id from mine;
  create function noted() returns text begin atomic select service.uid(); end;
  create function free() returns text language sql as 'select service.uid()';
  create index on note (service_private.base64url(text::bytea));
  create function touch() returns trigger language plpgsql as 'begin return new; end';
  create trigger touched before update on note for each row when (service.uid() is not null) execute function touch();
`;

test('foreign objects that the drop would take along are listed, and create themselves again', async t => {
  const { sql, close } = await createService(t, { template: 'served', setup: OWN });
  await close();
  const found = await sql<{ kind: string; name: string; definition: string | null }[]>`select * from service.dependents()`;
  t.same(found.map(({ kind, name }) => `${kind} ${name}`), [
    'default value for public.note.owner', 'function public.noted()', 'index public.note_base64url_idx', 'policy own on public.note',
    'policy readers on public.note', 'table column public.note.by_owner', 'table constraint signed on public.note',
    'trigger touched on public.note', 'view public.mine', 'view public.mine_too',
  ]);

  const policies = () =>
    sql`select policyname, permissive, roles, cmd, qual, with_check from pg_policies where tablename = 'note' order by 1`;
  const before = await policies();
  await sql.begin(async transaction => {
    for (const { kind, name } of found.filter(({ kind }) => kind === 'policy')) await transaction.unsafe(`drop ${kind} ${name}`);
    for (const { definition } of found.filter(({ kind }) => kind === 'policy')) await transaction.unsafe(definition ?? '');
  });
  t.same(await policies(), before);

  const wanted = ['default value', 'function', 'policy', 'table constraint', 'trigger', 'view'];
  t.same(found.filter(({ kind, definition }) => wanted.includes(kind) && definition === null), [], 'each has its statement');

  const there = () => sql<{ name: string }[]>`
    select 'policy ' || policyname as name from pg_policies where schemaname = 'public'
    union all select 'view ' || viewname from pg_views where schemaname = 'public'
    union all select 'function ' || proname from pg_proc where pronamespace = 'public'::regnamespace
    and proname in ('noted', 'free', 'touch')
    union all select 'trigger ' || tgname from pg_trigger where not tgisinternal
    union all select 'column ' || attrelid::regclass || '.' || attname
    from pg_attribute where attrelid in ('note'::regclass, 'untouched'::regclass) and attnum > 0 and not attisdropped
    union all select 'constraint ' || conname from pg_constraint where connamespace = 'public'::regnamespace and contype <> 'n'
    order by 1`;
  await sql.unsafe('drop schema service, service_private cascade; drop owned by service_user').simple();
  t.same((await there()).map(({ name }) => name), [
    'column note.id', 'column note.owner', 'column note.text', 'column untouched.id', 'column untouched.owner',
    'constraint note_pkey', 'constraint untouched_pkey', 'function free', 'function touch', 'policy everyone',
  ], 'what was not listed is there');
});

test('Rowgate\'s own objects are not listed: triggers, policies of rules, search columns', async t => {
  const { sql } = await createService(t, { env: storeFiles });
  const [made] = await sql`select count(*)::int as triggers from pg_trigger t join pg_proc p on p.oid = t.tgfoid
    where p.pronamespace in ('service'::regnamespace, 'service_private'::regnamespace)`;
  t.ok(made?.['triggers'] > 0);
  t.same(await sql`select kind, name from service.dependents()`, []);
});
