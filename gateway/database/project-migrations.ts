import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Logger as GraphileLogger } from '@graphile/logger';
import { migrate, type Settings } from 'graphile-migrate';
import type postgres from 'postgres';
import type { Logger } from 'pino';
import { BootError } from '../error.ts';

const OWN_MIGRATIONS = resolve(import.meta.dirname, '../../migrations');

/**
 * The project's own migrations: a graphile-migrate folder, whose history lies in the schema graphile_migrate. The
 * service's chain keeps its history elsewhere, so equal numbers in both do not hide each other.
 * @throws BootError when the database has migrations that the folder lacks, or one of them fails.
 */
export async function migrateProject(owner: postgres.Sql, url: string, folder: string, log: Logger): Promise<void> {
  if (!hasMigrations(folder)) return;
  await refuseFuture(owner, new Set(readdirSync(join(folder, 'committed'))));
  try {
    await migrate(settings(url, folder, log));
  } catch (error) {
    throw new BootError(`A migration in ${folder} failed: ${(error as Error).message}`, { cause: error });
  }
}

/** Started in its own source folder, the service's migrations lie where a project's would. */
export function hasMigrations(folder: string): boolean {
  return existsSync(join(folder, 'committed')) && resolve(folder) !== OWN_MIGRATIONS;
}

/** graphile-migrate looks for what comes after the newest it knows; that the database is ahead it does not see. */
async function refuseFuture(owner: postgres.Sql, files: ReadonlySet<string>): Promise<void> {
  const [row] = await owner`select to_regclass('graphile_migrate.migrations') is not null as exists`;
  if (row?.['exists'] !== true) return;
  const applied = await owner<{ filename: string }[]>`select filename from graphile_migrate.migrations order by filename`;
  const unknown = applied.find(({ filename }) => !files.has(filename));
  if (unknown !== undefined) {
    throw new BootError(`The database has the project's migration ${unknown.filename}, which is not in the migrations folder: it was set up by a newer state of the project.`);
  }
}

function settings(connectionString: string, migrationsFolder: string, log: Logger): Settings {
  return { connectionString, migrationsFolder, logger: new GraphileLogger(() => (level, message) => { log[(level as string) === 'error' ? 'error' : 'debug'](message); }) };
}
