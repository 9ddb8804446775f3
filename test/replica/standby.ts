import { execFileSync } from 'node:child_process';
import { chownSync, mkdirSync, readdirSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import type { Test } from 'tap';
import { silent } from '../../gateway/embedded/server-log.ts';
import { findPlace } from '../../gateway/embedded/place.ts';
import { startPostmaster, type Postmaster } from '../../gateway/embedded/postmaster.ts';
import { freePort } from '../../gateway/process/free-port.ts';
import { freshFolder } from '../start/folders.ts';

export type Standby = { url: string; start: () => Promise<void>; stop: () => Promise<void> };

/** Files of a data directory that are not copied: they belong to the running server, or the standby fetches them. */
const LEFT = new Set([
  'postmaster.pid', 'postmaster.opts', 'pg_wal', 'pg_replslot', 'pg_stat_tmp', 'pg_dynshmem', 'pg_notify', 'pg_subtrans',
]);

/** A streaming replica of an embedded server: a base backup over its connection, then a server that follows it. Stopped after the test. */
export async function standbyOf(
  t: Pick<Test, 'teardown'>, primary: { url: string; dir: string }, settings: Record<string, string> = {},
): Promise<Standby> {
  const place = findPlace(freshFolder(t), silent);
  const data = join(place.folder, 'data');
  await backUp(primary, data);
  const { hostname, port: primaryPort, username, password } = new URL(primary.url);
  const port = await freePort();
  const url = new URL(primary.url);
  url.port = String(port);
  let running: Postmaster | undefined;
  const standby: Standby = {
    url: url.href,
    async start() {
      running = await startPostmaster({
        place, data, port, log: silent, signal: new AbortController().signal,
        settings: {
          fsync: 'off', max_standby_streaming_delay: '0',
          primary_conninfo: `host=${hostname} port=${primaryPort} user=${username} password=${password} application_name=standby`,
          ...settings,
        },
      });
    },
    async stop() {
      running?.stop();
      await running?.ended;
    },
  };
  await standby.start();
  t.teardown(standby.stop);
  return standby;
}

async function backUp({ url, dir }: { url: string; dir: string }, data: string): Promise<void> {
  const source = join(realpathSync(dir), 'data');
  const { uid, gid } = statSync(source);
  mkdirSync(data, { mode: 0o700 });
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  await sql`select pg_backup_start('standby', true)`;
  const names = readdirSync(source).filter(name => !LEFT.has(name));
  execFileSync('cp', ['-a', ...names.map(name => join(source, name)), data]);
  const [stopped] = await sql<{ labelfile: string }[]>`select labelfile from pg_backup_stop(false)`;
  await sql.end();
  writeFileSync(join(data, 'backup_label'), stopped?.labelfile ?? '');
  writeFileSync(join(data, 'standby.signal'), '');
  for (const name of ['pg_wal', 'pg_replslot', 'pg_stat_tmp', 'pg_dynshmem', 'pg_notify', 'pg_subtrans']) {
    mkdirSync(join(data, name), { mode: 0o700 });
  }
  for (const name of ['', ...readdirSync(data)]) chownSync(join(data, name), uid, gid);
}
