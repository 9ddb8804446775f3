import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Logger as GraphileLogger } from '@graphile/logger';
import type { Settings } from 'graphile-migrate';
import type { Logger } from 'pino';
import type postgres from 'postgres';
import { BootError } from '../error.ts';
import { MIGRATIONS, readMigrations } from './schema-files.ts';

/**
 * The project's own migrations: a graphile-migrate folder, whose history lies in the schema graphile_migrate. The
 * service's chain keeps its history elsewhere, so equal numbers in both do not hide each other.
 * @throws BootError when the database has migrations that the folder lacks, or one of them fails.
 */
async function migrateProject(owner: postgres.Sql, url: string, folder: string, log: Logger): Promise<void> {
  if (!hasMigrations(folder)) return;
  const applied = await appliedMigrations(owner);
  refuseFuture(applied.map(({ filename }) => filename), new Set(committedFiles(folder)));
  if (areThose(applied, folder)) return;
  // Loaded where there is something to do: a start without takes 60 ms of CPU time less.
  const [{ migrate }, { clearAllPools }] = await Promise.all([import('graphile-migrate'), import('graphile-migrate/dist/pgReal.js')]);
  try {
    await migrate(settings(url, folder, log));
  } catch (error) {
    throw new BootError(`A migration in ${folder} failed: ${(error as Error).message}`, { cause: error });
  } finally {
    clearAllPools(); // it would keep its connections for 200 ms more, and end the process if one of them broke
  }
}

export type ProjectMigrations = { arePending: () => Promise<boolean>; run: () => Promise<void> };

export function openMigrations(owner: postgres.Sql, url: string, folder: string, log: Logger): ProjectMigrations {
  return {
    arePending: async () => hasMigrations(folder) && (await appliedMigrations(owner)).length < committedFiles(folder).length,
    run: () => migrateProject(owner, url, folder, log),
  };
}

function committedFiles(folder: string): string[] {
  return readdirSync(join(folder, 'committed')).filter(name => name.endsWith('.sql'));
}

/** Started in its own source folder, the service's migrations lie where a project's would. */
export function hasMigrations(folder: string): boolean {
  return existsSync(join(folder, 'committed')) && resolve(folder) !== MIGRATIONS;
}

/** graphile-migrate looks for what comes after the newest it knows; that the database is ahead it does not see. */
function refuseFuture(applied: string[], files: ReadonlySet<string>): void {
  const unknown = applied.find(name => !files.has(name));
  if (unknown !== undefined) {
    throw new BootError(`The database has the project's migration ${unknown}, which is not in the migrations folder: `
      + 'it was set up by a newer state of the project.');
  }
}

type Applied = { filename: string; hash: string };

async function appliedMigrations(owner: postgres.Sql): Promise<Applied[]> {
  const [row] = await owner`select to_regclass('graphile_migrate.migrations') is not null as exists`;
  if (row?.['exists'] !== true) return [];
  return owner<Applied[]>`select filename, hash from graphile_migrate.migrations order by filename`;
}

/** Whether the files of the folder are these. graphile-migrate reports the faults of a file. */
function areThose(applied: Applied[], folder: string): boolean {
  try {
    const files = readMigrations(join(folder, 'committed'));
    return files.length === applied.length && files.every(({ name, hash }, n) => applied[n]?.filename === name && applied[n].hash === hash);
  } catch {
    return false;
  }
}

function settings(connectionString: string, migrationsFolder: string, log: Logger): Settings {
  const logger = new GraphileLogger(() => (level, message) => { log[(level as string) === 'error' ? 'error' : 'debug'](message); });
  return { connectionString, migrationsFolder, logger };
}
