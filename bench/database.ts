/** The database of the benches: the embedded server with the service's schema and data.sql in it, made anew for each run. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import { startEmbedded, type Embedded } from '../gateway/embedded/embedded.ts';
import { migrate } from '../gateway/start/migrate.ts';
import { readSchema } from '../gateway/start/schema-files.ts';

export const ROOT = join(import.meta.dirname, '..');

/** A vacuum would disturb a single round. */
const SETTINGS = { autovacuum: 'off', max_connections: '200' };

/** @param isDurable commits wait for the disk, as a user's do: that costs every server the same, and depends on the disk. */
export function startServer(isDurable: boolean): Promise<Embedded> {
  return startEmbedded({ dir: join(ROOT, '.data/bench'), settings: { ...SETTINGS, fsync: isDurable ? 'on' : 'off' } });
}

/** @returns the URL of a new database of that name, which holds the service's schema and data.sql. */
export async function createDatabase(server: Embedded, name: string): Promise<string> {
  const url = await emptyDatabase(server, name);
  const sql = connection(url);
  await migrate(sql, readSchema());
  await sql.unsafe(readFileSync(join(import.meta.dirname, 'data.sql'), 'utf8')).simple();
  await sql`vacuum analyze`;
  await sql.end();
  return url;
}

export async function emptyDatabase(server: Embedded, name: string): Promise<string> {
  const url = new URL(server.url);
  const admin = connection(url.href);
  await admin`drop database if exists ${admin(name)} with (force)`;
  await admin`create database ${admin(name)}`;
  await admin.end();
  url.pathname = `/${name}`;
  return url.href;
}

export function connection(url: string): postgres.Sql {
  return postgres(url, { max: 1, fetch_types: false, onnotice: () => undefined });
}
