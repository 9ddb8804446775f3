// Functions of a project, in the schema that is served: they name their own tables without it.
import { test } from 'tap';
import type { Lane } from '../../gateway/database/lane.ts';
import { createService, openService, tokenFor } from '../harness/service.ts';

const SHOP = `
  create schema "Shop";
  create table "Shop".customers (id integer generated always as identity primary key, name text not null, owner text);
  create table "Shop".visits (customer integer, seen text);
  create table "Shop".friends (owner text, friend text);
  insert into "Shop".friends values ('ann', 'bob');
  grant select on "Shop".friends to service_user; grant insert on "Shop".visits to service_user;
  create function "Shop".noted() returns trigger language plpgsql as $$ begin insert into visits values (new.id, new.name);
  return new; end $$;
  create trigger noted after insert on "Shop".customers for each row execute function "Shop".noted();
  create function "Shop".sees(whom text) returns boolean language plpgsql stable as $$ begin
    return exists (select from friends f where f.owner = whom and f.friend = service.uid()); end $$;
  alter table "Shop".customers enable row level security;
  create policy own on "Shop".customers using (owner = (select service.uid()) or "Shop".sees(owner));`;

test('triggers and policies of another schema than public find their own tables', async t => {
  const { request, sql } = await createService(t, { template: 'served', setup: SHOP, env: { SERVICE_INTROSPECT_SCHEMA: 'Shop' } });
  const [ann, bob, eve] = [await tokenFor('ann'), await tokenFor('bob'), await tokenFor('eve')];
  for (let i = 0; i < 3; i++) {
    const { status, text } = await request('/data/customers',
      { method: 'POST', as: ann, body: JSON.stringify({ name: `c${i}`, owner: 'ann' }) });
    t.equal(status, 201, text);
  }
  const count = async (as: string) => (await request('/data/customers/count', { as })).body.count as number;
  t.same([await count(ann), await count(bob), await count(eve)], [3, 3, 0]);
  t.same((await sql`select seen from "Shop".visits order by seen`).map(({ seen }) => seen as string), ['c0', 'c1', 'c2']);
});

test('the database\'s search path does not precede the served schema', async t => {
  const { sql, url } = await createService(t, { template: 'served', setup: `create schema a; create schema "B c";
    do $$ begin execute format('alter database %I set search_path = "$user", "B c", public', current_database()); end $$` });
  const path = async (schema: string) => (await sql`select service_private.lane_path(${schema}) as path`)[0]?.['path'] as string;
  t.same([await path('public'), await path('a'), await path('B c')], ['public, "B c"', 'a, "B c", public', '"B c", public']);
  const shown = async (run: Lane['run']) =>
    Buffer.from((await run({ text: 'show search_path', prepare: false, enterFirst: false }, []))[0] ?? []).toString();
  const service = await openService(url, { SERVICE_INTROSPECT_SCHEMA: 'a' });
  t.teardown(service.close);
  t.same([await shown(service.database.lanes.scan.run), await shown(service.database.lanes.write.run)],
    ['a, "B c", public', 'a, "B c", public']);
});
