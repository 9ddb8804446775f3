import postgres from 'postgres';
import { test } from 'tap';
import { until } from '../harness/until.ts';
import { createWriter, open } from './client.ts';

const TABLES = `
  create table accounts (id integer primary key, name text, balance integer not null default 0);
  create sequence tries;
  create function work() returns trigger language plpgsql as $$ begin
    if new.name like 'pair:%' then perform nextval('tries');
    update accounts set balance = balance + 1 where id = substr(new.name, 6)::integer;
    elsif new.name = 'serialization' then perform nextval('tries'); raise exception using errcode = '40001';
    elsif new.name = 'once' and nextval('tries') = 1 then raise exception using errcode = '40001';
    elsif new.name = 'sleep' then perform nextval('tries'); perform pg_sleep(20);
    elsif new.name = 'word' then raise exception 'Not on a Sunday.';
    elsif new.name = 'read-only' then raise exception using errcode = '25006';
    elsif new.name = 'refused' then raise exception using errcode = 'GW403', message = 'Kept.',
    detail = '{"stage":"beforeDelete","path":"accounts"}', hint = 'CALLBACK_REJECTED';
    elsif new.name = 'bug' then perform 1 / 0;
    elsif new.name = 'drift' then perform nothing from nowhere;
    end if;
    return new; end $$;
  create trigger work before insert or update on accounts for each row execute function work();
  create function keep() returns trigger language plpgsql as $$ begin if old.name = 'silent' then return null; end if; return old; end $$;
  create trigger keep before delete on accounts for each row execute function keep();
  grant usage on sequence tries to service_user;
  create function wait_turn() returns trigger language plpgsql as $$ begin
    perform pg_advisory_lock_shared(1), pg_advisory_unlock_shared(1); return null; end $$;
  create trigger wait_turn before update on accounts execute function wait_turn();
  ${open('accounts')}
  insert into accounts values (1, 'a'), (2, 'b'), (3, 'c');`;

test('exceptions of a trigger reach the client by their class', async t => {
  const { send, refused, sql } = await createWriter(t, { template: 'served', setup: TABLES });
  const { status, body } = await send('PATCH', 'accounts/1', { name: 'word' });
  t.match([status, body.error], [400, { code: 'CALLBACK_REJECTED', message: 'Not on a Sunday.', details: { path: 'accounts' } }]);
  t.notOk('stage' in body.error.details, 'no callback, no stage');
  t.match((await send('PATCH', 'accounts/1', { name: 'refused' })).body.error,
    { code: 'CALLBACK_REJECTED', message: 'Kept.', details: { stage: 'beforeDelete', path: 'accounts' } });
  t.same(await refused('PATCH', 'accounts/1', { name: 'refused' }), [403, 'CALLBACK_REJECTED']);
  t.same(await refused('PATCH', 'accounts/1', { name: 'read-only' }), [409, 'READ_ONLY_TRANSACTION']);
  t.same(await refused('PATCH', 'accounts/1', { name: 'bug' }), [400, 'PG_22012']);
  t.same(await refused('PATCH', 'accounts/1', { name: 'drift' }), [500, 'SCHEMA_DRIFT']);
  await sql`update accounts set name = 'silent' where id = 3`;
  t.same(await refused('DELETE', 'accounts/3'), [403, 'WRITE_DENIED'], 'a trigger that drops the delete');
  t.same(await sql`select name from accounts order by id`, [{ name: 'a' }, { name: 'b' }, { name: 'silent' }]);
});

test('a serialization failure is tried once more', async t => {
  const { send, refused, sql } = await createWriter(t, { template: 'served', setup: TABLES });
  t.equal((await send('PATCH', 'accounts/1', { name: 'once' })).status, 200);
  await sql`select setval('tries', 1, false)`;
  t.same(await refused('PATCH', 'accounts/1', { name: 'serialization' }), [409, 'CONFLICT']);
  t.same(await sql`select last_value::int as tries from tries`, [{ tries: 2 }]);
});

test('the loser of a deadlock is tried once more', async t => {
  const { send, sql, url } = await createWriter(t, { template: 'served', setup: TABLES });
  const other = postgres(url, { max: 1, onnotice: () => undefined });
  t.teardown(() => other.end({ timeout: 1 }));
  await other`set deadlock_timeout = '60s'`; // so that it is the other side that finds the deadlock
  await other`begin`;
  await other`update accounts set balance = 10 where id = 2`;
  const patched = send('PATCH', 'accounts/1', { name: 'pair:2' }); // has locked 1, waits for 2
  await blocked(sql, 1);
  await other`select pg_advisory_xact_lock(1)`; // the second try comes after this one has ended
  const crossing = other`update accounts set balance = 10 where id = 1`.execute();
  await crossing;
  await other`commit`;
  t.equal((await patched).status, 200);
  t.same(await sql`select balance from accounts where id = 2`, [{ balance: 11 }], 'stored once');
  t.same(await sql`select last_value::int as tries from tries`, [{ tries: 2 }], 'and tried twice');
});

test('a lock that is not given in time is no answer', async t => {
  const { refused, sql, url } = await createWriter(t, { template: 'served', setup: TABLES });
  await sql.unsafe(`do $$ declare r record; begin
    for r in select rolname from pg_roles where rolname like current_database() || '%writer'
    loop execute format('alter role %I in database %I set lock_timeout = ''200ms''', r.rolname, current_database()); end loop; end $$`);
  await sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name like 'rowgate write%'`;
  const other = postgres(url, { max: 1, onnotice: () => undefined });
  t.teardown(() => other.end({ timeout: 1 }));
  await other`begin`;
  await other`select from accounts where id = 1 for update`;
  let answer = await refused('PATCH', 'accounts/1', { name: 'x' });
  if (answer[0] === 503) answer = await refused('PATCH', 'accounts/1', { name: 'x' });
  t.same(answer, [503, 'SERVICE_UNAVAILABLE']);
  await other`rollback`;
  t.same(await refused('PATCH', 'accounts/1', { name: 'x' }), [200, undefined]);
});

test('a write whose connection breaks is not sent again', async t => {
  const { refused, sql } = await createWriter(t, { template: 'served', setup: TABLES });
  const answer = refused('POST', 'accounts', { id: 9, name: 'sleep' });
  const [{ pid } = {}] = await running(sql);
  await sql`select pg_terminate_backend(${pid as number})`;
  t.same(await answer, [503, 'SERVICE_UNAVAILABLE']);
  t.same(await sql`select last_value::int as tries from tries`, [{ tries: 1 }]);
  t.same(await sql`select count(*)::int as n from accounts where id = 9`, [{ n: 0 }]);
  t.same(await refused('POST', 'accounts', { id: 9, name: 'x' }), [201, undefined], 'the next one has a connection');
});

test('many writers of one row all count', async t => {
  const { send, sql } = await createWriter(t, { template: 'served', setup: TABLES, env: { DB_POOL_MAX: '20' } });
  const answers = await Promise.all(Array.from({ length: 60 }, (_, i) => send('POST', 'accounts', { id: 100 + i, name: 'pair:1' })));
  t.same([...new Set(answers.map(({ status }) => status))], [201]);
  t.same(await sql`select balance from accounts where id = 1`, [{ balance: 60 }]);
});

/** Waits until so many writes wait for a lock. */
async function blocked(sql: postgres.Sql, count: number): Promise<void> {
  await until(`${count} wait for a lock`, async () => (await sql`
    select from pg_stat_activity
    where datname = current_database() and application_name like 'rowgate write%' and wait_event_type = 'Lock'`).length >= count);
}

/** Waits until the trigger of a write sleeps. */
async function running(sql: postgres.Sql): Promise<postgres.Row[]> {
  return until('it sleeps', async () => {
    const found = await sql`
      select pid from pg_stat_activity where datname = current_database() and application_name like 'rowgate write%'
      and wait_event = 'PgSleep'`;
    return found.length > 0 && found;
  });
}

