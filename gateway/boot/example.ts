import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import postgres from 'postgres';
import { loadCollections } from '../collections/load.ts';
import { type Config } from '../config/config.ts';

const EXAMPLE = resolve(import.meta.dirname, '../../examples/store');

/** The embedded database serves the example project as long as there is no other. */
export async function withExample(config: Config, url: string): Promise<Config> {
  const hasProject = config.collectionsDirNamed || config.migrationsDir !== undefined || existsSync(config.collectionsDir);
  if (config.databaseUrl !== undefined || hasProject || !await isForExample(url, EXAMPLE)) return config;
  return { ...config, collectionsDir: join(EXAMPLE, 'collections') };
}

/**
 * Whether an embedded database is the example's: public holds no table yet, or only such as the example declared there.
 * One with any table of its own is left alone.
 */
async function isForExample(url: string, folder: string): Promise<boolean> {
  const { collections = [], relations = [] } = loadCollections(join(folder, 'collections'), 'error')?.rows ?? {};
  const junctions = relations.map(({ junction_table }) => junction_table);
  const declared = new Set([...collections.map(({ table_name }) => table_name), ...junctions]);
  const slugs = new Set(collections.map(({ slug }) => slug));
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  try {
    const tables = await tablesOf(sql);
    if (tables.length === 0) return true;
    const served = await servedFromFiles(sql);
    return served.length > 0 && served.every(slug => slugs.has(slug)) && tables.every(table => declared.has(table));
  } finally {
    await sql.end();
  }
}

/** Views and foreign tables count, what an extension brought does not. */
async function tablesOf(sql: postgres.Sql): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select c.relname as name from pg_catalog.pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'f')
      and not exists (
        select from pg_catalog.pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')`;
  return rows.map(({ name }) => name);
}

/** What the database served last, if that came from files. */
async function servedFromFiles(sql: postgres.Sql): Promise<string[]> {
  const [row] = await sql`select to_regclass('service.collections') is not null as exists`;
  if (row?.['exists'] !== true) return [];
  const rows = await sql<{ slug: string }[]>`select slug from service.collections where source = 'file'`;
  return rows.map(({ slug }) => slug);
}
