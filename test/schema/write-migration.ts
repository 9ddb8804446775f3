/**
 * Writes the service's migrations, against a private embedded server, so that no other database is touched. Functions and policies are no
 * part of it: their files are installed as they are.
 * npm run migration -- watch            applies migrations/current.sql at every change of it
 * npm run migration -- commit [message] makes the next file of migrations/committed from it
 * npm run migration -- uncommit         moves the last one back into current.sql, while it is not shared
 */
import { join } from 'node:path';
import { commit, migrate, uncommit, watch, type Settings } from 'graphile-migrate';
import { clearAllPools } from 'graphile-migrate/dist/pgReal.js';
import postgres from 'postgres';
import { startEmbedded } from '../../gateway/embedded/embedded.ts';
import { HISTORY, MIGRATIONS } from '../../gateway/start/schema-files.ts';

async function main([action, message]: string[]): Promise<void> {
  const server = await startEmbedded({ dir: join(MIGRATIONS, '../.data/author'), settings: { fsync: 'off' } });
  try {
    const settings = await prepare(server.url);
    if (action === 'commit') await commit(settings, message);
    else if (action === 'uncommit') await migrate(settings).then(() => uncommit(settings)); // it looks for the last one in the database
    else if (action === 'watch') await watch(settings);
    else throw new Error('Say watch, commit [message], or uncommit.');
  } finally {
    clearAllPools(); // it would keep its connections for 200 ms more, and end the process when the server goes first
    await server.stop();
  }
}

async function prepare(url: string): Promise<Settings> {
  const [database, shadow] = ['rowgate_author', 'rowgate_shadow'];
  const sql = postgres(url, { onnotice: () => undefined });
  for (const name of [database, shadow]) {
    await sql`drop database if exists ${sql(name)} with (force)`;
    await sql`create database ${sql(name)}`;
  }
  await sql.end();
  const own = postgres(named(url, database), { onnotice: () => undefined });
  await own.unsafe(HISTORY).simple();
  await own.end();
  return {
    connectionString: named(url, database),
    shadowConnectionString: named(url, shadow),
    rootConnectionString: url,
    migrationsFolder: MIGRATIONS,
    afterReset: ['history.sql'],
  };
}

function named(url: string, database: string): string {
  const other = new URL(url);
  other.pathname = `/${database}`;
  return other.href;
}

await main(process.argv.slice(2));
