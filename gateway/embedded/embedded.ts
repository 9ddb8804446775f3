import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import postgres from 'postgres';
import { BootError } from '../error.ts';
import { freePort } from '../process/free-port.ts';
import type { Binaries, Release } from './binaries.ts';
import { claimFolder } from './claim-folder.ts';
import { openCluster, DATABASE, OWNER, type Cluster } from './cluster.ts';
import { stopOrphan } from './orphan.ts';
import { findPlace, keepFile, type Place } from './place.ts';
import { StartFailure, startPostmaster, type Postmaster } from './postmaster.ts';
import { silent, type EmbeddedLog } from './server-log.ts';
import { supervise } from './supervisor.ts';

export { type EmbeddedLog } from './server-log.ts';
export { installedBinaries, type Binaries } from './binaries.ts';
export { fetchDebianPackages } from './debian-packages.ts';
export { addVector, hasVector, mayBuildVector } from './vector-build.ts';

/** The data folder of the project in this folder. */
export const EMBEDDED_DATA = resolve('.data/postgres');

export type EmbeddedOptions = {
  /** The folder of the server's data; made when missing. */
  dir: string;
  log?: EmbeddedLog;
  /** Another server than the one that is embedded. */
  release?: Release | undefined;
  /** Server parameters, as on PostgreSQL's command line. */
  settings?: Record<string, string>;
  /** Called when a server that died by itself accepts connections again, on the same port. */
  onRestart?: (pid: number) => void;
};

/** A running embedded server. */
export type Embedded = {
  /** URL of the owner, to the database `rowgate`. It stays the same while the server runs, also over its restarts. */
  url: string;
  /** The same, to another database, which is made on the first call. */
  urlOf: (database: string) => Promise<string>;
  /** The process id of the server that runs now. */
  readonly pid: number;
  /** The programs that it runs from: the installed ones, or a copy of them. */
  binaries: Binaries;
  /** Disconnects its clients, stops it, and releases the folder. */
  stop: () => Promise<void>;
};

/**
 * Starts the PostgreSQL server that came from npm, made on the first call. Until `stop` it is started again whenever it dies.
 * @throws BootError in one line: the folder is in use, of another version or another user, or the server fails.
 */
export async function startEmbedded({ dir, log = silent, release, settings = {}, onRestart }: EmbeddedOptions): Promise<Embedded> {
  const place = findPlace(dir, log, release);
  const claim = await claimFolder(place.folder);
  try {
    await stopOrphan(join(place.folder, 'data'), log);
    const cluster = await openCluster(place, settings['fsync'] !== 'off');
    const stopping = new AbortController();
    const start = (port: number) => startPostmaster({ place, data: cluster.data, port, settings, log, signal: stopping.signal });
    const { postmaster, port } = await startOnFreePort(place, start);
    const server = supervise(postmaster, { start: () => start(port), log, onRestart, stopping });
    const stop = () => server.stop().finally(claim.release);
    const urlOf = (database: string) => ensureDatabase(cluster, port, database);
    const url = await urlOf(DATABASE).catch(async (error: unknown) => { await stop(); throw error; });
    return { url, urlOf, get pid() { return server.pid; }, binaries: place.binaries, stop };
  } catch (error) {
    claim.release();
    throw error;
  }
}

/** The server of this folder: the one that another process runs there, which `stop` leaves alone, else one started for this. */
export async function reachEmbedded(options: EmbeddedOptions): Promise<Pick<Embedded, 'url' | 'urlOf' | 'stop'>> {
  const place = findPlace(options.dir, options.log ?? silent, options.release);
  if (!await isClaimed(place.folder)) return startEmbedded(options);
  const [cluster, port] = [await openCluster(place, true), knownPort(place)];
  if (port === undefined) throw new BootError('The embedded server is about to start for the first time: try again when it serves.');
  const urlOf = (database: string) => ensureDatabase(cluster, port, database);
  return { url: await urlOf(DATABASE), urlOf, stop: () => Promise.resolve() };
}

async function isClaimed(folder: string): Promise<boolean> {
  try {
    (await claimFolder(folder)).release();
    return false;
  } catch (error) {
    if (error instanceof BootError) return true;
    throw error;
  }
}

/**
 * Stops the server of this folder for processes that outlive its starter. A server that another process has adopted since then is left
 * alone.
 */
export async function stopAbandoned(folder: string, log: EmbeddedLog): Promise<void> {
  const claim = await claimFolder(folder).catch((error: unknown) => { if (!(error instanceof BootError)) throw error; });
  if (claim !== undefined) await stopOrphan(join(folder, 'data'), log).finally(claim.release);
}

function knownPort({ folder }: Place): number | undefined {
  const file = join(folder, 'port');
  return existsSync(file) ? Number(readFileSync(file, 'utf8')) : undefined;
}

const START_LIMIT = 20_000;

/** The port of last time if it is free, so that a bookmarked connection keeps working. */
async function startOnFreePort(
  place: Place, start: (port: number) => Promise<Postmaster>,
): Promise<{ postmaster: Postmaster; port: number }> {
  const known = knownPort(place);
  let port = known ?? await freePort();
  for (const deadline = Date.now() + START_LIMIT; ;) {
    try {
      const postmaster = await start(port);
      if (port !== known) keepFile(place, 'port', `${port}\n`);
      return { postmaster, port };
    } catch (error) {
      if (!(error instanceof StartFailure) || error.reason === 'other' || Date.now() > deadline) throw error;
      if (error.reason === 'port taken') port = await freePort();
      else await setTimeout(50);
    }
  }
}

/** The URL of a database that is there. */
async function ensureDatabase({ password }: Cluster, port: number, name: string): Promise<string> {
  const server = `postgres://${OWNER}:${password}@127.0.0.1:${port}`;
  const sql = postgres(`${server}/postgres`, { max: 1, fetch_types: false, connect_timeout: 10 });
  try {
    const [found] = await sql`select from pg_database where datname = ${name}`;
    if (!found) await sql`create database ${sql(name)}`;
    return `${server}/${name}`;
  } finally {
    await sql.end({ timeout: 5 });
  }
}
