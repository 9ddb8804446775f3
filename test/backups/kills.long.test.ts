import { readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { ListMultipartUploadsCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import postgres from 'postgres';
import { test } from 'tap';
import { findClient } from '../../gateway/client/client.ts';
import { startEmbedded } from '../../gateway/embedded/embedded.ts';
import { migrate } from '../../gateway/start/migrate.ts';
import { emptyFolder, startGateway } from '../boot/gateway.ts';
import { childrenOf } from '../harness/children.ts';
import { generator, runs, seed } from '../harness/effort.ts';
import { schema } from '../harness/service.ts';
import { remoteStoreOf, s3Client, startSwift } from '../harness/swift.ts';
import { until } from '../harness/until.ts';
import { folder, restoreInto } from './backups.ts';
import { cutting } from './cutting.ts';

/** Those of the embedded server, whatever the other tests run on. */
const client = await findClient({ server: 17, named: { dump: undefined, dumpAll: undefined, restore: undefined }, fetches: true })
  .catch((error: unknown) => error as Error);
const swift = client instanceof Error ? client : await startSwift().catch((error: unknown) => error as Error);
const skip = client instanceof Error ? `there is no client of PostgreSQL 17: ${client.message}`
  : swift instanceof Error && `no store that speaks S3 can be had here: ${swift.message}`;

const VICTIMS = ['pg_dump', 'the command', 'PostgreSQL', 'the store'] as const;
const ROWS = 100_000;
const BUCKET = 's3://media/kills';

test(`every backup beside kills can be restored, and nothing else is left (RANDOM_SEED=${seed})`, { skip }, async t => {
  if (client instanceof Error || swift instanceof Error) return;
  const server = await startEmbedded({ dir: emptyFolder(t) });
  t.teardown(server.stop);
  const sql = postgres(server.url, { max: 1, fetch_types: false, onnotice: () => undefined, backoff: () => 0 });
  const [store, bare, proxy] = [remoteStoreOf(swift), s3Client(swift.env), await cutting(t, swift.env.S3_ENDPOINT)];
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
    ...swift.env, S3_ENDPOINT: proxy.endpoint, DATABASE_URL: server.url,
    PG_DUMP_PATH: client.dump, PG_DUMPALL_PATH: client.dumpAll, PG_RESTORE_PATH: client.restore,
  };
  const begin = (destination: string) =>
    startGateway(t, { ...env, BACKUP_DESTINATION: destination }, undefined, 'cli.ts', ['backup']);
  const below = generator(seed);
  const outcomes = { made: 0, failed: 0 };
  let duration = Infinity;
  for (const destination of [to, BUCKET]) {
    const began = begin(destination);
    await until('pg_dump runs', () => childrenOf(began.process, 'pg_dump').length > 0);
    const since = Date.now();
    await until('pg_dump has ended', () => childrenOf(began.process, 'pg_dump').length === 0);
    duration = Math.min(duration, Date.now() - since);
    const { code, output } = await began.ended;
    t.equal(code, 0, output);
  }

  const kills = Math.max(VICTIMS.length, runs(20));
  for (let kill = 0; kill < kills; kill++) {
    const victim = VICTIMS[kill % VICTIMS.length] ?? 'pg_dump';
    const destination = victim === 'the store' || (kill + Math.floor(kill / VICTIMS.length)) % 2 === 1 ? BUCKET : to;
    const backup = begin(destination);
    await until('pg_dump runs', () => childrenOf(backup.process, 'pg_dump').length > 0 || backup.process.exitCode !== null);
    await setTimeout(below(duration));
    if (victim === 'pg_dump') for (const pid of childrenOf(backup.process, 'pg_dump')) end(pid);
    if (victim === 'the command') backup.process.kill('SIGKILL');
    if (victim === 'the store') proxy.breakAll();
    if (victim === 'PostgreSQL') {
      const processes = childrenOf(server, 'rowgate');
      const chosen = processes[below(processes.length || 1)];
      if (chosen !== undefined) end(chosen);
    }
    const { code, stderr } = await backup.ended;
    proxy.cuts(() => undefined);
    t.ok(code === 0 || victim === 'the command' || stderr.trimEnd().split('\n').length === 1, `${victim}: one line: ${stderr}`);
    outcomes[code === 0 ? 'made' : 'failed']++;
    await until('PostgreSQL serves', () => sql`select`.then(() => true, () => false));
  }

  for (const name of readdirSync(to)) utimesSync(join(to, name), 1_600_000_000, 1_600_000_000); // as a day later
  await store.sweep(new Date(Date.now() + 60_000));
  for (const destination of [to, BUCKET]) {
    await until('the lock of a killed backup is free', async () => {
      const { code, stderr } = await begin(destination).ended;
      if (code !== 0 && !stderr.startsWith('Another backup')) throw new Error(stderr);
      return code === 0;
    });
  }
  t.same(readdirSync(to).filter(name => !isPaired(name, readdirSync(to))), [], 'nothing else is in the folder');
  const objects = await keys('');
  // Roles without a dump are deleted when they are a day old.
  t.same(objects.filter(key => !isPaired(key, objects) && !key.endsWith('.globals.sql')), [], 'nothing else is in the bucket');
  t.same((await bare.send(new ListMultipartUploadsCommand({ Bucket: 'media' }))).Uploads ?? [], []);

  const dumps = [...readdirSync(to).map(name => join(to, name)), ...await keys('kills/')].filter(name => name.endsWith('.dump'));
  t.ok(dumps.length >= 4 + outcomes.made);
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

  async function keys(prefix: string): Promise<string[]> {
    const { Contents = [] } = await bare.send(new ListObjectsV2Command({ Bucket: 'media', Prefix: prefix }));
    return Contents.map(({ Key = '' }) => Key);
  }
});

function isPaired(name: string, all: string[]): boolean {
  const [, stem = ''] = /^(.*)\.(?:dump|globals\.sql)$/.exec(name) ?? [];
  return all.includes(`${stem}.dump`) && all.includes(`${stem}.globals.sql`);
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}
