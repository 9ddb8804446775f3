/**
 * Writes against the floor, in one run on one database: node bench/write/run.ts [seconds] [rounds].
 * Rounds alternate between the two servers, so that a noisy machine is noisy for both; medians are compared.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import { SignJWT } from 'jose';
import { startEmbedded } from '../../gateway/database/embedded.ts';
import { migrate, readMigrations } from '../../gateway/database/migrate.ts';

const root = join(import.meta.dirname, '../..');
const [seconds = '5', rounds = '3'] = process.argv.slice(2);
const SECRET = 'a secret for benchmarks, long enough 0123456789';
const [FLOOR_PORT, PORT] = [4011, 4012];
const CONNECTIONS = 64;
/** The writing connections of a pool of 20, which is the default. */
const WRITERS = 5;

const POST = '{"authorId":#,"title":"Post number #","status":"live","price":12.50,"createdAt":"2024-05-06T07:08:09Z"}';
const PATCH = '{"title":"Changed by #","price":99.95}';
/** [name, method, path at the floor, path at the service, body]; # stands for a number that moves from request to request. */
const CASES: [string, string, string, string, string][] = [
  ['create', 'POST', '/create', '/api/data/posts', POST],
  ['update', 'PATCH', '/update/#', '/api/data/posts/#', PATCH],
];

const server = await startEmbedded({ dir: join(root, '.data/bench-write'), settings: { fsync: 'off' } });
const children: ChildProcess[] = [];
try {
  await prepare(server.url);
  children.push(await started('bench/write/floor.ts', FLOOR_PORT), await started('gateway/main.ts', PORT));
  const token = await new SignJWT({ uid: 'bench', roles: [] }).setProtectedHeader({ alg: 'HS256' }).setExpirationTime('1h').sign(new TextEncoder().encode(SECRET));
  console.log('| request | floor/s | rowgate/s | ratio |\n|---|---|---|---|');
  for (const [name, method, floorPath, path, body] of CASES) {
    const results: [number, number][] = [];
    for (let round = 0; round <= Number(rounds); round++) {
      results.push([load(FLOOR_PORT, method, floorPath, body), load(PORT, method, path, body, token)]);
    }
    const measured = results.slice(1);
    const [floor, ours] = [median(measured.map(([f]) => f)), median(measured.map(([, o]) => o))];
    console.log(`| ${name} | ${Math.round(floor)} | ${Math.round(ours)} | ${(ours / floor).toFixed(2)} |`);
  }
} finally {
  for (const child of children) { child.kill('SIGTERM'); await once(child, 'exit'); }
  await server.stop();
}

async function prepare(url: string): Promise<void> {
  const sql = postgres(url, { onnotice: () => undefined });
  await sql.unsafe('drop schema if exists service cascade; drop table if exists posts, authors');
  await migrate(sql, readMigrations(join(root, 'migrations/committed')));
  await sql.unsafe(readFileSync(join(root, 'bench/read/data.sql'), 'utf8')).simple();
  await sql.unsafe(readFileSync(join(import.meta.dirname, 'policies.sql'), 'utf8')).simple();
  await sql.end();
}

async function started(file: string, port: number): Promise<ChildProcess> {
  const env = { ...process.env, DATABASE_URL: server.url, PORT: String(port), WRITERS: String(WRITERS), JWT_SECRET: SECRET, SERVICE_SERVICE_KEY: SECRET.replaceAll(/[ ,]/g, '-'), LOG_LEVEL: 'error' };
  const child = spawn(process.execPath, [join(root, file)], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  return child;
}

/** Requests per second, from wrk; the number in path and body walks from 1 to 1,000. */
function load(port: number, method: string, path: string, body: string, token = ''): number {
  const script = join(import.meta.dirname, 'write.lua');
  const { stdout } = spawnSync('wrk', ['-t1', `-c${CONNECTIONS}`, `-d${seconds}s`, '-s', script, `http://127.0.0.1:${port}/`, '--', method, path, body, token], { encoding: 'utf8' });
  const failures = /Non-2xx or 3xx responses: (\d+)/.exec(stdout)?.[1];
  if (failures !== undefined) throw new Error(`${method} ${path} at ${port}: ${failures} requests failed`);
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]);
}

function median(numbers: number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? NaN;
}
