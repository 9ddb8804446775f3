import type postgres from 'postgres';
import { inTransaction } from './transaction.ts';

export type Statement = {
  text: string;
  prepare: boolean;
  enterFirst: boolean;
  /** A statement that writes, run before it in one transaction, which enters first; its value is the last parameter. */
  before?: { text: string; parameters: readonly string[] };
  /** Work in its place that needs a connection to itself (hold). */
  held?: (sql: postgres.Sql) => Promise<void>;
  /** Called when it ends, with the milliseconds that the server was at it at least. */
  onEnd?: (milliseconds: number) => void;
};

/** The columns of the first row, as sent; none without a row. */
export type Row = readonly (Uint8Array | null)[];

const NONE: Row = [];

export function single(sql: postgres.Sql | postgres.TransactionSql, { text, prepare }: Statement, parameters: readonly string[]) {
  return sql.unsafe(text, parameters as string[], { prepare }).raw();
}

/** Takes the values of the caller (EnteringValues). */
export const ENTER = 'select service.enter($1, $2, $3, $4, $5)';

/** Partition pruning evaluates policies before the gate inside the statement: here the gate is a statement before it. */
export async function withIdentity(sql: postgres.Sql, statement: Statement, parameters: readonly string[]): Promise<Buffer[][]> {
  const { before, prepare } = statement;
  return inTransaction(sql, before === undefined ? 'read only' : 'read write', async transaction => {
    await transaction.unsafe(ENTER, parameters.slice(0, 5));
    if (before === undefined) return single(transaction, statement, parameters);
    const [[rows] = []] = await single(transaction, { ...statement, text: before.text, prepare }, before.parameters) as (Buffer | null)[][];
    await transaction.unsafe('set transaction read only');
    return single(transaction, statement, [...parameters, rows?.toString() ?? null] as string[]);
  });
}

/**
 * The rows without the holes that postgres.js 3.4.9 leaves in front of them where the statement before them on the connection failed
 * after its first rows: it goes on counting from there.
 */
export function withoutHoles(rows: readonly Row[]): readonly Row[] {
  return rows.length === 0 || 0 in rows ? rows : Object.values(rows);
}

export function first(rows: readonly unknown[]): Row {
  return rows[0] as Row | undefined ?? NONE;
}

/** Adds `run`, which returns the first row, to `rows`, which returns every row. */
export function withRun<Asked extends unknown[]>(rows: (...asked: Asked) => Promise<readonly Row[]>) {
  return { rows, run: async (...asked: Asked): Promise<Row> => first(await rows(...asked)) };
}
