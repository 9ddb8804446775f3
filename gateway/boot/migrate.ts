import type postgres from 'postgres';
import { exclusively } from '../database/exclusive.ts';
import { BootError } from '../error.ts';
import { functionOf, HISTORY, type Migration, type Replaced, type SchemaFiles, type Source } from './schema-files.ts';

type Sql = postgres.Sql | postgres.TransactionSql;

/** What an upgrade of a database runs, in this order. Migrations give a release its number, so one that changes only sources has one too. */
export type Upgrade = {
  /** Of a chain that was squashed since, with the first of the migrations that it counts as from now on. */
  adopted: { replaced: Replaced; baseline: Migration } | undefined;
  migrations: Migration[];
  sources: Source[];
};

/**
 * Brings the service's schema up to date in one transaction, under a lock for which other gateways wait: each migration
 * once, in order, then each file of sql/ and policies/ that the database has with another text or not at all.
 * @returns what was done; undefined when there was nothing to do.
 * @throws BootError for a database that was migrated by other files, or by a newer version.
 */
export async function migrate(owner: postgres.Sql, files: SchemaFiles): Promise<Upgrade | undefined> {
  if (isNothing(await findUpgrade(owner, files))) return undefined;
  return exclusively(owner, async transaction => {
    const { adopted, migrations } = await findUpgrade(transaction, files); // another gateway may have been faster
    await transaction.unsafe(HISTORY);
    if (adopted) {
      await transaction.unsafe(adopted.replaced.adoption);
      await transaction`delete from service.migrations`;
      await record(transaction, adopted.baseline);
    }
    for (const migration of migrations) {
      await transaction.unsafe(migration.body);
      await record(transaction, migration);
    }
    const { sources } = await findUpgrade(transaction, files); // with what the migrations dropped
    for (const source of sources) await install(transaction, source);
    const upgrade = { adopted, migrations, sources };
    return isNothing(upgrade) ? undefined : upgrade;
  });
}

function isNothing({ adopted, migrations, sources }: Upgrade): boolean {
  return adopted === undefined && migrations.length === 0 && sources.length === 0;
}

async function record(transaction: Sql, { number, name, hash, previous }: Migration): Promise<void> {
  await transaction`insert into service.migrations (number, name, hash, previous_hash) values (${number}, ${name}, ${hash}, ${previous})`;
}

async function install(transaction: Sql, { path, text }: Source): Promise<void> {
  try {
    await transaction`select service.install(${path}, ${text})`;
  } catch (error) {
    throw Object.assign(error as Error, { message: `${path}: ${(error as Error).message}` });
  }
}

/** For a boot that may not change anything. @throws BootError naming what the database lacks. */
export async function requireMigrated(owner: postgres.Sql, files: SchemaFiles): Promise<void> {
  const { adopted, migrations, sources } = await findUpgrade(owner, files);
  const missing = [...(adopted ? [adopted.baseline] : []), ...migrations].map(({ name }) => name);
  const lacks = missing.length > 0 ? `lacks ${missing.join(', ')} of the service's migrations`
    : sources.length > 0 ? `has another text of ${sources.map(({ path }) => path).join(', ')}` : undefined;
  if (lacks !== undefined) throw new BootError(`The database ${lacks}, and SERVICE_MIGRATE_ON_BOOT=none forbids applying them.`);
}

/** The common case, nothing, needs no lock and no transaction. */
export async function findUpgrade(sql: Sql, { migrations, sources }: SchemaFiles): Promise<Upgrade> {
  const stored = await readStored(sql);
  const adopted = adoption(stored.migrations, migrations);
  const pending = adopted ? migrations.slice(1) : migrations.slice(verified(stored.migrations, migrations));
  return { adopted, migrations: pending, sources: sources.filter(source => !isInstalled(source, stored)) };
}

type Stored = { migrations: { number: number; name: string; hash: string }[]; sources: Map<string, string>; functions: Set<string> };

async function readStored(sql: Sql): Promise<Stored> {
  const [there] = await sql<{ migrations: boolean; sources: boolean }[]>`
    select to_regclass('service.migrations') is not null as migrations, to_regclass('service.sources') is not null as sources`;
  const migrations = there?.migrations ? await sql<Stored['migrations']>`select number, name, hash from service.migrations order by number` : [];
  const sources = there?.sources ? await sql<{ path: string; hash: string }[]>`select path, hash from service.sources` : [];
  const functions = there?.sources ? await sql<{ name: string }[]>`select proname as name from pg_proc where pronamespace = 'service'::regnamespace` : [];
  return { migrations, sources: new Map(sources.map(({ path, hash }) => [path, hash])), functions: new Set(functions.map(({ name }) => name)) };
}

/** A migration may have dropped the function, so that it comes again with other arguments. */
function isInstalled(source: Source, { sources, functions }: Stored): boolean {
  const name = functionOf(source);
  return sources.get(source.path) === source.hash && (name === undefined || functions.has(name));
}

function adoption(stored: Stored['migrations'], [baseline]: Migration[]): Upgrade['adopted'] {
  const replaced = baseline?.replaces;
  const last = stored.at(-1);
  return baseline && replaced && last?.number === replaced.number && last.hash === replaced.hash ? { replaced, baseline } : undefined;
}

/** How many migrations the database has, after comparing each with its file. */
function verified(stored: Stored['migrations'], migrations: Migration[]): number {
  for (const { number, name, hash } of stored) {
    const file = migrations[number - 1];
    if (file?.hash === hash) continue;
    if (file === undefined) {
      throw new BootError(`The database has migration ${name}, which this version does not know: it was set up by a newer version. Upgrade the service, or use another database.`);
    }
    const before = file.replaces && `. It was set up before these were ${file.replaces.number} files; a version that has them takes it as far as this one goes on from`;
    throw new BootError(`Migration ${file.name} in the database is not the one of this version (${hash} there, ${file.hash} here)${before ?? ''}.`);
  }
  return stored.length;
}
