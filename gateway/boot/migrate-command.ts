import { readConfig } from '../config/config.ts';
import { ownerConnection } from '../database/connection.ts';
import { EMBEDDED_DATA, startEmbedded } from '../embedded/embedded.ts';
import { migrate } from './migrate.ts';
import { migrationScript } from './migration-script.ts';
import { readSchema } from './schema-files.ts';

/** `rowgate migrate [--plan]`: what a start does first, by itself; or the script of it, on standard output. */
export async function migrateCommand({ plan, version }: { plan: boolean; version: string }): Promise<void> {
  const { databaseUrl, adminConnectionString, dbPoolConnectTimeout: connectTimeout } = readConfig(process.env);
  const embedded = databaseUrl === undefined ? await startEmbedded({ dir: EMBEDDED_DATA }) : undefined;
  const url = adminConnectionString ?? databaseUrl ?? embedded?.url ?? '';
  const owner = ownerConnection(url, { connectTimeout, applicationName: 'rowgate migrate' }, 1);
  try {
    if (plan) {
      console.log(await migrationScript(owner, readSchema(), version) ?? '-- The schema of the service is up to date.');
    } else {
      const done = await migrate(owner, readSchema());
      const counts = done && `${done.migrations.length} migrations, ${done.sources.length} functions and policies.`;
      console.log(counts ?? 'The schema of the service is up to date.');
    }
  } finally {
    await owner.end({ timeout: 1 });
    await embedded?.stop();
  }
}
