import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type postgres from 'postgres';
import { BootError } from '../error.ts';
import { exclusively } from '../database/exclusive.ts';

/** The service's own, beside the program, compiled or not. */
export const MIGRATIONS = resolve(import.meta.dirname, '../../migrations');

export type Migration = { number: number; name: string; hash: string; previous: string; body: string };

/**
 * Brings the service's schema up to date: each committed migration once, in order, in a transaction of its own, under
 * a lock for which other gateways wait. What was applied must be what lies in the folder.
 * @throws BootError for a database that was migrated by other files, or by a newer version.
 */
export async function migrate(owner: postgres.Sql, migrations: Migration[], applied: (name: string) => void = () => undefined): Promise<void> {
  let position = await upToDate(owner, migrations);
  while (position < migrations.length) {
    position = await exclusively(owner, async transaction => {
      await transaction`create schema if not exists service`;
      await transaction.unsafe(HISTORY_TABLE);
      const next = migrations[await verified(transaction, migrations)];
      if (next === undefined) return migrations.length;
      await transaction.unsafe(next.body);
      await transaction`insert into service.migrations (number, name, hash, previous_hash) values (${next.number}, ${next.name}, ${next.hash}, ${next.previous})`;
      applied(next.name);
      return next.number;
    });
  }
}

const HISTORY_TABLE = `
  create table if not exists service.migrations (
    number integer primary key,
    name text not null,
    hash text not null,
    previous_hash text not null,
    applied_at timestamptz not null default now()
  );
  comment on table service.migrations is 'The service''s migrations that this database has, with the hashes of their files.'`;

/** For a boot that may not change anything. @throws BootError naming what the database lacks. */
export async function requireMigrated(owner: postgres.Sql, migrations: Migration[]): Promise<void> {
  const missing = migrations.slice(await upToDate(owner, migrations)).map(({ name }) => name);
  if (missing.length > 0) throw new BootError(`The database lacks ${missing.join(', ')} of the service's migrations, and SERVICE_MIGRATE_ON_BOOT=none forbids applying them.`);
}

/** The common case needs no lock and no transaction. */
async function upToDate(owner: postgres.Sql, migrations: Migration[]): Promise<number> {
  const [row] = await owner`select to_regclass('service.migrations') is not null as exists`;
  return row?.['exists'] === true ? verified(owner, migrations) : 0;
}

/** How many migrations the database has, after comparing each with its file. */
async function verified(sql: postgres.Sql | postgres.TransactionSql, migrations: Migration[]): Promise<number> {
  const stored = await sql<{ number: number; name: string; hash: string }[]>`select number, name, hash from service.migrations order by number`;
  for (const { number, name, hash } of stored) {
    const file = migrations[number - 1];
    if (file === undefined) {
      throw new BootError(`The database has migration ${name}, which this version does not know: it was set up by a newer version. Upgrade the service, or use another database.`);
    }
    if (file.hash !== hash) throw new BootError(`Migration ${file.name} in the database is not the one of this version (${hash} there, ${file.hash} here).`);
  }
  return stored.length;
}

/** The committed files, whose names, hashes and order must form one unbroken chain; the service's, if no other folder is named. */
export function readMigrations(folder = join(MIGRATIONS, 'committed')): Migration[] {
  const migrations: Migration[] = [];
  for (const name of readdirSync(folder).filter(file => file.endsWith('.sql')).sort()) {
    migrations.push(readMigration(folder, name, migrations.length + 1, migrations.at(-1)?.hash ?? '-'));
  }
  if (migrations.length === 0) throw new BootError(`There are no migrations in ${folder}: the installation is not whole.`);
  return migrations;
}

/** The header is the one graphile-migrate writes on commit. */
function readMigration(folder: string, name: string, number: number, previousHash: string): Migration {
  const text = readFileSync(join(folder, name), 'utf8');
  const header = /^--! Previous: (\S+)\n--! Hash: (\S+)\n(?:--! [^\n]*\n)*\n/.exec(text);
  const [all, previous = '', hash = ''] = header ?? [];
  const body = text.slice(all?.length ?? 0).trim();
  const broken = Number.parseInt(name, 10) !== number || previous !== previousHash || hash !== hashOf(body, previous);
  if (broken) throw new BootError(`Migration file ${name} was changed or is out of place: its hash, its number or its predecessor is wrong.`);
  return { number, name, hash, previous, body };
}

function hashOf(body: string, previous: string): string {
  const content = `${previous === '-' ? '' : previous}\n${body}`.trim();
  return `sha1:${createHash('sha1').update(`${content}\n`).digest('hex')}`;
}
