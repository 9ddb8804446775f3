import type postgres from 'postgres';
import type { Test } from 'tap';
import { projectOf } from '../collections/loaded.ts';
import { provision } from '../collections/declared.ts';
import { createDatabase } from '../harness/database.ts';
import '../harness/service.ts'; // registers the templates

/** The callers, as the gateway passes them to the database. */
export type Caller = { uid: string; roles?: string[]; guest?: boolean; claims?: Record<string, unknown> };
export type Files = Record<string, object>;

/** A database that was made from collection files: by slug, without their slugs. */
export async function ruled(t: Test, files: Files): Promise<postgres.Sql> {
  const { sql } = await createDatabase(t, { template: 'served' });
  await defineFiles(t, sql, files);
  await provision(sql);
  return sql;
}

/** Makes files the catalog, nothing more. */
export async function defineFiles(t: Test, sql: postgres.Sql, files: Files): Promise<void> {
  await sql`select service_private.define_collections(${projectOf(t, files)}::text::jsonb)`;
}

/** Runs something as the caller, and rolls it back. Null: no caller has entered. */
export async function asCaller<Result>(
  sql: postgres.Sql, caller: Caller | null, run: (transaction: postgres.TransactionSql) => Promise<Result>,
): Promise<Result> {
  const undone = new Error('undone');
  let result: Result | undefined;
  await sql.begin(async transaction => {
    await transaction`set local role service_user`;
    if (caller !== null) {
      const { uid, roles = [], guest = false, claims = {} } = caller;
      await transaction`select service.enter(${uid}, ${roles.join()},
        ${String(guest)}, ${JSON.stringify({ ...claims, sub: uid, roles, is_anonymous: guest })})`;
    }
    result = await run(transaction);
    throw undone;
  }).catch((error: unknown) => { if (error !== undone) throw error; });
  return result as Result;
}

/** The ids of the rows that a caller sees. */
export async function seenIds(sql: postgres.Sql, caller: Caller | null, table: string): Promise<number[]> {
  return await asCaller(sql, caller,
    async transaction => (await transaction<{ id: number }[]>`select id from ${transaction(table)} order by id`).map(({ id }) => id));
}

/** A statement's plan, without what varies. */
export async function planOf(sql: postgres.Sql, caller: Caller, statement: string): Promise<string> {
  const rows = await asCaller(sql, caller,
    transaction => transaction.unsafe<{ 'QUERY PLAN': string }[]>(`explain (costs off) ${statement}`));
  return rows.map(row => row['QUERY PLAN']).join('\n');
}
