import { test } from 'tap';
import { textOf, until } from '../database/lanes.ts';
import { createDatabase } from '../harness/database.ts';
import { openService } from '../harness/service.ts';
import { NOTES, pooler } from './poolers.ts';

test('a session keeps a bounded number of write plans, and writes go on when it is full', async t => {
  const pooled = await pooler(t, { settings: { default_pool_size: '1' } });
  if (!pooled) return;
  const { url, sql } = await createDatabase(t, { template: 'served' });
  await sql.unsafe(NOTES).simple();
  const service = await openService(url, { DB_POOL_MAX: '5' }, pooled(url));
  t.teardown(service.close);
  const names = Array.from({ length: 8 }, (_, n) => `c${n}`);
  // A trigger after the row keeps these writes from being one statement, which is prepared by other means.
  await sql.unsafe(`${names.map(name => `alter table note add column ${name} int;`).join('')}
    create function nothing() returns trigger language plpgsql as 'begin return null; end';
    create trigger nothing after insert on note for each row execute function nothing();`).simple();
  await until('the columns are known', async () => (await service.request('/data/note?c7=eq.1')).status === 200);
  const write = (shape: number) => service.request('/data/note', { method: 'POST', body: JSON.stringify(Object.fromEntries(names.filter((_, bit) => shape & (1 << bit)).map(name => [name, shape]))) });
  const kept = async (): Promise<number> => Number(textOf(await service.database.lanes.write.run({ text: "select count(*)::text from pg_prepared_statements where from_sql and name like 'write%'", prepare: false, enterFirst: false }, [])));
  const statuses = new Set<number>();
  for (let shape = 1; shape <= 240; shape++) for (let time = 1; time <= 3; time++) statuses.add((await write(shape)).status);
  t.same([...statuses], [201]);
  const full = await kept();
  t.ok(full >= 400 && full <= 401, `${full} statements are kept`);
  t.equal((await write(1)).status, 201, 'one that is kept');
  t.equal((await write(239)).status, 201, 'one that is not');
  await service.database.lanes.write.run({ text: "do $$ declare kept text; begin for kept in select name from pg_prepared_statements where from_sql loop execute format('deallocate %I', kept); end loop; end $$", prepare: false, enterFirst: false }, []);
  t.equal(await kept(), 0);
  t.equal((await write(1)).status, 201, 'what was taken away is not missed');
});
