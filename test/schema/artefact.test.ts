import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { createDatabase } from '../harness/database.ts';
import { ROOT } from '../harness/server.ts';
import { schema } from '../harness/service.ts';
import { ARTEFACT, dumpSchema, provision } from './dump.ts';

test('the migrations make the schema that migrations/schema.sql shows', async t => {
  const { sql } = await createDatabase(t);
  await provision(sql);
  t.equal(await dumpSchema(sql), readFileSync(ARTEFACT, 'utf8'), 'after a change: npm run schema');
});

test('the files of sql/ and policies/ are what stands in the database', async t => {
  const { sql } = await createDatabase(t, { template: 'served' });
  await provision(sql);
  const migrated = await dumpSchema(sql);
  for (const { path, text } of schema.sources) await t.resolves(sql.unsafe(text).simple(), `${path} can be run again`);
  t.equal(await dumpSchema(sql), migrated);
});

test('the schema\'s text tells a difference in any of its parts', async t => {
  const { sql } = await createDatabase(t, { template: 'served' });
  await provision(sql);
  const changes = [
    'create table service.extra ()', 'alter table service.extra add column n int', 'alter table service.extra alter n set default 1',
    'alter table service.extra alter n set not null', 'alter table service.extra add constraint positive check (n > 0)',
    'create index on service.extra (n)', 'alter table service.extra enable row level security',
    'create policy everyone on service.extra using (true)', 'comment on table service.extra is \'x\'',
    'comment on column service.extra.n is \'x\'', 'grant select on service.extra to service_user',
    'grant update (n) on service.extra to public', 'create sequence service.extra_numbers',
    'create view service.extra_view as select 1 as one', 'create function service.extra() returns int language sql return 1',
    'revoke all on function service.extra() from public',
    'select service_private.install(\'sql/extra.sql\', \'create or replace function service.extra() returns int language sql return 1\')',
    'select service_private.install(\'sql/extra.sql\', \'create or replace function service.extra() returns int language sql return 2\')',
    'alter function service.extra() security definer', 'alter function service.extra() set search_path = pg_temp',
    'create type service.extra_type as enum (\'a\')', 'alter type service.extra_type add value \'b\'',
    'create domain service.extra_domain as text',
    'create trigger extra before update on service.extra for each row execute function suppress_redundant_updates_trigger()',
    'drop event trigger service_drop',
    'grant create on schema service to service_user',
  ];
  let shown = await dumpSchema(sql);
  for (const change of changes) {
    await sql.unsafe(change);
    const before = shown;
    shown = await dumpSchema(sql);
    t.not(shown, before, change);
  }
});

test('nothing waits to be committed', t => {
  const lines = readFileSync(join(ROOT, 'migrations/current.sql'), 'utf8').split('\n').filter(line => line.trim() !== '');
  t.same(lines, ['-- Enter migration here']);
  t.end();
});
