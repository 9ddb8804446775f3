// Policies and triggers as they stand in databases that PostgREST or Supabase has served.
import { test } from 'tap';
import { lendService } from '../harness/lend.ts';
import { tokenFor, type Answer } from '../harness/service.ts';

const ADA = '6f1f0b1e-8a5c-4c62-9a3e-2f1f6f3f0001';
const EVE = '6f1f0b1e-8a5c-4c62-9a3e-2f1f6f3f0002';

/** auth.* as Supabase has them. */
const NOTES = `
  create schema auth;
  create function auth.uid() returns uuid language sql stable as $$
    select coalesce(nullif(current_setting('request.jwt.claim.sub', true), ''),
      nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub')::uuid $$;
  create function auth.role() returns text language sql stable as $$
    select coalesce(nullif(current_setting('request.jwt.claim.role', true), ''),
      nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'role')::text $$;
  create function auth.jwt() returns jsonb language sql stable as $$
    select coalesce(nullif(current_setting('request.jwt.claim', true), ''),
      nullif(current_setting('request.jwt.claims', true), ''))::jsonb $$;
  grant usage on schema auth to service_user;
  create table notes (id integer generated always as identity primary key, user_id uuid default auth.uid(), body text not null,
    is_public boolean not null default false, org text default (auth.jwt() -> 'app_metadata' ->> 'org'), written_by text);
  alter table notes enable row level security;
  create policy own on notes using ((select auth.uid()) = user_id) with check (auth.uid() = user_id);
  create policy everything on notes using (auth.role() = 'service_role');
  create policy visitors on notes
  for select using (current_setting('request.jwt.claims', true)::json ->> 'role' in ('anon', 'authenticated') and is_public);
  create function written_by() returns trigger language plpgsql as $$ begin
    new.written_by := concat_ws(' ', current_setting('request.jwt.claims', true)::json ->> 'role', auth.uid());
    return new;
  end $$;
  create trigger written_by before insert or update on notes for each row execute function written_by();`;

/** Settings that only a superuser can store with the logins of requests, before these have connected. */
const RESET = `do $$ declare name text; begin
  foreach name in array '{reader,writer}'::text[] loop
    execute format('alter role %I in database %I reset request.jwt.claims', current_database() || '_' || name, current_database());
  end loop;
end $$`;

const bodies = ({ body }: Answer): string[] => (body.data as { body: string }[]).map(row => row.body).sort();

for (const isStored of [true, false]) test(`policies and triggers that look for PostgREST's claims find them, on logins ${isStored
  ? 'with'
  : 'without'} a stored setting`, async t => {
  const { request, sql } = await lendService(t, { template: 'served', setup: NOTES, env: { AUTH_REQUIRE: 'false' } });
  if (!isStored) await sql.unsafe(RESET).simple();
  const ada = await tokenFor(ADA, ['service_role'], { role: 'service_role', sub: EVE, app_metadata: { org: 'acme' } });
  const eve = await tokenFor(EVE);
  const post = (body: object, as?: string | null) =>
    request('/data/notes', { method: 'POST', body: JSON.stringify(body), ...(as !== undefined && { as }) });
  t.match((await post({ body: 'mine' }, ada)).body, { userId: ADA, org: 'acme', writtenBy: `authenticated ${ADA}` },
    'what a token says of its role and sub is not believed');
  t.match((await post({ body: 'hers', isPublic: true }, eve)).body, { userId: EVE, org: null, writtenBy: `authenticated ${EVE}` });
  t.match((await post({ body: 'ours' })).body, { userId: null, writtenBy: 'service_role' }, 'the service key is no person');
  t.equal((await post({ body: 'theirs', userId: EVE }, ada)).body.error.code, 'WRITE_DENIED');
  t.equal((await post({ body: 'nobody\'s' }, null)).body.error.code, 'WRITE_DENIED');
  t.same(bodies(await request('/data/notes', { as: ada })), ['hers', 'mine']);
  t.same(bodies(await request('/data/notes', { as: eve })), ['hers']);
  t.same(bodies(await request('/data/notes')), ['hers', 'mine', 'ours'].sort());
  t.same(bodies(await request('/data/notes', { as: null })), ['hers']);
});

test('the claims of the gateway are those that SQL makes for psql', async t => {
  const service = await lendService(t, { template: 'served', env: { AUTH_REQUIRE: 'false' }, setup: `
    create table mirror (id integer primary key); insert into mirror values (1);
    alter table mirror enable row level security;
    create policy everybody on mirror using (true);
    create view callers with (security_invoker = on) as select id, current_setting('request.jwt.claims', true) as claims,
    service.jwt() as jwt from mirror;
    comment on view callers is '@key id';` });
  const seen = async (as?: string | null): Promise<{ claims: object; jwt: object }> => {
    const { body } = await service.request('/data/callers/1', as === undefined ? {} : { as });
    return { claims: JSON.parse(body.claims) as object, jwt: body.jwt as object };
  };
  const inSql = async (claims: object): Promise<unknown> => {
    const [row] = await service.sql`select service.get('callers', '1', '{}', ${JSON.stringify(claims)}::text::jsonb)
      ->> 'claims' as claims`;
    return JSON.parse(row?.['claims'] as string);
  };
  for (const [uid, roles, isAnonymous, as, role] of [
    ['anonymous', ['anon'], false, null, 'anon'], ['service', ['admin'], false, undefined, 'service_role'],
    [ADA, ['a', 'b"\\'], false, await tokenFor(ADA, ['a', 'b"\\'], { role: 'admin', 'org "id"': ['å', null] }), 'authenticated'],
    ['guest', [], true, await tokenFor('guest', [], { isAnonymous: true }), 'authenticated'],
  ] as [string, string[], boolean, string | null | undefined, string][]) {
    const { claims, jwt } = await seen(as);
    t.match(claims, { role, roles, is_anonymous: isAnonymous, sub: role === 'authenticated' ? uid : undefined }, uid);
    t.same(await inSql({ uid, roles: roles.join(','), isAnonymous, jwt }), claims, uid);
  }
  t.same(await inSql({}), { role: 'anon', roles: ['anon'], is_anonymous: false });
  t.same(await inSql({ uid: 'ada', jwt: { role: 'service_role', sub: 'eve' } }),
    { sub: 'ada', role: 'authenticated', roles: [], is_anonymous: false });
  t.same((await service.sql`select nullif(current_setting('request.jwt.claims', true), '') as claims`)[0]?.['claims'], null,
    'and nothing stays behind');
});

test('a policy for a role of another server is named with a rewriting that does what it did', async t => {
  const roles = ['authenticated', 'anon', 'service_role', 'rowgate test "editor"'];
  const service = await lendService(t, { template: 'served', env: { AUTH_REQUIRE: 'false' }, setup: `
    do $$ declare name text; begin
      foreach name in array '{${roles.map(role => `"${role.replaceAll('"', '\\"')}"`).join(',')}}'::text[] loop
        if not exists (select from pg_roles where rolname = name) then execute format('create role %I', name); end if;
      end loop;
    end $$;
    create table posts (id integer generated always as identity primary key, title text not null);
    alter table posts enable row level security;
    create policy read on posts for select to authenticated, "rowgate test ""editor""" using (title <> 'draft');
    create policy write on posts for insert to "rowgate test ""editor""" with check (title <> 'spam');
    create policy visitors on posts as restrictive for select to anon using (title = 'open');
    create policy public on posts for select using (title in ('open', 'closed'));
    insert into posts (title) values ('open'), ('closed'), ('news'), ('draft');` });
  const titles = async (as?: string | null) =>
    ((await service.request('/data/posts?orderBy=id', as === undefined ? {} : { as })).body.data as { title: string }[]).map(({ title }) =>
      title);
  const found = await service.sql<{ policy: string; roles: string; rewriting: string }[]>`select * from service.unreachable_policies()`;
  t.same(found.map(({ policy, roles: named }) => [policy, named]),
    [['read', 'authenticated, rowgate test "editor"'], ['visitors', 'anon'], ['write', 'rowgate test "editor"']]);
  t.same(await titles(await tokenFor(ADA)), ['open', 'closed']);
  for (const { rewriting } of found) await service.sql.unsafe(rewriting);
  t.same(await service.sql`select * from service.unreachable_policies()`, []);
  const editor = await tokenFor(EVE, ['rowgate test "editor"']);
  t.same(await titles(await tokenFor(ADA)), ['open', 'closed', 'news']);
  t.same(await titles(editor), ['open', 'closed', 'news']);
  t.same(await titles(null), ['open'], 'a restrictive policy narrows only those that it was for');
  t.same(await titles(), ['open', 'closed'], 'the service key is neither');
  const post = async (title: string, as: string) =>
    (await service.request('/data/posts', { method: 'POST', as, body: JSON.stringify({ title }) })).status;
  t.same([await post('a', editor), await post('spam',
    editor), await post('a', await tokenFor(ADA)), await post('a', await tokenFor(ADA, ['anon']))], [201, 403, 403, 403]);
});
