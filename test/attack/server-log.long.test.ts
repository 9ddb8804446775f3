// The log of the embedded server, and that of the gateway at its lowest level: no value of a statement that failed stands in either.
import { pino } from 'pino';
import { test } from 'tap';
import { connect } from '../harness/socket.ts';
import { openService, SERVICE_KEY } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { ask, start, usedFolder } from '../start/folders.ts';

const TABLE = `
  create table kept (id integer primary key, code text unique, pin text check (pin <> 'pin s3cret'), born date);
  insert into kept values (1, 'code s3cret');`;

/** Each holds the value in a place from which PostgreSQL repeats it, and fails with the SQLSTATE. */
const FAILING: [sql: string, dbCode: string, params?: string[]][] = [
  ['select \'s3cret\' \'s3cret\'', '42601'],
  ['select 1 from s3cret.s3cret', '42P01'],
  ['selct \'s3cret\'', '42601'],
  ['select \'unfinished s3cret', '42601'],
  ['select \'s3cret\'::integer', '22P02'],
  ['select \'s3cret\'::date', '22007'],
  ['select \'{"a": s3cret}\'::jsonb', '22P02'],
  ['select $1::integer', '22P02', ['s3cret']],
  ['insert into kept (id, code) values (2, \'code s3cret\')', '23505'],
  ['insert into kept (id, code) values (2, $1)', '23505', ['code s3cret']],
  ['insert into kept (id, pin) values (2, \'pin s3cret\')', '23514'],
  ['insert into kept (code) values (\'s3cret\')', '23502'],
  ['do $$ begin raise warning \'s3cret\'; raise \'s3cret\' using detail = \'s3cret\', hint = \'s3cret\'; end $$', 'P0001'],
  ['alter role rowgate password \'s3cret\' valid until \'s3cret\'', '22007'],
];

/** It fails at the commit, by the value of a statement before. */
const SCRIPT = `create table deferred (code text references kept (code) deferrable initially deferred);
  insert into deferred values ('other s3cret')`;

test('no value of a failed statement is in the embedded server\'s log or in the gateway\'s', async t => {
  const server: string[] = [];
  const gateway: string[] = [];
  const keep = (line: string) => { server.push(line); };
  const embedded = await start(t, await usedFolder(t), { log: { debug: keep, info: keep, warn: keep } });
  await ask(embedded.url, TABLE);
  const log = pino({ level: 'trace' }, { write: (line: string) => { gateway.push(line); } });
  const service = await openService(embedded.url, { DATABASE_URL: embedded.url, SERVICE_SOURCE: 'tables' }, embedded.url, log);
  t.teardown(service.close);
  const socket = await connect(t, service, { token: SERVICE_KEY });
  const run = async (sql: string, more: object = {}) => (await socket.request('EXECUTE_SQL', { sql, ...more })).payload;
  for (const [sql, dbCode, params] of FAILING) {
    t.match((await run(sql, params && { options: { params } })).error, { code: 'SQL_ERROR', details: { dbCode } }, sql);
  }
  t.match((await run(SCRIPT, { mode: 'script' })).error, { code: 'SQL_ERROR', details: { dbCode: '23503' } });

  // When a process of the server crashes, the server's log names the statement that the process ran.
  const pidOf = async () => (await ask(embedded.url,
    'select pid from pg_stat_activity where query like \'%pg_sleep(60)\' and pid <> pg_backend_pid()'))[0]?.['pid'] as number | undefined;
  socket.send({ type: 'EXECUTE_SQL', payload: { sql: 'select \'s3cret\', pg_sleep(60)' } });
  await until('the statement runs', async () => await pidOf() !== undefined);
  const pid = await pidOf();
  if (pid === undefined) throw new Error('The statement has ended by itself.');
  process.kill(pid, 'SIGKILL');
  await until('the server is back', async () => (await ask(embedded.url, 'select 1').catch(() => [])).length === 1);
  await embedded.stop();
  t.match(server.join('\n'), /terminated by signal 9/, 'the server\'s log holds what happened');
  t.match(gateway.join('\n'), /SQL was run/, 'and the gateway\'s log who ran what');
  t.same(server.filter(line => line.includes('s3cret')), [], 'the server\'s log');
  t.same(gateway.filter(line => line.includes('s3cret')).filter(line => !line.includes('s3cret.s3cret')), [], 'the gateway\'s log');
});
