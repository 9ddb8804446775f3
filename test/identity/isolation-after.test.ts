import postgres from 'postgres';
import { test, type Test } from 'tap';
import { createService, tokenFor, type TestService } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { asker } from './isolation-model.ts';
import { readerLogin, statement } from './isolation-run.ts';
import { ROWS, TABLES } from './isolation-tables.ts';

const ENTER = 'select service.enter($1, $2, $3, $4, $5)';
const NOBODY = { uid: null, roles: '', jwt: {}, guest: false, notes: 0 };

test('nothing of a caller stays on the connection, however the request ended', async t => {
  const service = await createService(t, { template: 'served', setup: TABLES + ROWS });
  const lane = await connection(t, service);
  const caller = asker('caller 1', ['admin'], true, 'team 1');
  const read = await statement(service, caller, 'notes?limit=2');
  const get = await statement(service, caller, 'notes/13');
  const run = (text: string, parameters: readonly string[], prepare: boolean) => lane.unsafe(text, parameters as string[], { prepare });
  const fails = (text: string, parameters: readonly string[], code: string) => t.rejects(run(text, parameters, true), { code });
  const transaction = (end: string) => lane.begin(async inside => {
    await inside.unsafe(ENTER, [...caller.claims]);
    t.match(await state(inside as unknown as postgres.Sql), { uid: 'caller 1', notes: 720 }, 'inside it is there');
    if (end === 'error') await inside`select 1 / 0`;
    if (end === 'rollback') throw new Error('rollback');
    if (end === 'savepoint') await inside.savepoint(async deeper => { await deeper`select service.enter('caller 2')`; });
  });

  const endings: Record<string, () => Promise<unknown>> = {
    'an answer': () => run(read.text, read.parameters, false),
    'a prepared answer': () => run(read.text, read.parameters, true),
    'claims whose flag is no boolean': () =>
      fails('select service.enter(\'caller 1\', \'\', $1, \'{}\', \'{}\'), service.is_anonymous(), 1 / 0', ['perhaps'], '22012'),
    'an id of the wrong type': () => fails(get.text, [...caller.claims, 'thirteen'], '22P02'),
    'an error after entering': () => fails(`${ENTER}, 1 / (select count(*) from public.notes where id < 0)`, caller.claims, '22012'),
    'a timeout': () => timedOut(service, lane, caller.claims),
    'a cancel': () => cancelled(service, lane, caller.claims),
    'a commit': () => transaction('commit'),
    'a rollback': () => t.rejects(transaction('rollback')),
    'an error in a transaction': () => t.rejects(transaction('error')),
    'a savepoint': () => transaction('savepoint'),
    'a write that is refused': () => t.rejects(
      lane.begin(async inside => { await inside.unsafe(ENTER, [...caller.claims]); await inside`delete from notes`; }), { code: '25006' },
    ),
  };
  for (const [name, end] of Object.entries(endings)) {
    await end();
    t.same(await state(lane), NOBODY, name);
  }
});

test('the condition "the uid is null" opens nothing to any request', async t => {
  const service = await createService(t, {
    template: 'served', env: { AUTH_REQUIRE: 'false' },
    setup: `
      create table vaults (id integer primary key, kind integer);
      create table coins (id integer primary key, vault_id integer references vaults);
      create table ledger (id integer, kind integer, primary key (id, kind)) partition by list (kind);
      create table ledger_1 partition of ledger for values in (1);
      insert into vaults values (1, 1); insert into coins values (1, 1); insert into ledger values (1, 1);
      alter table vaults enable row level security; alter table coins enable row level security;
      alter table ledger enable row level security;
      create policy nobody on vaults using (service.uid() is null);
      create policy nobody on coins using ((select service.uid()) is null or (select service.roles()) = '' and (select service.uid()) = '');
      create policy nobody on ledger using (kind = case when service.uid() is null then 1 end);`,
  });
  const paths = [
    'vaults', 'vaults/1', 'vaults/count', 'vaults?include=coins', 'coins', 'coins/1', 'coins?include=vault', 'vaults/1/coins', 'ledger',
    'ledger/count', 'ledger/1:::1',
  ];
  const callers = { 'the service key': undefined, 'a visitor': null, 'a user': await tokenFor('ada'), 'a guest': await tokenFor('guest', [],
    { isAnonymous: true }), 'an admin': await tokenFor('root', ['admin']) };
  for (const [name, as] of Object.entries(callers)) {
    for (const path of paths) {
      const { status, body } = await service.request(`/data/${path}`, as === undefined ? {} : { as });
      const rows = (body as { data?: unknown[]; count?: number }).data?.length ?? (body as { count?: number }).count ?? 0;
      t.same({ rows, found: status === 200 && !/\d$/.test(path) }, { rows: 0, found: !/\d$/.test(path) }, `${path} as ${name}: ${status}`);
    }
  }
});

async function connection(t: Pick<Test, 'teardown'>, service: TestService): Promise<postgres.Sql> {
  const lane = postgres(await readerLogin(service), { max: 1, onnotice: () => undefined });
  t.teardown(() => lane.end({ timeout: 1 }));
  return lane;
}

async function state(lane: postgres.Sql): Promise<unknown> {
  const [row] = await lane`select service.uid() as uid, service.roles() as roles, service.jwt() as jwt,
    service.is_anonymous() as guest, (select count(*)::int from notes) as notes`;
  return row;
}

/** A timeout that strikes while the statement waits for a lock that is never given. */
async function timedOut({ sql }: TestService, lane: postgres.Sql, claims: readonly string[]): Promise<void> {
  await sql.begin(async holder => {
    await holder`select pg_advisory_xact_lock(1)`;
    await lane`set lock_timeout = 1`;
    const code = await lane.unsafe(`${ENTER}, pg_advisory_xact_lock(1)`, [...claims]).then(() => 'answered',
      (error: unknown) => (error as postgres.PostgresError).code);
    if (code !== '55P03') throw new Error(`The statement ended with ${code}.`);
  });
  await lane`set lock_timeout = 0`;
}

/** Cancels the statement once it waits for a lock, so that it certainly has entered. */
async function cancelled({ sql }: TestService, lane: postgres.Sql, claims: readonly string[]): Promise<void> {
  await sql.begin(async holder => {
    await holder`select pg_advisory_xact_lock(1)`;
    const waiting = lane.unsafe(`${ENTER}, pg_advisory_xact_lock(1)`, [...claims]).then(() => 'answered',
      (error: unknown) => (error as postgres.PostgresError).code);
    const cancel = async (): Promise<boolean> => (await holder<{ done: boolean }[]>`
      select pg_cancel_backend(pid) as done from pg_stat_activity where datname = current_database() and wait_event = 'advisory'`)
        .some(({ done }) => done);
    await until('it is cancelled', async () => await cancel() || (await holder`select pg_stat_clear_snapshot()`, false));
    if (await waiting !== '57014') throw new Error('The statement was not cancelled.');
  });
}
