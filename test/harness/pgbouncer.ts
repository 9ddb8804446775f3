import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync, chownSync, copyFileSync, cpSync, existsSync, globSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync,
} from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import postgres from 'postgres';
import { fetchDebianPackages, only } from '../../gateway/embedded/debian-packages.ts';
import { serverAccount } from '../../gateway/embedded/account.ts';
import { freePort } from '../../gateway/process/free-port.ts';
import { ROOT } from './server.ts';

const run = promisify(execFile);

/** 1.24 knows prepared statements in every mode; 1.18, which Debian 12 has, loses them between transactions. */
export type PgbouncerVersion = '1.24' | '1.18';
export type Pooler = { url: string; stop: () => Promise<void> };
export type PoolerOptions = { version?: PgbouncerVersion; mode?: 'transaction' | 'session'; settings?: Record<string, string> };

/**
 * PgBouncer in front of a server, whose owner's URL this is: every database, every login, as the server knows them.
 * @throws where it is not installed.
 */
export async function startPgbouncer(
  server: string, { version = '1.24', mode = 'transaction', settings = {} }: PoolerOptions = {},
): Promise<Pooler> {
  const installed = installedAt(version);
  if (!existsSync(installed)) throw new Error('it was not installed before the tests, as `npm test` does');
  const [folder, account, port] = [
    mkdtempSync(join(tmpdir(), 'rowgate-pgbouncer-')), process.getuid?.() === 0 ? serverAccount() : undefined, await freePort(),
  ];
  chmodSync(folder, 0o755);
  cpSync(installed, folder, { recursive: true });
  writeFileSync(join(folder, 'pgbouncer.ini'),
    configuration(server, port, { pool_mode: mode, ...(version === '1.24' && { max_prepared_statements: '200' }), ...settings }),
    { mode: 0o600 });
  const { username, password } = new URL(server);
  writeFileSync(join(folder, 'users.txt'), `"${username}" "${decodeURIComponent(password)}"\n`, { mode: 0o600 });
  if (account) for (const name of ['', 'pgbouncer.ini', 'users.txt']) chownSync(join(folder, name), account.uid, account.gid);
  const child = spawn(join(folder, 'pgbouncer'), ['pgbouncer.ini'],
    { cwd: folder, env: { LD_LIBRARY_PATH: join(folder, 'lib') }, stdio: ['ignore', 'ignore', 'pipe'], detached: true, ...account });
  const kill = (): boolean => child.kill('SIGKILL');
  process.once('exit', kill);
  const ended = once(child, 'close');
  const said: string[] = [];
  const ready = new Promise<true>(resolve => createInterface(child.stderr).on('line', line => {
    said.push(line);
    if (line.includes('process up')) resolve(true);
  }));
  if (await Promise.race([ready, ended]) !== true) throw new Error(`PgBouncer did not start: ${said.join('\n')}`);
  const url = new URL(server);
  url.port = String(port);
  return {
    url: url.href,
    async stop() {
      child.kill('SIGKILL');
      await ended;
      process.off('exit', kill);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The connections to a database through PgBouncer, by the names that they give themselves. The URL is an administrator's. */
export async function clientsOf(pooler: string, database: string): Promise<string[]> {
  const console = new URL(pooler);
  console.pathname = '/pgbouncer';
  const sql = postgres(console.href, { max: 1, prepare: false, fetch_types: false });
  try {
    const clients = await sql.unsafe<{ database: string; application_name: string }[]>('show clients').simple();
    return clients.filter(client => client.database === database).map(({ application_name: name }) => name);
  } finally {
    await sql.end();
  }
}

/** Logins are looked up in the server, where the service makes them; their SCRAM keys serve for both sides. */
function configuration(server: string, port: number, settings: Record<string, string>): string {
  const { hostname, port: serverPort, username } = new URL(server);
  const pgbouncer = {
    listen_addr: '127.0.0.1', listen_port: String(port), unix_socket_dir: '',
    auth_type: 'scram-sha-256', auth_file: 'users.txt', auth_user: username, admin_users: username,
    auth_query: 'select usename, passwd from pg_catalog.pg_shadow where usename = $1',
    max_client_conn: '1000', default_pool_size: '20', server_idle_timeout: '10', autodb_idle_timeout: '10', ...settings,
  };
  return `[databases]\n* = host=${hostname} port=${serverPort}\n[pgbouncer]\n${Object.entries(pgbouncer).map(([name, value]) =>
    `${name} = ${value}\n`).join('')}`;
}

/**
 * The folder with the program and its libraries, made on first need: a minute, which a test does not have.
 * @throws where PgBouncer can neither be had nor built.
 */
export async function installPgbouncer(version: PgbouncerVersion): Promise<string> {
  const folder = installedAt(version);
  if (existsSync(folder)) return folder;
  mkdirSync(dirname(folder), { recursive: true });
  const work = mkdtempSync(join(dirname(folder), 'making-'));
  try {
    const made = await (version === '1.24' ? build(work) : unpack(work));
    if (!existsSync(folder)) renameSync(made, folder); // else another test was faster
    return folder;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function installedAt(version: PgbouncerVersion): string {
  return join(ROOT, '.data', `pgbouncer-${version}`);
}

/** From trixie's source package, without TLS. libevent is linked in, in its oldest build, so that the result runs wherever it was made. */
async function build(work: string): Promise<string> {
  await fetchDebianPackages(work, { suite: 'trixie', source: ['pgbouncer'] });
  await fetchDebianPackages(work, { suite: 'bookworm', binary: ['libevent-dev'] });
  await run('tar', ['-xf', only(work, '*.orig.tar.*'), '-C', work]);
  await run('dpkg-deb', ['-x', only(work, '*.deb'), join(work, 'libevent')]);
  const source = only(work, 'pgbouncer-*/');
  const headers = globSync(join(work, 'libevent/usr/include{,/*-linux-gnu*}'));
  const env = {
    ...process.env, LIBEVENT_CFLAGS: headers.map(path => `-I${path}`).join(' '), LIBEVENT_LIBS: only(work, 'libevent/usr/lib/*/libevent.a'),
  };
  await run('./configure', ['--without-openssl', '--without-cares'], { cwd: source, env });
  await run('make', [`-j${availableParallelism()}`, 'pgbouncer'], { cwd: source, env, maxBuffer: 10_000_000 });
  return collected(work, join(source, 'pgbouncer'));
}

/** Debian 12's own package, with the libraries it needs. */
async function unpack(work: string): Promise<string> {
  await fetchDebianPackages(work, { suite: 'bookworm', binary: ['pgbouncer', 'libevent-2.1-7', 'libc-ares2'] });
  for (const file of globSync(join(work, '*.deb'))) await run('dpkg-deb', ['-x', file, join(work, 'root')]);
  return collected(work, join(work, 'root/usr/sbin/pgbouncer'), only(work, 'root/usr/lib/*-linux-gnu*'));
}

function collected(work: string, program: string, libraries?: string): string {
  const folder = join(work, 'made');
  mkdirSync(join(folder, 'lib'), { recursive: true });
  copyFileSync(program, join(folder, 'pgbouncer'));
  const names = libraries === undefined ? [] : readdirSync(libraries).filter(name => name.includes('.so'));
  for (const name of names) copyFileSync(join(libraries ?? '', name), join(folder, 'lib', name));
  return folder;
}
