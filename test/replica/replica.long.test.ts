import { test, type Test } from 'tap';
import { openService, tokenFor, type TestService } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { ask, start, usedFolder } from '../start/folders.ts';
import { standbyOf, type Standby } from './standby.ts';

/** A view tells where its reader is. */
const TABLES = `
  create table note (id int primary key, owner text, text text);
  alter table note enable row level security;
  create policy own on note using (owner = (select service.uid())) with check (owner = (select service.uid()));
  insert into note values (1, 'ann', 'one'), (2, 'bob', 'two');
  create table place (id int primary key); insert into place values (1);
  alter table place enable row level security; create policy everyone on place using (true);
  create view seen with (security_invoker) as select id, pg_is_in_recovery() as replica, coalesce(pg_last_wal_replay_lsn()::text, '') as at
  from place;
  comment on view seen is '@key id';
  create view slow with (security_invoker) as select p.id, n.text, pg_sleep(case when pg_is_in_recovery() then 60 else 0 end)::text as slept
  from place p left join note n on n.id = 100;
  comment on view slow is '@key id';
  create function read_at() returns boolean language sql stable as 'select pg_is_in_recovery()';
  comment on function read_at is '@endpoint';
  create function written_at() returns boolean language sql as 'select pg_is_in_recovery()';
  comment on function written_at is '@endpoint';
  create function all_seen() returns setof seen language sql stable as 'select * from seen';
  comment on function all_seen is '@endpoint';`;

type Setup = {
  service: Omit<TestService, 'sql' | 'url'>; primary: { url: string; stop: () => Promise<void> }; standby: Standby;
  onReplica: (headers?: Record<string, string>) => Promise<boolean>;
};

async function replicated(t: Pick<Test, 'teardown'>, env: Record<string, string> = {}): Promise<Setup> {
  const dir = await usedFolder(t);
  const primary = await start(t, dir, { settings: { fsync: 'off', wal_keep_size: '64MB' } });
  const first = await openService(primary.url); // the schema and the roles, so that the replica begins with them
  await first.close();
  await ask(primary.url, TABLES);
  const standby = await standbyOf(t, { url: primary.url, dir });
  const service = await openService(primary.url, { DATABASE_READ_URL: standby.url, DATABASE_READ_MAX_LAG: '1000', ...env });
  t.teardown(service.close);
  const onReplica = async (headers: Record<string, string> = {}): Promise<boolean> => {
    const { status, body } = await service.request('/data/seen/1', { headers });
    if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
    return body.replica;
  };
  await until('reads go to the replica', () => onReplica());
  return { service, primary, standby, onReplica };
}

const health = async ({ address }: Pick<TestService, 'address'>): Promise<{ status: number; body: any }> => {
  const response = await fetch(`${address}/health`);
  return { status: response.status, body: await response.json() };
};

test('reads run on the replica as their callers, writes and reads that ask for it on the primary', async t => {
  const { service, onReplica } = await replicated(t);
  const [ann, bob] = [await tokenFor('ann'), await tokenFor('bob')];
  for (const [as, ids] of [[ann, [1]], [bob, [2]]] as const) {
    t.same((await service.request('/data/note?fields=id', { as })).body.data, ids.map(id => ({ id })), 'row security holds there');
  }
  t.equal((await service.request('/data/note/2', { as: ann })).status, 404);
  t.ok((await service.request('/data/seen')).body.data[0].replica, 'lists too');
  const asked = await service.request('/data/seen/1', { headers: { prefer: 'read=primary' } });
  t.equal(asked.body.replica, false);
  t.equal(asked.headers.get('preference-applied'), 'read=primary');
  t.equal(
    (await service.request('/data/seen?limit=1', { headers: { prefer: 'count=none, read=primary' } })).headers.get('preference-applied'),
    'count=none, read=primary',
  );
  for (let id = 10; id < 30; id++) {
    const made = await service.request('/data/note', { method: 'POST', as: ann, body: JSON.stringify({ id, owner: 'ann', text: 'new' }) });
    t.match(made, { status: 201, body: { id } }, 'the row of a write is read where it was written');
    t.equal((await service.request(`/data/note/${id}`, { as: ann, headers: { prefer: 'read=primary' } })).status, 200,
      'who asks for it sees its own write');
  }
  t.equal((await service.request('/data/note', { method: 'POST', as: ann, body: JSON.stringify({ id: 99, owner: 'bob' }) })).status, 403);
  t.match(await health(service), { status: 200, body: { status: 'ok' } });
  t.ok(await onReplica());
});

test('functions that only read run on the replica, others on the primary', async t => {
  const { service } = await replicated(t);
  const at = async (path: string, how: object = {}) => (await service.request(`/functions/${path}`, how)).body;
  t.equal(await at('read_at'), true);
  t.equal(await at('read_at', { headers: { prefer: 'read=primary' } }), false);
  t.match(await at('all_seen'), { data: [{ replica: true }] });
  t.equal(await at('written_at', { method: 'POST' }), false);
});

test('gets that are coalesced are read where each asks for it', async t => {
  const { service } = await replicated(t, { SERVICE_COALESCE: 'always' });
  const asked = Array.from({ length: 60 }, (_, n) => n % 3 === 0);
  const answers = await Promise.all(asked.map(onPrimary =>
    service.request('/data/seen/1', { headers: onPrimary ? { prefer: 'read=primary' } : {} })));
  t.same(answers.map(({ body }) => body.replica), asked.map(onPrimary => !onPrimary));
  const { coalescing } = (await service.request('/data/seen/1?explain=true')).body;
  t.ok(coalescing.coalesced > 0, JSON.stringify(coalescing));
});

test('a replica that is gone: reads go to the primary and come back, and health says so', async t => {
  const { service, standby, onReplica } = await replicated(t);
  await standby.stop();
  const answers = await Promise.all(Array.from({ length: 40 }, (_, n) => service.request(n % 2 ? '/data/seen/1' : '/data/seen')));
  t.same([...new Set(answers.map(({ status }) => status))], [200], 'nobody notices');
  t.notOk(await onReplica());
  await until('health knows', async () => (await health(service)).body.status === 'degraded');
  t.match(await health(service), { status: 200, body: { dataSources: [{ key: '(replica)', error: String }] } });
  await standby.start();
  await until('reads are back', () => onReplica());
  t.match(await health(service), { status: 200, body: { status: 'ok' } });
});

test('a replica that falls behind is left until it has caught up', async t => {
  const { service, primary, standby, onReplica } = await replicated(t);
  await ask(standby.url, 'select pg_wal_replay_pause()');
  await ask(primary.url, `update note set text = 'newer' where id = 1`);
  await until('reads go to the primary', async () => !await onReplica());
  t.equal((await service.request('/data/note/1', { as: await tokenFor('ann') })).body.text, 'newer');
  t.match((await health(service)).body, { status: 'degraded', dataSources: [{ error: /behind/ }] });
  await resume(standby.url);
  await until('reads are back', () => onReplica());
});

test('reads that the replica cannot answer yet, or cancels for replayed changes, run on the primary', async t => {
  const { service, primary, standby } = await replicated(t, { DATABASE_READ_MAX_LAG: '600000' });
  const slow = service.request('/data/slow/1');
  await until('it runs',
    async () => (await ask(standby.url, `select from pg_stat_activity
      where query like '%slow%' and state = 'active' and pid <> pg_backend_pid()`)).length > 0);
  await ask(primary.url, 'alter table note add column later int');
  t.match(await slow, { status: 200, body: { id: 1 } }, 'a conflict with what is replayed');
  await ask(standby.url, 'select pg_wal_replay_pause()');
  await ask(primary.url, `create table fresh (id int primary key); insert into fresh values (1);
    alter table fresh enable row level security; create policy everyone on fresh using (true)`);
  await until('the new table is served', async () => (await service.request('/data/fresh/1')).status === 200);
  t.match(await service.request('/data/fresh'), { body: { meta: { total: 1 } } });
  await resume(standby.url);
});

test('without the primary reads work where they can, and health says 503', async t => {
  const { service, primary, onReplica } = await replicated(t);
  const ann = await tokenFor('ann');
  t.equal((await service.request('/data/note/1', { as: ann })).status, 200);
  await primary.stop();
  t.match(await service.request('/data/note/1', { as: ann }), { status: 200, body: { text: 'one' } });
  t.ok(await onReplica());
  t.equal((await service.request('/data/note', { method: 'POST', as: ann, body: '{"id": 5, "owner": "ann"}' })).status, 503);
  t.equal((await health(service)).status, 503);
});

test('a server that is no replica of this database is not read', async t => {
  const { primary } = await replicated(t);
  const other = await start(t, await usedFolder(t));
  await (await openService(other.url)).close();
  const service = await openService(primary.url, { DATABASE_READ_URL: other.url });
  t.teardown(service.close);
  t.notOk((await service.request('/data/seen/1')).body.replica);
  t.match((await health(service)).body, { status: 'degraded' });
  const own = await openService(primary.url, { DATABASE_READ_URL: primary.url });
  t.teardown(own.close);
  t.match((await health(own)).body, { status: 'ok' }, 'the primary\'s own address is as good');
});

/** Replayed changes may be in conflict with the very statement that asks for them. */
async function resume(url: string): Promise<void> {
  await ask(url, 'select pg_wal_replay_resume()').catch((error: unknown) => {
    if ((error as { code?: string }).code !== '40001') throw error;
  });
}
