import type { Test } from 'tap';
import { textConnection } from '../../gateway/database/connection.ts';
import { createLane, type Lane, type LaneOptions, type Row } from '../../gateway/database/lane.ts';
import type postgres from 'postgres';

/** A lane of the owner's on this database, closed after the test. */
export function lane(t: Pick<Test, 'teardown'>, url: string, options: Partial<LaneOptions> = {}): Lane {
  const made = createLane({
    connect: () => textConnection(url, { connectTimeout: 5_000, applicationName: 'rowgate test lane' }),
    size: 1, depth: 1, deadline: 10_000, preparedLimit: 1_000, ...options,
  });
  t.teardown(() => made.close(100));
  return made;
}

export const ask = (
  lane: Lane, text: string, parameters: string[] = [], { prepare = false, signal }: { prepare?: boolean; signal?: AbortSignal } = {},
): Promise<string> =>
  lane.run({ text, prepare, enterFirst: false }, parameters, signal && { key: () => '', signal: () => signal }).then(textOf);

export function textOf([body]: Row): string {
  return Buffer.from(body ?? []).toString();
}

/** The server's processes that run a statement like this. */
export async function running(sql: postgres.Sql, like: string): Promise<number[]> {
  const rows = await sql<{ pid: number }[]>`
    select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
    and state = 'active' and query like ${like}`;
  return rows.map(({ pid }) => pid);
}
