import type postgres from 'postgres';
import { BootError } from '../error.ts';
import { isLostStatement } from './sqlstate.ts';

/** Whether a connection has a session of the server for itself, or shares sessions with others from one transaction to the next. */
export type Sessions = 'own' | 'shared';

/**
 * Detects a pooler between the gateway and the server. A pooler makes cancel keys of its own, so the process id that it reports is not the
 * server's; two connections that reach the same server process, or one that reaches several, prove that sessions are shared. The first
 * connection stays the caller's, the other is only opened where there is a pooler.
 * @throws BootError when sessions are shared and the server knows a prepared statement under our name for it: it then lies in a session
 * that the next transaction may not get.
 */
export async function inspectSessions(one: postgres.Sql, connect: () => postgres.Sql, name: string): Promise<Sessions> {
  const first = await look(one);
  if (first.isDirect) return 'own';
  const other = connect();
  try {
    const shared = await areShared([one, other], first);
    if (shared && !first.isRenamed) throw new BootError(losesStatements(name));
    return shared ? 'shared' : 'own';
  } finally {
    await other.end({ timeout: 1 });
  }
}

function losesStatements(name: string): string {
  return `${name} leads to a pooler that loses prepared statements between transactions: `
    + 'use PgBouncer 1.21 or later with max_prepared_statements above 0, or pool_mode = session.';
}

type Look = { pid: string; isDirect: boolean; isRenamed: boolean };

/** With a parameter: the driver prepares nothing without. */
const LOOK = 'select pg_backend_pid()::text as pid, coalesce((select string_agg(name, $1) from pg_prepared_statements), $1) as names';

async function look(sql: postgres.Sql): Promise<Look> {
  const rows = await sql.unsafe<{ pid: string; names: string }[]>(LOOK, [' '], { prepare: true });
  const [{ pid, names }] = rows as unknown as [{ pid: string; names: string }];
  return { pid, isDirect: Number(pid) === rows.state.pid, isRenamed: !names.split(' ').includes(rows.statement.name) };
}

/** In turn, so that each finds the server's process free that the other has just used. Three turns, for a pooler that serves others too. */
async function areShared([one, other]: readonly [postgres.Sql, postgres.Sql], first: Look): Promise<boolean> {
  const [ofOne, ofOther] = [new Set([first.pid]), new Set<string>()];
  try {
    for (let turn = 0; turn < 3; turn++) {
      ofOther.add((await look(other)).pid);
      ofOne.add((await look(one)).pid);
    }
  } catch (error) {
    if (isLostStatement(error)) return true;
    throw error;
  }
  return ofOne.size > 1 || ofOther.size > 1 || ofOther.has(first.pid);
}
