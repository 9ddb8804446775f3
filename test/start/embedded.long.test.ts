import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import postgres from 'postgres';
import { test } from 'tap';
import { startEmbedded } from '../../gateway/embedded/embedded.ts';
import { BootError } from '../../gateway/error.ts';
import { ask, end, freshFolder, keepNote, readNote, serve, start, untilFound, usedFolder } from './folders.ts';

test('the data, the password and the port are those of last time', async t => {
  const dir = freshFolder(t);
  const first = await start(t, dir);
  await keepNote(first.url);
  await first.stop();
  const second = await start(t, dir);
  t.equal(second.url, first.url);
  t.equal(await readNote(second.url), 'kept');
});

test('it is PostgreSQL 17 with UTF-8, checksums and passwords, and durable', async t => {
  const { url } = await start(t, freshFolder(t));
  const [row] = await ask(url, `select current_setting('server_version_num')::int / 10000 as major,
    current_setting('server_encoding') as encoding,
    current_setting('data_checksums') as checksums, current_setting('fsync') as fsync, upper('é') as upper, 'B' < 'a' as by_code_point`);
  t.same(row, { major: 17, encoding: 'UTF8', checksums: 'on', fsync: 'on', upper: 'É', by_code_point: true });
  await t.rejects(ask(url.replace(/:[^:@]+@/, ':wrong@'), 'select 1'), { code: '28P01' });
});

test('only its owner may read the password', async t => {
  const dir = freshFolder(t);
  await start(t, dir);
  t.equal(statSync(join(dir, 'password')).mode & 0o777, 0o600);
});

test('a server that is killed comes back by itself, on the same port, with what was committed', async t => {
  const { promise: restarted, resolve } = Promise.withResolvers<number>();
  const server = await start(t, await usedFolder(t), { onRestart: resolve });
  await keepNote(server.url);
  const killed = server.pid;
  process.kill(killed, 'SIGKILL');
  t.not(await restarted, killed);
  t.equal(server.pid, await restarted);
  t.equal(await readNote(server.url), 'kept');
});

test('stopping while it is being started again leaves nothing behind', async t => {
  const server = await start(t, await usedFolder(t));
  process.kill(server.pid, 'SIGKILL');
  await server.stop();
  await t.rejects(ask(server.url, 'select 1'), { code: 'ECONNREFUSED' });
});

test('a server whose gateway was killed is stopped by the next start, which finds its data', async t => {
  const dir = await usedFolder(t);
  const first = await serve(t, dir);
  await keepNote(first.url);
  await end(first.process, 'SIGKILL');
  const second = await serve(t, dir);
  t.not(second.pid, first.pid);
  t.same(second.told, [`Stopping the PostgreSQL server (process ${first.pid}) that an earlier run left behind.`]);
  t.equal(await readNote(second.url), 'kept');
});

test('gateway and server both killed: the next start recovers', async t => {
  const dir = await usedFolder(t);
  const first = await serve(t, dir);
  await keepNote(first.url);
  await end(first.process, 'SIGKILL');
  process.kill(first.pid, 'SIGKILL');
  const second = await serve(t, dir);
  t.equal(await readNote(second.url), 'kept');
});

test('a second start in the same folder is refused with the process that has it', async t => {
  const dir = await usedFolder(t);
  const first = await serve(t, dir);
  const second = await serve(t, dir);
  t.equal(second.failure, `Already running: process ${first.process.pid} uses the database in ${dir}. Stop it first.`);
  await t.resolves(ask(first.url, 'select 1'));
});

test('one of ten concurrent starts serves', async t => {
  const dir = freshFolder(t);
  const all = await Promise.all(Array.from({ length: 10 }, () => serve(t, dir)));
  t.equal(all.filter(one => one.url).length, 1);
  t.equal(all.filter(one => /^Already running/.test(one.failure)).length, 9);
});

test('SIGTERM ends gateway and server', async t => {
  const first = await serve(t, await usedFolder(t));
  await end(first.process, 'SIGTERM');
  t.equal(first.process.exitCode, 0);
  await t.rejects(ask(first.url, 'select 1'), { code: 'ECONNREFUSED' });
});

test('a connection that is open does not keep the server from stopping', async t => {
  const server = await start(t, await usedFolder(t));
  const sql = postgres(server.url, { max: 1 });
  await sql`select 1`;
  await server.stop();
  await sql.end({ timeout: 0 });
  t.pass('stopped');
});

test('a first start that was interrupted is redone', async t => {
  const dir = freshFolder(t);
  const gateway = spawn(process.execPath, [join(import.meta.dirname, 'serve.ts'), dir], { stdio: 'pipe' });
  await untilFound(dir, /^unfinished-/);
  await end(gateway, 'SIGKILL');
  t.notOk(readdirSync(dir).includes('data'), 'interrupted before the data directory was whole');
  const { url } = await start(t, dir);
  await t.resolves(ask(url, 'select 1'));
  });

test('a record of a server whose process id another program has now is no obstacle', async t => {
  const dir = await usedFolder(t);
  const first = await start(t, dir);
  await keepNote(first.url);
  const record = readFileSync(join(dir, 'data/postmaster.pid'), 'utf8');
  await first.stop();
  writeFileSync(join(dir, 'data/postmaster.pid'), record.replace(/^\d+/, String(process.pid)));
  const second = await start(t, dir);
  t.equal(await readNote(second.url), 'kept');
});

test('another port is taken when that of last time is in use', async t => {
  const dir = await usedFolder(t);
  const first = await start(t, dir);
  await first.stop();
  const squatter = createServer();
  await once(squatter.listen(Number(new URL(first.url).port), '127.0.0.1'), 'listening');
  t.teardown(() => squatter.close());
  const second = await start(t, dir);
  t.not(new URL(second.url).port, new URL(first.url).port);
});

test('the database is made again when it was dropped', async t => {
  const dir = await usedFolder(t);
  const first = await start(t, dir);
  await ask(first.url.replace(/\/rowgate$/, '/postgres'), 'drop database rowgate');
  await first.stop();
  const second = await start(t, dir);
  await t.resolves(ask(second.url, 'select 1'));
});

test('a start that cannot serve is one line', async t => {
  const dir = await usedFolder(t);
  await (await start(t, dir)).stop();
  const refusal = async () => {
    const error = await startEmbedded({ dir }).then(() => undefined, (thrown: unknown) => thrown);
    t.ok(error instanceof BootError);
    t.notMatch((error as Error).message, /\n/);
    return (error as Error).message;
  };

  writeFileSync(join(dir, 'data/PG_VERSION'), '16\n');
  t.match(await refusal(), /was made by PostgreSQL 16, the embedded server is 17: move the folder away/);

  rmSync(join(dir, 'data/PG_VERSION'));
  t.match(await refusal(), /is not a PostgreSQL data directory/);

  writeFileSync(join(dir, 'data/PG_VERSION'), '17\n');
  renameSync(join(dir, 'data/global'), join(dir, 'data/gone'));
  t.match(await refusal(), /PostgreSQL did not start: .*global/);

  renameSync(join(dir, 'password'), join(dir, 'gone'));
  t.match(await refusal(), /password is missing/);
});

test('a folder that is there and empty is used', async t => {
  const dir = freshFolder(t);
  mkdirSync(dir);
  const { url } = await start(t, dir);
  await t.resolves(ask(url, 'select 1'));
});
