import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type postgres from 'postgres';
import { migrate } from '../../gateway/start/migrate.ts';
import { functionOf, type Source } from '../../gateway/start/schema-files.ts';
import { ROOT } from '../harness/server.ts';
import { schema } from '../harness/service.ts';

/** The text for reviewers: the whole schema as the migrations leave it. `npm run schema` writes it. */
export const ARTEFACT = join(ROOT, 'migrations/schema.sql');

const HEAD = '-- The schemas "service" and "service_private" as the migrations leave them. Written by npm run schema from a migrated '
  + 'database: read it, do not edit it.\n\n';
const QUERY = readFileSync(join(ROOT, 'test/schema/dump.sql'), 'utf8');

/** Everything that boot makes in an empty database, the event triggers too. */
export async function provision(sql: postgres.Sql): Promise<void> {
  await migrate(sql, schema);
  await sql`select service_private.watch_ddl()`;
}

export async function dumpSchema(sql: postgres.Sql): Promise<string> {
  const [row] = await sql.unsafe<{ schema: string }[]>(QUERY);
  if (row === undefined) throw new Error('dump.sql returned nothing');
  return HEAD + row.schema;
}

/** The files of functions: all of sql/, and what policies/ has. */
export const functionFiles: Source[] = schema.sources.filter(source => source.path.startsWith('sql/') || functionOf(source) !== undefined);
