import type postgres from 'postgres';
import { readConfig } from '../features/config.ts';
import { ownerConnection } from '../database/connection.ts';
import { EMBEDDED_DATA, startEmbedded } from '../embedded/embedded.ts';
import { migrate } from '../start/migrate.ts';
import { migrationScript } from '../start/migration-script.ts';
import { readSchema } from '../start/schema-files.ts';

type Wanted = { plan: boolean; check: boolean; json: boolean; version: string };

/** `rowgate migrate`: what a start does first, by itself; with `plan` the script of it, with `check` and exit code 2 when there is one. */
export async function migrateCommand(wanted: Wanted): Promise<void> {
  const { databaseUrl, adminConnectionString, dbPoolConnectTimeout: connectTimeout } = readConfig(process.env);
  const embedded = databaseUrl === undefined ? await startEmbedded({ dir: EMBEDDED_DATA }) : undefined;
  const url = adminConnectionString ?? databaseUrl ?? embedded?.url ?? '';
  const owner = ownerConnection(url, { connectTimeout, applicationName: 'rowgate migrate' }, 1);
  try {
    console.log(await (wanted.plan || wanted.check ? planned(owner, wanted) : migrated(owner, wanted)));
  } finally {
    await owner.end({ timeout: 1 });
    await embedded?.stop();
  }
}

const UP_TO_DATE = 'The schema of the service is up to date.';

async function planned(owner: postgres.Sql, { check, json, version }: Wanted): Promise<string> {
  const script = await migrationScript(owner, readSchema(), version);
  if (check && script !== undefined) process.exitCode = 2;
  return json ? JSON.stringify({ script: script ?? null }) : script ?? `-- ${UP_TO_DATE}`;
}

async function migrated(owner: postgres.Sql, { json }: Wanted): Promise<string> {
  const { migrations = [], sources = [] } = await migrate(owner, readSchema()) ?? {};
  if (json) return JSON.stringify({ migrations: migrations.map(({ name }) => name), sources: sources.map(({ path }) => path) });
  if (migrations.length + sources.length === 0) return UP_TO_DATE;
  return `${migrations.length} migrations, ${sources.length} functions and policies.`;
}
