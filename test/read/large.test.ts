import t, { test } from 'tap';
import { createService, tokenFor } from '../harness/service.ts';
import { client, user } from './client.ts';

// Two thousand rows that PostgreSQL takes for many more: it goes by the rows a block held when it looked last.
const service = await createService(t, {
  template: 'served',
  setup: `
    create table events (id integer generated always as identity primary key, owner text not null, kind text not null, size integer not null);
    insert into events (owner, kind, size) select (array['ann', 'ben'])[1 + n % 2], 'kind ' || n % 10, n from generate_series(1, 2000) n;
    create index on events (kind);
    alter table events enable row level security;
    create policy own on events using (owner = (select service.uid()));
    create view "sales$99" with (security_invoker = on) as select id, owner, size as "size$7" from events;
    analyze events;
    update pg_class set reltuples = 4000000, relpages = greatest(relpages, 1) where oid = 'events'::regclass;
    alter table events set (autovacuum_enabled = off);
    do $$ begin execute format('alter database %I set min_parallel_table_scan_size = 0', current_database()); end $$;`,
});

const entersFirst = async (op: string, shape: object = {}): Promise<boolean> => {
  const [row] = await service.sql`select enter_first from service.compile(${JSON.stringify({ op, path: ['events'], ...shape })}::text::jsonb, '{}')`;
  return row?.['enter_first'] === true;
};

test('a count of very many rows enters first, and may be made by several processes', async t => {
  t.ok(await entersFirst('count'));
  t.ok(await entersFirst('aggregate', { select: [{ fn: 'sum', field: 'size' }], groupBy: ['owner'], limit: { param: 2, bucket: 64 } }));
  t.notOk(await entersFirst('list', { limit: { param: 2, bucket: 64 } }), 'not a page');
  t.notOk(await entersFirst('count', { where: { id: [['==', 2]] } }), 'nor what an index leaves little of');
  const { body } = await service.request('/data/events/count?explain=true', { as: await tokenFor('ann', ['admin']) });
  t.match(JSON.stringify(body.plan), /"Node Type":"Gather/);
  t.notMatch(body.statement, /service\.enter/);
});

test('everybody counts what they may see', async t => {
  for (const [who, seen] of [['ann', 1000], ['ben', 1000], ['cid', 0]] as const) {
    const { get } = client(t, service, await user(who));
    t.same(await get('events/count'), { count: seen }, who);
    t.same((await get('events/aggregate?select=count()&groupBy=owner')).data, seen === 0 ? [] : [{ owner: who, count: seen }], who);
    t.same(await get('events/count?kind=like.kind%25&size=gt.1000'), { count: seen / 2 }, who);
  }
});

test('a name that looks like a parameter is none', async t => {
  const { get } = client(t, service, await user('ann'));
  t.same(await get('sales$99/count?size$7=gt.1000'), { count: 500 });
  t.same((await get('sales$99/aggregate?select=count()&groupBy=owner')).data, [{ owner: 'ann', count: 1000 }]);
});
