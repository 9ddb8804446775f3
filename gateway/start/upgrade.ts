import type postgres from 'postgres';
import { BootError } from '../error.ts';
import { functionOf, HISTORY, inOrder, type Migration, type SchemaFiles, type Source } from './schema-files.ts';

type Sql = postgres.Sql | postgres.TransactionSql;

/**
 * The part of the service's schema that a database lacks. Migrations give a release its number, so a release that changes only sources has
 * one too.
 */
export type Upgrade = {
  migrations: Migration[];
  /** Each with the text that the database has of it. */
  sources: (Source & { before: string | undefined })[];
};

/** One piece of what an upgrade runs. */
export type Step = { title: string; statement: string; source?: Upgrade['sources'][number] };

/**
 * Finds the work to do; undefined when there is none. Changes nothing, and takes no lock.
 * @throws BootError for a database that was migrated by other files, or by a newer version.
 */
export async function findUpgrade(sql: Sql, { migrations, sources }: SchemaFiles): Promise<Upgrade | undefined> {
  const stored = await readStored(sql);
  const pending = migrations.slice(verified(stored.migrations, migrations));
  const there = await functionsAfter(sql, pending);
  const wanted = sources.filter(source => stored.sources.get(source.path) !== source.hash || !isThere(source, there));
  if (pending.length === 0 && wanted.length === 0) return undefined;
  return { migrations: pending, sources: await withBefore(sql, wanted, stored.sources) };
}

/** PostgreSQL lets everyone execute a new function. Grants in a function's file stay. */
const REVOKED = 'revoke all on all functions in schema service, service_private from public;';

/** The statements of an upgrade, in order: all in one transaction. */
export function stepsOf({ migrations, sources }: Upgrade): Step[] {
  return [
    { title: 'migrations/history.sql', statement: HISTORY },
    ...migrations.map(migration => ({
      title: `migrations/committed/${migration.name}`,
      statement: `${ended(migration.body)}\n\n${recorded(migration)}`,
    })),
    ...inOrder(sources).map(source => ({
      title: source.path,
      statement: `select service_private.install('${source.path}', ${quoted(source.text)});`,
      source,
    })),
    { title: 'Functions are for those that a file grants them to.', statement: REVOKED },
    { title: 'Gateways look at the schema again.', statement: 'select service.reload();' },
  ];
}

function ended(statement: string): string {
  return statement.replace(/;?\s*$/, ';');
}

function recorded({ number, name, hash, previous }: Migration): string {
  return `insert into service.migrations (number, name, hash, previous_hash) values (${number}, '${name}', '${hash}', '${previous}');`;
}

function quoted(text: string): string {
  let tag = '$source$';
  for (let n = 1; text.includes(tag); n++) tag = `$source${n}$`;
  return `${tag}${text}${tag}`;
}

/** The hashes of the sources: a start with nothing to do would read half a megabyte of texts. */
type Stored = { migrations: { number: number; name: string; hash: string }[]; sources: Map<string, string> };

/** Tables are looked up by a query: after a wait for a lock, to_regclass() would return the state before it. */
async function readStored(sql: Sql): Promise<Stored> {
  const [there] = await sql<{ migrations: boolean; sources: boolean }[]>`
    select bool_or(tablename = 'migrations') as migrations, bool_or(tablename = 'sources') as sources
    from pg_tables where schemaname = 'service'`;
  const migrations = there?.migrations
    ? await sql<Stored['migrations']>`select number, name, hash from service.migrations order by number`
    : [];
  const sources = there?.sources
    ? await sql<{ path: string; hash: string }[]>`select path, hash from service.sources`
    : [];
  return { migrations, sources: new Map(sources.map(({ path, hash }) => [path, hash])) };
}

async function withBefore(sql: Sql, wanted: Source[], stored: ReadonlyMap<string, string>): Promise<Upgrade['sources']> {
  const paths = wanted.map(({ path }) => path).filter(path => stored.has(path));
  const texts = paths.length === 0 ? [] : await sql<{ path: string; text: string }[]>`
    select path, text from service.sources where path in (select jsonb_array_elements_text(${JSON.stringify(paths)}::text::jsonb))`;
  const before = new Map(texts.map(({ path, text }) => [path, text]));
  return wanted.map(source => ({ ...source, before: before.get(source.path) }));
}

/**
 * The service's functions that remain when these migrations have run: dropped ones are installed again, with everything that depends on
 * them.
 */
async function functionsAfter(sql: Sql, migrations: Migration[]): Promise<Set<string>> {
  const drops = migrations.flatMap(({ body }) => [...body.matchAll(/^\s*drop function (?:if exists )?service(?:_private)?\.(\w+)/gm)]);
  const dropped = drops.map(([, name = '']) => name);
  const left = await sql<{ name: string }[]>`
    with recursive dropped as (
      select p.oid from pg_proc p join pg_namespace n on n.oid = p.pronamespace
      where n.nspname in ('service', 'service_private')
        and p.proname in (select jsonb_array_elements_text(${JSON.stringify(dropped)}::text::jsonb))
      union
      select d.objid
      from dropped p
      join pg_depend d on d.refclassid = 'pg_proc'::regclass and d.refobjid = p.oid and d.classid = 'pg_proc'::regclass
    )
    select p.proname as name from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where n.nspname in ('service', 'service_private') and p.oid not in (select oid from dropped)`;
  return new Set(left.map(({ name }) => name));
}

function isThere(source: Source, functions: ReadonlySet<string>): boolean {
  const name = functionOf(source);
  return name === undefined || functions.has(name);
}

/** How many migrations the database has, after comparing each with its file. */
function verified(stored: Stored['migrations'], migrations: Migration[]): number {
  for (const { number, name, hash } of stored) {
    const file = migrations[number - 1];
    if (file?.hash === hash) continue;
    if (file === undefined) {
      throw new BootError(`The database has migration ${name}, which this version does not know: it was set up by a newer version. `
        + 'Upgrade the service, or use another database.');
    }
    throw new BootError(`Migration ${file.name} in the database is not the one of this version `
      + `(${hash} there, ${file.hash} here). A database that a version before 0.2.0 made is not taken over: `
      + 'make a new one, and restore your own tables into it.');
  }
  return stored.length;
}
