import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import type { CatalogKeeper } from './database/catalog.ts';

/** Fills an empty embedded database with the example, all or nothing. A database with any table of its own is left alone. */
export async function loadExample(url: string, folder: string, catalog: CatalogKeeper): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  try {
    const loaded = await sql.begin(async transaction => {
      const [row] = await transaction`select exists (select from pg_catalog.pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v')) as taken`;
      if (row?.['taken'] === true) return false;
      for (const file of exampleFiles(folder)) await transaction.unsafe(readFileSync(file, 'utf8'));
      return true;
    });
    if (loaded) await catalog.refresh();
  } finally {
    await sql.end();
  }
}

export function exampleFiles(folder: string): string[] {
  return readdirSync(folder).filter(name => name.endsWith('.sql')).sort().map(name => join(folder, name));
}
