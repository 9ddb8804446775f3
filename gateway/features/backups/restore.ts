import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type postgres from 'postgres';
import { startProgram, type Started } from '../../client/program.ts';
import { BootError } from '../../error.ts';
import type { Archive } from './archive.ts';
import { CLEAN } from './clean.ts';
import { readContents, restorable } from './contents.ts';
import { missingRoles, namedRoles } from './roles.ts';
import type { Session } from './session.ts';

export type RestoreOptions = {
  archive: Archive;
  /** The database that it goes to. */
  session: Session;
  owner: postgres.Sql | postgres.TransactionSql;
  /** A database that was made for it; any other has to be empty. */
  isNew?: boolean;
  /** Deletes everything in it first. */
  clean?: boolean;
  /** Jobs that wait in the backup will run. */
  withJobs?: boolean;
  signal: AbortSignal;
};

/**
 * Restores a backup in one transaction of psql: the roles that are missing, everything that the login can make, owned by it, and the
 * state of the jobs.
 * @throws BootError of one line; the database is as it was then.
 */
export async function restore(options: RestoreOptions): Promise<{ database: string }> {
  const { archive, session, owner, clean = false, isNew = false, signal } = options;
  const { database, entries } = await readContents(archive, session, signal);
  if (!clean && !isNew) await requireEmpty(owner);
  const folder = await mkdtemp(join(tmpdir(), 'rowgate-restore-'));
  try {
    const list = join(folder, 'list');
    await writeFile(list, `${restorable(entries, await loginOf(owner)).join('\n')}\n`);
    await run(options, list, await rolesToMake(options, list));
    return { database };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function requireEmpty(owner: RestoreOptions['owner']): Promise<void> {
  const [row] = await owner<{ count: number }[]>`
    select count(*)::integer as count from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p', 'v', 'm', 'f') and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
      and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')`;
  if (row?.count === 0) return;
  throw new BootError(`The database has ${row?.count ?? ''} tables: restore into an empty one, or let --clean delete everything in it.`);
}

async function loginOf(owner: RestoreOptions['owner']): Promise<{ name: string; isSuperuser: boolean }> {
  const [row] = await owner<{ name: string; isSuperuser: boolean }[]>`
    select rolname as name, rolsuper as "isSuperuser" from pg_roles where rolname = current_user`;
  return row ?? { name: '', isSuperuser: false };
}

async function rolesToMake({ archive, session: { client }, owner, signal }: RestoreOptions, list: string): Promise<string[]> {
  const named = new Set<string>();
  const { child, ended } = await archive.start({ path: client.restore, args: ['--schema-only', ...script(list)], env: {}, signal });
  if (child.stdout !== null) for await (const line of createInterface(child.stdout)) namedRoles(line, named);
  await ended;
  const existing = await owner<{ name: string }[]>`select rolname as name from pg_roles`;
  return missingRoles(await archive.roles(), named, existing.map(({ name }) => name));
}

/** pg_restore writes SQL. */
function script(list: string): string[] {
  return ['--no-owner', `--use-list=${list}`, '--file=-'];
}

/** psql commits at the end, and only there: whatever ends it before leaves nothing. */
async function run({ archive, session, clean, withJobs, signal }: RestoreOptions, list: string, roles: string[]): Promise<void> {
  const { client, server, env } = session;
  const args = ['--no-psqlrc', '--quiet', '--output=/dev/null', '--set=ON_ERROR_STOP=1', '--file=-'];
  const reader = startProgram({ path: client.psql, args, env: { ...env, PGAPPNAME: 'rowgate restore' }, stdin: 'pipe', signal });
  reader.child.stdin?.on('error', () => undefined); // its end tells why
  try {
    reader.child.stdin?.write(['begin;', 'set local lock_timeout = \'30s\';', ...clean ? [CLEAN] : [], ...roles, ''].join('\n'));
    await copy(await archive.start({ path: client.restore, args: script(list), env: {}, signal }), reader, server);
    reader.child.stdin?.end(`${withJobs ? '' : STOP_JOBS}commit;\nanalyze;\n`);
    await reader.ended;
  } catch (error) {
    reader.child.kill('SIGKILL');
    throw error;
  }
}

/** A copy for testing would send customers their mail. */
const STOP_JOBS = `do $$
begin
  if to_regclass('service.jobs') is not null then
    update service.jobs
    set status = 'failed', last_error = 'restored', locked_at = null, locked_by = null, updated_at = now()
    where status in ('pending', 'running');
  end if;
end $$;
`;

/** Reports the failure of the reader first: the writer then only fails because it cannot write any more. */
async function copy(writer: Started, reader: Started, server: number): Promise<void> {
  const { stdout } = writer.child;
  const { stdin } = reader.child;
  if (stdout === null || stdin === null) throw new Error('The programs have no pipes.');
  try {
    await pipeline(stdout, source => known(source, server), stdin, { end: false });
    await writer.ended;
  } catch (error) {
    writer.child.kill('SIGKILL');
    if (reader.child.exitCode !== null || stdin.errored !== null || stdin.closed) await reader.ended;
    await writer.ended;
    throw error;
  }
}

/** Bytes that the head of a script has at most. */
const HEAD = 4_096;
/** Since which version the server knows a setting that newer programs begin with. */
const NEWER = { since: 17, setting: /^SET transaction_timeout = 0;$/m };

async function* known(source: Readable, server: number): AsyncGenerator<Buffer> {
  let head = Buffer.alloc(0);
  let isHead = server < NEWER.since;
  for await (const bytes of source) {
    if (!isHead) {
      yield bytes as Buffer;
      continue;
    }
    head = Buffer.concat([head, bytes as Buffer]);
    if (head.length < HEAD) continue;
    isHead = false;
    yield Buffer.from(head.toString('latin1').replace(NEWER.setting, ''), 'latin1');
  }
  if (isHead) yield Buffer.from(head.toString('latin1').replace(NEWER.setting, ''), 'latin1');
}
