import type { EventEmitter } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import postgres from 'postgres';
import { databaseOf } from './connection.ts';
import { AnswerTimeout } from './with-deadline.ts';
import { statementsOf } from './sql-text.ts';

/** The command tag of a statement, with the rows that it returned. */
export type Outcome = { command: string; rowCount: number | null; rows: object[] };

export type DedicatedOptions = {
  url: string;
  /** The role that it runs as; the login's own when unset. */
  role?: string | undefined;
  text: string;
  /** For a single statement. */
  parameters?: readonly unknown[];
  /** Several statements, in one transaction unless they say otherwise. */
  isScript?: boolean;
  /** Milliseconds. */
  deadline: number;
  /** Milliseconds after which the server ends a statement; by default the deadline. */
  statementTimeout?: number;
  /** Bytes of all rows, as JSON. */
  mostBytes: number;
  signal?: AbortSignal;
};

/** More rows than were asked for. */
export class TooLarge extends Error {}
/** COPY to or from the client. */
export class Copying extends Error {}

/** Milliseconds that a cancelled statement has to end. */
const PATIENCE = 1_000;

/** Dates and bytes as PostgreSQL shows them: a Date would lose microseconds. */
const AS_TEXT = { serialize: String, parse: (text: string) => text };
const TYPES = { date: { to: 1184, from: [1082, 1114, 1184], ...AS_TEXT }, bytea: { to: 17, from: [17], ...AS_TEXT } };

/**
 * Runs SQL of a client on a connection that is opened for it and closed after it, so that nothing of its session is left to others.
 * @throws the database's error; AnswerTimeout after the deadline, or when the signal is aborted; TooLarge. The statement is cancelled then.
 */
export async function runDedicated(
  { url, role, text, parameters = [], isScript = false, deadline, statementTimeout = deadline, mostBytes, signal }: DedicatedOptions,
): Promise<Outcome[]> {
  const sql = postgres<Record<string, postgres.PostgresType>>(url, {
    ...databaseOf(url),
    max: 1,
    backoff: () => 0,
    fetch_types: false,
    types: TYPES as unknown as Record<string, postgres.PostgresType>,
    connection: { application_name: 'rowgate sql', statement_timeout: statementTimeout, standard_conforming_strings: 'on' },
    onnotice: () => undefined,
  });
  const over = new AbortController();
  const late = setTimeout(deadline, undefined, { signal: over.signal, ref: false })
    .then(() => { throw new AnswerTimeout(`no end in ${deadline} ms`); });
  const left = new Promise<never>((_, reject) => {
    const leave = () => { reject(new AnswerTimeout('nobody waits for it')); };
    if (signal?.aborted) leave();
    signal?.addEventListener('abort', leave, { signal: over.signal });
  });
  late.catch(() => undefined);
  left.catch(() => undefined);
  try {
    if (role !== undefined) await Promise.race([sql`select set_config('role', ${role}, false)`, late, left]);
    const shared = { size: { left: mostBytes }, ends: [late, left] };
    if (!isScript) return [await outcome(sql, text, parameters, shared)];
    return await script(sql, statementsOf(text), statement => outcome(sql, statement, [], shared));
  } finally {
    over.abort();
    await sql.end({ timeout: 0 });
  }
}

type Ends = Promise<never>[];

/** In one transaction, as PostgreSQL takes several statements that come as one text; the driver would not tell them apart. */
async function script(sql: postgres.Sql, statements: string[], run: (text: string) => Promise<Outcome>): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  await sql`begin`;
  for (const statement of statements) outcomes.push(await run(statement));
  await sql`commit`;
  return outcomes;
}

/** Runs one statement. `size` accumulates over statements. */
async function outcome(
  sql: postgres.Sql, text: string, parameters: readonly unknown[], { size, ends }: { size: { left: number }; ends: Ends },
): Promise<Outcome> {
  const rows: object[] = [];
  const tooLarge = Promise.withResolvers<never>();
  const options = { prepare: false, simple: false }; // its types do not know the second
  const query = sql.unsafe(text, [...parameters] as postgres.ParameterOrJSON<never>[], options);
  const reading = query.forEach((row: object) => {
    size.left -= JSON.stringify(row).length;
    if (size.left < 0) tooLarge.reject(new TooLarge());
    else rows.push(row);
  }).then(refuseStream);
  try {
    const { command, count: rowCount } = await Promise.race([reading, tooLarge.promise, ...ends]);
    return { command, rowCount, rows };
  } catch (error) {
    if (error instanceof AnswerTimeout || error instanceof TooLarge) {
      query.cancel();
      await Promise.race([reading.catch(() => undefined), setTimeout(PATIENCE)]);
    }
    throw error;
  }
}

/** For COPY the driver returns a stream that fails when its connection ends, and without a listener ends the process. */
function refuseStream<Result extends object>(done: Result): Result {
  if (!('on' in done)) return done;
  (done as object as EventEmitter).on('error', () => undefined);
  throw new Copying();
}
