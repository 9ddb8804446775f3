import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Logger } from 'pino';
import postgres from 'postgres';
import type { Config } from '../features/config.ts';
import { addVector, hasVector, installedBinaries, mayBuildVector } from '../embedded/embedded.ts';
import { atEnd, reasonOf } from '../process/ending.ts';
import type { FilesKeeper } from './database.ts';
import { EXAMPLE, type Project } from './find-project.ts';
import { filesOf } from './source.ts';

/** A build beside the service. */
export type VectorBuild = {
  /** Called when the service is open: once pgvector is there, its collection files get the columns that had to be left out. */
  announceTo: (files: FilesKeeper | undefined) => void;
};

/**
 * Builds pgvector in a clone whose embedded server lacks it, beside the service; the first start takes 15 s less. A project that uses
 * vectors waits for it: without vectors, its collections would change under their first clients, and its migrations would fail.
 */
export async function buildVector({ config, url, binaries: running }: Project, log: Logger): Promise<VectorBuild | undefined> {
  const isClone = import.meta.filename.endsWith('.ts'); // the package has a command for it
  if (!isClone || running === undefined || hasVector(running)) return undefined;
  const installed = installedBinaries();
  if (!mayBuildVector(installed)) return undefined;
  const stopping = new AbortController();
  const also = running.folder === installed.folder ? undefined : running.folder;
  const building = addVector(installed, { signal: stopping.signal, also });
  atEnd(async () => {
    stopping.abort();
    await building;
  });
  if (!await usesVectors(config, url)) {
    log.info('pgvector is being built for the embedded PostgreSQL, beside the service.');
    return { announceTo: files => void building.then(said => announce(said, config, files, log)) };
  }
  log.info('The project uses vectors: pgvector is being built for the embedded PostgreSQL before the service begins.');
  await announce(await building, config, undefined, log);
  return undefined;
}

/** The files are read again: they may have been edited meanwhile. */
async function announce(said: string | undefined, config: Config, files: FilesKeeper | undefined, log: Logger): Promise<void> {
  if (said === undefined) return; // the service ends
  log.info(said);
  if (files === undefined) return;
  try {
    const read = filesOf(config);
    if (JSON.stringify(read?.project ?? '').includes('"vector"') && read !== undefined) await files.apply(read);
  } catch (error) {
    log.error(`The columns of vectors could not be added: ${reasonOf(error)}. The next start adds them.`);
  }
}

/** The word in a collection file or a migration of the project, or the extension in its database. */
async function usesVectors(config: Config, url: string): Promise<boolean> {
  if (config.collectionsDir === EXAMPLE.folder) return hasExtension(url);
  const migrations = join(config.migrationsDir ?? join(dirname(resolve(config.collectionsDir)), 'migrations'), 'committed');
  const scripts = existsSync(migrations) ? readdirSync(migrations).filter(name => name.endsWith('.sql')) : [];
  return JSON.stringify(filesOf(config)?.project ?? '').includes('"vector"')
    || scripts.some(name => /\bvector\b/i.test(readFileSync(join(migrations, name), 'utf8')))
    || hasExtension(url);
}

/** As after a new installation over a database that is kept. */
async function hasExtension(url: string): Promise<boolean> {
  const sql = postgres(url, { max: 1, fetch_types: false, onnotice: () => undefined });
  try {
    return (await sql`select from pg_extension where extname = 'vector'`).length > 0;
  } finally {
    await sql.end();
  }
}
