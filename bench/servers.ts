/** The servers that are compared: each one process (with what it starts itself), on the same database, with 20 connections at most. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { SignJWT } from 'jose';
import { freePort } from '../gateway/process/free-port.ts';
import { FIRST, type ServerName } from './cases.ts';
import { ROOT } from './database.ts';
import { install } from './install.ts';
import type { Ask } from './load/load.ts';

/** `startup`: milliseconds from the start of its process to its first answer. */
export type Running = {
  name: ServerName; pid: number; url: string; headers: Record<string, string>; startup: number; stop: () => Promise<void>;
};

const POOL = 20;
/** The writing connections of a pool of 20. */
const WRITERS = 5;
const SECRET = 'a secret for benchmarks, long enough 0123456789';
export const SERVICE_KEY = SECRET.replaceAll(/[ ,]/g, '-');
/** A request that a gateway without collections answers. */
export const LIVENESS: Ask = { method: 'GET', path: '/livez', body: '' };
const PEERS = join(import.meta.dirname, 'peers');

type Program = { folder: string; args: string[]; env: Record<string, string> };

const PROGRAMS: Record<ServerName, Program> = {
  floor: { folder: ROOT, args: ['bench/floor.ts'], env: { WRITERS: String(WRITERS) } },
  rowgate: {
    folder: ROOT,
    args: ['dist/cli.js', 'start'],
    env: {
      ...imageSettings(), DB_POOL_MAX: String(POOL), JWT_SECRET: SECRET, SERVICE_SERVICE_KEY: SERVICE_KEY, CORS_ORIGINS: 'http://localhost',
      LOG_LEVEL: 'error',
    },
  },
  platformatic: { folder: join(PEERS, 'platformatic'), args: [join(PEERS, 'node_modules/wattpm/bin/cli.js'), 'start'], env: {} },
  postgraphile: {
    folder: join(PEERS, 'postgraphile'), args: [join(PEERS, 'node_modules/postgraphile/dist/cli-run.js')],
    env: { GRAPHILE_ENV: 'production', POOL: String(POOL) },
  },
};

/** The settings of the Dockerfile for every container. */
function imageSettings(): Record<string, string> {
  const [, settings = ''] = /^ENV (.+)$/m.exec(readFileSync(join(ROOT, 'Dockerfile'), 'utf8')) ?? [];
  return Object.fromEntries(settings.split(' ').map(setting => setting.split(/=(.*)/s, 2) as [string, string]));
}

export type Start = { first?: Ask | undefined; args?: string[]; folder?: string; env?: Record<string, string> };

/** Resolves when the server has answered `first`. The measured program is that of the image: the compiled gateway, with its settings. */
export async function start(
  name: ServerName, databaseUrl: string, { first = FIRST[name], env: more, ...other }: Start = {},
): Promise<Running> {
  const { folder, args, env } = { ...PROGRAMS[name], ...other };
  if (folder.startsWith(PEERS)) await install(PEERS);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const headers = { 'content-type': 'application/json', ...(name === 'rowgate' && { authorization: `Bearer ${await token()}` }) };
  const begun = performance.now();
  const child = launch(folder, args, { NODE_ENV: 'production', DATABASE_URL: databaseUrl, PORT: String(port), ...env, ...more });
  await answers(child, url, headers, first);
  return { name, pid: child.pid ?? 0, url, headers, startup: performance.now() - begun, stop: () => stop(child) };
}

/** A Node program, whose words are not wanted but for its errors. It ends with this process. */
export function launch(folder: string, args: string[], env: Record<string, string>): ChildProcess {
  const child = spawn(process.execPath, args, { cwd: folder, env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'inherit'] });
  const end = () => child.kill('SIGTERM');
  process.on('exit', end);
  child.on('exit', () => process.off('exit', end));
  return child;
}

/** Waits for the first answer of 200, asking every few milliseconds. */
export async function answers(
  child: ChildProcess, url: string, headers: Record<string, string>, { method, path, body }: Ask = LIVENESS,
): Promise<void> {
  const walking = (text: string) => text.replaceAll('#', '1');
  for (const deadline = Date.now() + 120_000; ; await setTimeout(5)) {
    const response = await fetch(url
      + walking(path), { method, headers, ...(body !== '' && { body: walking(body) }) }).catch(() => undefined);
    const text = await response?.text();
    if (response?.ok) return;
    if (child.exitCode !== null || Date.now() > deadline) {
      throw new Error(`${child.spawnargs.join(' ')} does not start: ${text ?? 'nothing answers'}`);
    }
  }
}

export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

/** The token of the caller of the load, with these additional claims. */
export function token(claims: Record<string, string> = {}): Promise<string> {
  return new SignJWT({ uid: 'bench', roles: [], ...claims }).setProtectedHeader({ alg: 'HS256' }).setExpirationTime('1d')
    .sign(new TextEncoder().encode(SECRET));
}
