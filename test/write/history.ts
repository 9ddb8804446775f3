import type postgres from 'postgres';
import type { Test } from 'tap';
import { collections, createWriter, type Writer } from './client.ts';

/** An entry as the API shows it. */
export type Entry = {
  id: string; table_name: string; entity_id: string; action: 'create' | 'update' | 'delete'; changed_fields: string[] | null;
  values: Record<string, unknown>; previous_values: Record<string, unknown> | null; updated_by: string | null; updated_at: string;
};

/** A collection file. */
export type File = { slug: string; [key: string]: unknown };

export const id = { type: 'number', isId: 'increment' };
export const everyone = [{ access: 'public' }];
export const notes: File & { properties: object } = {
  slug: 'notes', history: true, properties: { id, text: { type: 'string' }, stars: { type: 'number', columnType: 'numeric' } },
  securityRules: everyone,
};

export type Historian = Writer & {
  /** The entries of `notes/1` and the like, the newest first. */
  historyOf: (row: string, as?: string | null) => Promise<Entry[]>;
  /** Action, changed fields and the named values of each entry, the oldest first. */
  told: (row: string, ...names: string[]) => Promise<unknown[][]>;
};

/** A service of these files. */
export async function createHistorian(
  t: Test, files: File[], { setup, env = {} }: { setup?: string; env?: Record<string, string> } = {},
): Promise<Historian> {
  const writer = await createWriter(t,
    { template: 'served', env: { SERVICE_COLLECTIONS_DIR: collections(t, ...files), ...env }, ...(setup !== undefined && { setup }) });
  const historyOf: Historian['historyOf'] = async (row, as) => {
    const { status, body } = await writer.send('GET', `${row}/history?limit=100`, undefined, { ...(as !== undefined && { as }) });
    if (status !== 200) throw new Error(`${row}: ${status} ${JSON.stringify(body)}`);
    return (body as { data: Entry[] }).data;
  };
  const told: Historian['told'] = async (row, ...names) => (await historyOf(row)).reverse()
    .map(({ action, changed_fields: changed, values }) => [action, changed?.join(' ') ?? null, ...names.map(name => values[name])]);
  return { ...writer, historyOf, told };
}

/** Runs statements in one transaction, as the owner. */
export async function inOne(sql: postgres.Sql, ...statements: string[]): Promise<void> {
  await sql.begin(async transaction => { for (const statement of statements) await transaction.unsafe(statement); });
}
