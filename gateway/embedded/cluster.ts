import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { BootError } from '../error.ts';
import { program } from './binaries.ts';
import { keepFile, type Place } from './place.ts';

/** The owner of everything in the embedded server, and the database that the gateway serves from it. */
export const OWNER = 'rowgate';
export const DATABASE = 'rowgate';

const UNFINISHED = 'unfinished-';

export type Cluster = { data: string; password: string };

/** Opens the data directory of a place, made on the first start. @throws BootError */
export async function openCluster(place: Place, durable: boolean): Promise<Cluster> {
  const cluster = { data: join(place.folder, 'data'), password: keptPassword(place) };
  removeUnfinished(place);
  if (!existsSync(cluster.data)) await initialise(place, cluster.data, durable);
  checkVersion(cluster.data, place.binaries.major);
  return cluster;
}

/** Environment of PostgreSQL's programs: C messages because we read them, and none of the PG variables that redirect them. */
export const SERVER_ENVIRONMENT = { PATH: process.env['PATH'] ?? '', LC_ALL: 'C', TZ: 'UTC' };

/** Written before the data directory exists, so that no directory has an unknown password. */
function keptPassword(place: Place): string {
  const file = passwordFile(place);
  if (existsSync(file)) return readFileSync(file, 'utf8').trim();
  if (existsSync(join(place.folder, 'data'))) {
    throw new BootError(`${file} is missing, and without it no login works: put it back, `
      + `or move ${place.folder} away to start with an empty database.`);
  }
  const password = randomBytes(24).toString('base64url');
  keepFile(place, 'password', `${password}\n`);
  return password;
}

function passwordFile(place: Place): string {
  return join(place.folder, 'password');
}

/**
 * The folder has a temporary name until it is complete, so that an interrupted first start is redone. The name is new each time: initdb
 * outlives a killed gateway and still writes for a moment.
 */
async function initialise(place: Place, data: string, durable: boolean): Promise<void> {
  const unfinished = join(place.folder, `${UNFINISHED}${randomBytes(4).toString('hex')}`);
  await runInitdb(place, [
    `--pgdata=${unfinished}`,
    `--username=${OWNER}`,
    `--pwfile=${passwordFile(place)}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    // The builtin provider sorts by code point and knows Unicode's letters, the same on every system.
    '--locale=C', ...(place.binaries.major >= 17 ? ['--locale-provider=builtin', '--builtin-locale=C.UTF-8'] : []),
    '--data-checksums',
    ...(durable ? [] : ['--no-sync']),
  ]);
  renameSync(unfinished, data);
}

function removeUnfinished(place: Place): void {
  for (const name of readdirSync(place.folder).filter(entry => entry.startsWith(UNFINISHED))) {
    try {
      rmSync(join(place.folder, name), { recursive: true, force: true });
    } catch {
      // Still written to. The next start gets it.
    }
  }
}

function runInitdb(place: Place, options: string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program(place.binaries, 'initdb'), options, {
      cwd: place.folder, env: SERVER_ENVIRONMENT, stdio: ['ignore', 'ignore', 'pipe'], ...place.account,
    });
    const interrupt = () => void child.kill();
    process.once('exit', interrupt);
    let output = '';
    child.stderr.setEncoding('utf8').on('data', (part: string) => output += part);
    child.on('error', reject);
    child.on('close', code => {
      process.off('exit', interrupt);
      if (code === 0) resolve();
      else reject(new BootError(`PostgreSQL could not make its data directory in ${place.folder}: ${firstError(output)}`));
    });
  });
}

function firstError(output: string): string {
  const line = output.split('\n').find(text => text.includes('error:')) ?? output.trim();
  return line.replace(/^initdb: /, '') || 'initdb was interrupted';
}

function checkVersion(data: string, major: number): void {
  const file = join(data, 'PG_VERSION');
  if (!existsSync(file)) throw new BootError(`${data} is not a PostgreSQL data directory: move it away.`);
  const found = readFileSync(file, 'utf8').trim();
  if (found === String(major)) return;
  throw new BootError(`${data} was made by PostgreSQL ${found}, the embedded server is ${major}: move the folder away, `
    + `or serve it with a PostgreSQL ${found} and set DATABASE_URL.`);
}
