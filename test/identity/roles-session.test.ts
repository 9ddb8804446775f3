import postgres from 'postgres';
import { test, type Test } from 'tap';
import { lendService } from '../harness/lend.ts';
import type { TestService } from '../harness/service.ts';
import { readerLogin } from './isolation-run.ts';

/** Statements of an attacker who controls a lane's connection. */
const REFUSED: [statement: string, code: string][] = [
  ['select * from service.login_key', '42501'],
  ['select * from service.cursor_key', '42501'],
  ['select inner_key::text from service.cursor_key', '42501'],
  ['select k from service.login_key k', '42501'],
  ['table service.collections', '42501'],
  ['select count(*) from service.migrations', '42501'],
  ['copy service.login_key to stdout', '42501'],
  ['create view public.keys as select * from service.login_key', '42501'],
  ['create policy all_keys on service.login_key using (true)', '42501'],
  ['alter table service.login_key disable row level security', '42501'],
  ['create function public.upper(text) returns text language sql return \'hijacked\'', '42501'],
  ['create function service.uid(integer) returns text language sql return \'hijacked\'', '42501'],
  ['create or replace function service.uid() returns text language sql return \'hijacked\'', '42501'],
  ['create operator public.= (leftarg = text, rightarg = text, function = texteq)', '42501'],
  ['create table public.mine (id integer)', '42501'],
  ['create schema mine', '42501'],
  ['create extension citext', '42501'],
  ['create role mine', '42501'],
  ['alter role service_user superuser', '42501'],
  ['grant select on service.login_key to service_user', '42501'],
  ['alter table public.products disable row level security', '42501'],
  ['alter table public.products owner to service_user', '42501'],
  ['drop policy everybody on public.products', '42501'],
  ['create trigger mine before insert on public.products execute function suppress_redundant_updates_trigger()', '42501'],
  ['select service.compile(\'{}\', \'{}\')', '42501'],
  ['select service_private.login_role(\'mine\', \'x\', \'{}\')', '42501'],
  ['select service_private.run(\'{}\', \'{}\')', '42501'],
  ['select rolpassword from pg_authid', '42501'],
  ['select passwd from pg_shadow', '42501'],
  ['select pg_read_file(\'postgresql.conf\')', '42501'],
  ['copy public.products to program \'true\'', '42501'],
  ['select pg_ls_dir(\'.\')', '42501'],
  ['alter system set row_security = off', '42501'],
  ['set session_replication_role = replica', '42501'],
  ['set session authorization default; set session authorization pg_read_all_data', '42501'],
  ['set role pg_read_all_data', '42501'],
  ['set role pg_write_all_data', '42501'],
  ['set role pg_execute_server_program', '42501'],
  ['set row_security = off; select * from public.customers', '42501'],
  ['reset role; select * from service.login_key', '42501'],
  ['set role none; select * from public.products', '42501'],
  ['set role none; select * from service.login_key', '42501'],
  ['set role none; select service.enter(\'\')', '42501'],
  ['set role none; create table public.mine (id integer)', '42501'],
];

test('a lane\'s connection cannot be made into more than it is', async t => {
  const service = await lendService(t);
  const [row] = await service.sql<{ owner: string }[]>`select current_user as owner`;
  for (const [statement, code] of [...REFUSED, [`set role "${row?.owner ?? ''}"`, '42501'] as [string, string]]) {
    const lane = await connection(t, service);
    // Past what the read-only default alone would refuse.
    await lane.unsafe('set default_transaction_read_only = off').simple();
    const refusal = await lane.unsafe(statement).simple().then(() => undefined, (error: unknown) => error as postgres.PostgresError);
    t.equal(refusal?.code, code, `${statement}: ${refusal?.message ?? 'went through'}`);
    await lane.end();
  }
});

test('reset, discard and a new transaction leave the role and the read-only default as they were', async t => {
  const lane = await connection(t, await lendService(t));
  for (const statement of [
    'reset role', 'reset all', 'discard all', 'set role none; reset role', 'set session authorization default; reset role',
    'begin; set local role none; rollback',
  ]) {
    await lane.unsafe(statement).simple();
    t.same(await state(lane), { role: 'service_user', readOnly: 'on', uid: null }, statement);
  }
});

test('a cursor\'s signature does not change for a caller that shadows its functions', async t => {
  const lane = await connection(t, await lendService(t));
  const seal = async (): Promise<unknown> =>
    (await lane`select service_private.cursor_seal('products', '{"k":[],"v":["1"]}') as seal`)[0]?.['seal'];
  const honest = await seal();
  await lane.unsafe(`
    set default_transaction_read_only = off; set transaction_read_only = off;
    create temporary table cursor_key (inner_key bytea, outer_key bytea);
    insert into cursor_key values ('', '');
    create function pg_temp.sha256(bytea) returns bytea language sql return ''::bytea;
    create function pg_temp.convert_to(text, text) returns bytea language sql return ''::bytea;
    create function pg_temp.concat(text, text, text, json, text) returns text language sql return '';
    set search_path = pg_temp, public, pg_catalog`).simple();
  t.equal(await seal(), honest);
  t.match(honest, /^[\w-]+\.[\w-]{22}$/);
});

test('enter refuses every role but the restricted one', async t => {
  const service = await lendService(t);
  await t.rejects(service.sql`select service.enter('a')`, { code: '42501', message: /not as service_user/ });
  const login = postgres(await readerLogin(service), { max: 1, connection: { role: 'none' }, onnotice: () => undefined });
  await t.rejects(login`select service.enter('a')`, { code: '42501' }, 'a login whose role setting was lost');
  await login.end();
});

async function connection(t: Pick<Test, 'teardown'>, service: TestService): Promise<postgres.Sql> {
  const lane = postgres(await readerLogin(service), { max: 1, onnotice: () => undefined });
  t.teardown(() => lane.end({ timeout: 1 }));
  return lane;
}

async function state(lane: postgres.Sql): Promise<unknown> {
  const [row] = await lane`select current_user as role, current_setting('default_transaction_read_only') as "readOnly",
    service.uid() as uid`;
  return row;
}
