import { test } from 'tap';
import { createDatabase } from '../harness/database.ts';
import { childrenOf } from '../harness/children.ts';
import { answeredBy, BOTH, isOk, startOn } from './service.ts';

test('DDL reaches every worker', async t => {
  const { url, sql } = await createDatabase(t, { template: 'served' });
  const service = await startOn(t, { DATABASE_URL: url });
  await answeredBy(service, BOTH, '/data/note', ({ status }) => status === 404);
  await sql.unsafe(
    'create table note (id int primary key); alter table note enable row level security; create policy everyone on note using (true)',
  ).simple();
  await answeredBy(service, BOTH, '/data/note', isOk);
  await sql.unsafe('alter table note add column text text; insert into note values (1, \'first\')').simple();
  await answeredBy(service, BOTH, '/data/note?text=eq.first', ({ text }) => text.includes('"total":1'));
  await sql`drop table note`;
  await answeredBy(service, BOTH, '/data/note', ({ status }) => status === 404);
});

test('one worker, which is the default, is the process itself', async t => {
  const { url } = await createDatabase(t, { template: 'served' });
  const service = await startOn(t, { DATABASE_URL: url, SERVICE_WORKERS: '' });
  t.match(await service.ask('/health'), { status: 200, worker: undefined });
  t.same(childrenOf(service.gateway.process, 'worker'), []);
});
