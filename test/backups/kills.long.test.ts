import type { ChildProcess } from 'node:child_process';
import { readdirSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { ListMultipartUploadsCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import postgres from 'postgres';
import { test } from 'tap';
import { findClient } from '../../gateway/client/client.ts';
import { startEmbedded } from '../../gateway/embedded/embedded.ts';
import { migrate } from '../../gateway/start/migrate.ts';
import { addressOf, emptyFolder, startGateway } from '../boot/gateway.ts';
import { logsOf, type Log } from '../cron/cron.ts';
import { bytesWritten, childrenOf } from '../harness/children.ts';
import { generator, runs, seed } from '../harness/effort.ts';
import { schema, SERVICE_KEY } from '../harness/service.ts';
import { remoteStoreOf, s3Client, startSwift } from '../harness/swift.ts';
import { until } from '../harness/until.ts';
import { ANOTHER, dumpIn, folder, restoreInto } from './backups.ts';

/** Those of the embedded server, whatever the other tests run on. */
const client = await findClient({ server: 17, named: { dump: undefined, dumpAll: undefined, restore: undefined }, fetches: true })
  .catch((error: unknown) => error as Error);
const swift = client instanceof Error ? client : await startSwift().catch((error: unknown) => error as Error);
const skip = client instanceof Error ? `there is no client of PostgreSQL 17: ${client.message}`
  : swift instanceof Error && `no store that speaks S3 can be had here: ${swift.message}`;

const STARTERS = ['the command', 'a gateway'] as const;
const VICTIMS = ['pg_dump', 'its starter', 'PostgreSQL', 'the store'] as const;
type Victim = typeof VICTIMS[number];
const ROWS = 100_000;
const BUCKET = 's3://media/kills';

/** The log's reason for a run whose gateway is gone. */
const LOST = 'The gateway ended, or lost its database session, before the run ended.';

type Served = { process: ChildProcess; address: string };
/** A backup whose pg_dump runs. */
type Begun = {
  starter: ChildProcess;
  /** Resolves once it is over: whether it was made, and else why not. */
  ended: () => Promise<{ isMade: boolean; error: string }>;
};

test(`every backup beside kills can be restored, and nothing else is left (RANDOM_SEED=${seed})`, { skip }, async t => {
  if (client instanceof Error || swift instanceof Error) return;
  const server = await startEmbedded({ dir: emptyFolder(t) });
  t.teardown(server.stop);
  const sql = postgres(server.url, { max: 1, fetch_types: false, onnotice: () => undefined, backoff: () => 0 });
  const [store, bare] = [remoteStoreOf(swift), s3Client(swift.env)];
  t.teardown(async () => {
    await sql.end({ timeout: 0 });
    store.close();
    bare.destroy();
    await swift.stop();
  });
  await migrate(sql, schema);
  await sql`create table public.large as select n, sha512(n::text::bytea) as bytes from generate_series(1, ${ROWS}::integer) n`;
  const to = folder(t);
  const env = {
    ...swift.env, DATABASE_URL: server.url,
    PG_DUMP_PATH: client.dump, PG_DUMPALL_PATH: client.dumpAll, PG_RESTORE_PATH: client.restore,
  };
  const command = (destination: string) =>
    startGateway(t, { ...env, BACKUP_DESTINATION: destination }, undefined, 'cli.ts', ['backup']);
  const below = generator(seed);
  const outcomes = { made: 0, failed: 0 };
  for (const destination of [to, BUCKET]) {
    const { code, output } = await command(destination).ended;
    t.equal(code, 0, output);
  }
  const { size } = statSync(dumpIn(to));
  // Each notices which runs the other one leaves behind.
  const gateways = new Map<string, Served>();
  for (const destination of [to, BUCKET]) gateways.set(destination, await openGateway(destination));

  const kills = Math.max(STARTERS.length * VICTIMS.length, runs(20));
  for (let kill = 0; kill < kills; kill++) {
    const [nth, round] = [kill % VICTIMS.length, Math.floor(kill / VICTIMS.length)];
    const [victim, starter] = [VICTIMS[nth] ?? 'pg_dump', STARTERS[round % STARTERS.length]];
    const isRemote = victim === 'the store' || (nth + round + Math.floor(round / STARTERS.length)) % 2 === 1;
    const destination = isRemote ? BUCKET : to;
    const name = `kill ${kill}, ${victim}, of a backup by ${starter ?? ''} to ${isRemote ? 'a bucket' : 'a folder'}`;
    const backup = starter === 'a gateway' ? await beginJob(destination) : await beginCommand(destination);
    // A quarter of them before its first byte, and a quarter when it has ended: then the roles and the names are still to come.
    const bytes = below(2 * size) - size / 2;
    await until('pg_dump is so far', () => dumpsOf(backup.starter).every(pid => (bytesWritten(pid) ?? Infinity) >= bytes), { pause: 1 });
    const wasDumping = dumpsOf(backup.starter).length > 0;
    await killOne(victim, backup.starter);
    const { isMade, error } = await backup.ended();
    outcomes[isMade ? 'made' : 'failed']++;
    if (victim !== 'its starter') t.ok(isMade || error.split('\n').length === 1 && error !== '', `${name}: one line: ${error}`);
    else t.notOk(isMade && wasDumping, name);
    if (victim === 'its starter' && starter === 'a gateway') {
      t.ok(isMade || error === LOST, `${name}: ${error}`);
      gateways.set(destination, await openGateway(destination));
    }
    await until(`the next backup is made (${name})`, async () => {
      const log = await triggered(destination);
      if (log?.success === false && log.error !== ANOTHER) throw new Error(`${name}: ${log.error ?? ''}`);
      return log?.success; // false while PostgreSQL still has the session, and so the lock, of one that was killed
    });
  }

  for (const name of readdirSync(to)) utimesSync(join(to, name), 1_600_000_000, 1_600_000_000); // as a day later
  await store.sweep(new Date(Date.now() + 60_000));
  for (const destination of [to, BUCKET]) {
    const { code, output } = await command(destination).ended;
    t.equal(code, 0, output);
  }
  t.same(readdirSync(to).filter(name => !isPaired(name, readdirSync(to))), [], 'nothing else is in the folder');
  const objects = await keys('');
  // Roles without a dump are deleted when they are a day old.
  t.same(objects.filter(key => !isPaired(key, objects) && !key.endsWith('.globals.sql')), [], 'nothing else is in the bucket');
  t.same((await bare.send(new ListMultipartUploadsCommand({ Bucket: 'media' }))).Uploads ?? [], []);

  const dumps = [...readdirSync(to).map(name => join(to, name)), ...await keys('kills/')].filter(name => name.endsWith('.dump'));
  t.ok(dumps.length >= 4 + kills + outcomes.made);
  for (const [n, dump] of dumps.entries()) {
    const url = await server.urlOf(`restored_${n}`);
    const restored = await restoreInto(t, url, [dump], { ...env, DATABASE_URL: url, BACKUP_DESTINATION: BUCKET });
    t.equal(restored.code, 0, restored.output);
    const own = postgres(url, { max: 1 });
    t.same(await own`select count(*)::integer as count from public.large`, [{ count: ROWS }]);
    await own.end();
    await sql.unsafe(`drop database restored_${n} with (force)`);
  }
  console.log(`# ${kills} kills: ${outcomes.failed} backups failed, ${outcomes.made} were made; ${dumps.length} restored`);

  async function openGateway(destination: string): Promise<Served> {
    const gateway = startGateway(t, { ...env, BACKUP_DESTINATION: destination, SERVICE_SOURCE: 'tables' });
    return { process: gateway.process, address: await addressOf(gateway) };
  }

  function gatewayFor(destination: string): Served {
    const gateway = gateways.get(destination);
    if (gateway === undefined) throw new Error(`no gateway backs up to ${destination}`);
    return gateway;
  }

  /** The run that a gateway was asked for; undefined where it could not begin it, or ended before it answered. */
  async function triggered(destination: string): Promise<Log | undefined> {
    const headers = { authorization: `Bearer ${SERVICE_KEY}`, connection: 'close' };
    const url = `${gatewayFor(destination).address}/admin/cron/service.backup/trigger`;
    const response = await fetch(url, { method: 'POST', headers }).catch(() => undefined);
    return (await response?.json().catch(() => undefined) as { log?: Log } | undefined)?.log;
  }

  async function beginCommand(destination: string): Promise<Begun> {
    const { process: starter, ended } = command(destination);
    await until('pg_dump runs', () => dumpsOf(starter).length > 0);
    return { starter, ended: async () => {
      const { code, stderr } = await ended;
      return { isMade: code === 0, error: stderr.trimEnd() };
    } };
  }

  /** Asks until it runs: a gateway needs a moment to find a database again that was away. */
  async function beginJob(destination: string): Promise<Begun> {
    const { process: starter } = gatewayFor(destination);
    let [before, asked]: [number, Promise<void> | undefined] = [0, undefined];
    const ask = async (): Promise<void> => {
      before = (await logsOf(sql, 'service.backup', 1_000)).length;
      await triggered(destination);
    };
    await until('the job has pg_dump run', () => {
      if (dumpsOf(starter).length > 0) return true;
      asked ??= ask().catch(() => undefined).finally(() => { asked = undefined; });
      return false;
    });
    return { starter, ended: async () => {
      const log = await until('its run is logged, and its lease is free', () => loggedAfter(before).catch(() => undefined),
        { limit: 10_000 });
      return { isMade: log.success, error: log.error ?? '' };
    } };
  }

  /** The run after so many. @throws while the database is away */
  async function loggedAfter(before: number): Promise<Log | undefined> {
    const [log, ...older] = await logsOf(sql, 'service.backup', 1_000);
    const held = await sql`select from service.cron_job_state where running_by is not null`;
    return older.length === before && held.length === 0 ? log : undefined;
  }

  async function killOne(victim: Victim, starter: ChildProcess): Promise<void> {
    if (victim === 'pg_dump') for (const pid of dumpsOf(starter)) end(pid);
    if (victim === 'its starter') starter.kill('SIGKILL');
    if (victim === 'the store' && !(swift instanceof Error)) await swift.restart();
    if (victim === 'PostgreSQL') await killPostgres();
  }

  /** One of its processes, whereupon it ends all others and recovers. */
  async function killPostgres(): Promise<void> {
    const own = await ownProcess();
    const processes = childrenOf(server, 'rowgate');
    if (!end(processes[below(processes.length || 1)] ?? own)) end(own);
    await until('PostgreSQL has recovered', async () => await ownProcess().catch(() => own) !== own);
  }

  async function ownProcess(): Promise<number> {
    const [row] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
    return row?.pid ?? 0;
  }

  async function keys(prefix: string): Promise<string[]> {
    const { Contents = [] } = await bare.send(new ListObjectsV2Command({ Bucket: 'media', Prefix: prefix }));
    return Contents.map(({ Key = '' }) => Key);
  }
});

/** Not when it is asked for its version. */
function dumpsOf(starter: ChildProcess): number[] {
  return childrenOf(starter, '-Fc');
}

function isPaired(name: string, all: string[]): boolean {
  const [, stem = ''] = /^(.*)\.(?:dump|globals\.sql)$/.exec(name) ?? [];
  return all.includes(`${stem}.dump`) && all.includes(`${stem}.globals.sql`);
}

/** Kills it. @returns whether it had not ended already */
function end(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch {
    return false;
  }
}
