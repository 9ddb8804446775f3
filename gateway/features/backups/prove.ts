import type postgres from 'postgres';
import { outputOf } from '../../client/program.ts';
import { BootError } from '../../error.ts';
import { archiveAt } from './archive.ts';
import type { Made, Proof } from './backup.ts';
import type { Destination } from './destination.ts';
import { FINGERPRINT } from './fingerprint.ts';
import { restore } from './restore.ts';
import { sessionOf, type Session } from './session.ts';

/** @throws BootError for a login that cannot make the scratch database of a proof. */
export async function requireProvable(owner: postgres.Sql): Promise<void> {
  const [row] = await owner<{ may: boolean }[]>`
    select rolcreatedb or rolsuper as may from pg_roles where rolname = current_user`;
  if (row?.may !== true) throw new BootError('The login may not create a database (CREATEDB), into which a proof restores the backup.');
}

/**
 * Restores a backup into a scratch database, which is dropped again, and compares it with the snapshot that it is of: the exact number of
 * rows of each table, and every definition.
 * @throws BootError with the first difference
 */
export async function proveBackup(
  { session, key, transaction }: Made, destination: Destination, signal: AbortSignal,
): Promise<Proof> {
  await transaction`set local search_path = ''`;
  const [before] = await transaction.unsafe<{ lines: string }[]>(FINGERPRINT);
  const { name, statement } = await scratchOf(transaction);
  const drop = () => ask(session, `drop database if exists ${name} with (force)`);
  await drop(); // a proof was killed
  await ask(session, statement, signal);
  try {
    const scratch = sessionOf(session, name);
    await restore({ archive: archiveAt(destination, key), session: scratch, owner: transaction, isNew: true, withJobs: true, signal });
    const after = await ask(scratch, FINGERPRINT, signal);
    return compared((before?.lines ?? '').split('\n'), after.trim().split('\n'));
  } finally {
    await drop();
  }
}

/** With the locale of the database, on which indexes depend. Its name is that of one proof at a time. */
async function scratchOf(transaction: postgres.TransactionSql): Promise<{ name: string; statement: string }> {
  const [row] = await transaction<{ name: string; statement: string }[]>`
    select s.name, format('create database %s template template0 encoding %L lc_collate %L lc_ctype %L', s.name,
      pg_encoding_to_char(d.encoding), d.datcollate, d.datctype)
      || case d.datlocprovider
        when 'i' then format(' locale_provider icu icu_locale %L', coalesce(to_jsonb(d) ->> 'datlocale', to_jsonb(d) ->> 'daticulocale'))
        when 'b' then format(' locale_provider builtin builtin_locale %L', to_jsonb(d) ->> 'datlocale')
        else ' locale_provider libc' end as statement
    from pg_catalog.pg_database d cross join lateral (select 'rowgate_proof_' || d.oid) s (name)
    where d.datname = current_database()`;
  if (row === undefined) throw new Error('The database is not in pg_database.');
  return row;
}

function ask({ client, env }: Session, statement: string, signal?: AbortSignal): Promise<string> {
  const args = ['--no-psqlrc', '--quiet', '--tuples-only', '--no-align', '--set=ON_ERROR_STOP=1', `--command=${statement}`];
  return outputOf({ path: client.psql, args, env: { ...env, PGOPTIONS: '-c search_path=' }, signal });
}

function compared(before: string[], after: string[]): Proof {
  const [is, was] = [new Set(after), new Set(before)];
  const lost = before.find(line => !is.has(line));
  const added = after.find(line => !was.has(line));
  if (lost !== undefined || added !== undefined) {
    const [expected, actual] = [lost, added].map(line => (line ?? 'nothing').slice(0, 200));
    throw new BootError(`The backup is not what was backed up: of "${expected}" the restored database has "${actual}".`);
  }
  const counts = before.flatMap(line => /^table .*: (\d+) rows$/.exec(line)?.[1] ?? []).map(Number);
  return { tables: counts.length, rows: counts.reduce((sum, count) => sum + count, 0) };
}
