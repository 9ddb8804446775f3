import type { Test } from 'tap';
import type { End } from '../boot/gateway.ts';
import { startPgbouncer, type PoolerOptions } from '../harness/pgbouncer.ts';
import { serverUrl } from '../harness/server.ts';

/**
 * A PgBouncer in front of the test server, stopped after the test: makes a database's URL one through it. Undefined, and
 * said in one line, where PgBouncer can neither be had nor built.
 */
export async function pooler(
  t: Pick<Test, 'teardown' | 'comment'>, options: PoolerOptions = {},
): Promise<((url: string) => string) | undefined> {
  try {
    const { url, stop } = await startPgbouncer(await serverUrl(), options);
    t.teardown(stop);
    return direct => {
      const pooled = new URL(direct);
      pooled.host = new URL(url).host;
      return pooled.href;
    };
  } catch (error) {
    t.comment(`There is no PgBouncer ${options.version ?? ''} here: ${(error as Error).message.split('\n')[0] ?? ''}`);
    return undefined;
  }
}

/** One line on standard error that says what is wrong and what to do, exit code 1. */
export function refused(t: Pick<Test, 'equal' | 'match'>, { code, stderr, output }: End, says: RegExp): void {
  t.equal(code, 1, output);
  t.match(stderr, says);
  t.equal(stderr.trimEnd().split('\n').length, 1, stderr);
}

/** Rows that only their owner sees. */
export const NOTES = `
  create table note (id int generated always as identity primary key, owner text not null default service.uid(),
    text text unique, n int check (n < 1000), m int, o int);
  alter table note enable row level security;
  create policy own on note using (owner = (select service.uid())) with check (owner = (select service.uid()));`;
