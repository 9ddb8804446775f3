import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type postgres from 'postgres';
import type { Test } from 'tap';
import { ACCOUNTS_CHANNEL, ALL_ACCOUNTS } from '../../gateway/identity/accounts.ts';
import { atEnd } from './current.ts';
import { createService, MADE_BY_ASKING, type ServiceOptions, type TestService } from './service.ts';

type Lent = { key: string; service: TestService; before: Contents; isClosed: () => boolean; end: () => Promise<void> };
/** The content of a database when it was first lent: the rows that tests write, the last values of sequences, and a mark of all else. */
type Contents = { tables: Table[]; sequences: { name: string; last: string | null }[]; fixed: string };
type Table = Marked & { rows: Buffer | undefined };
type Marked = { name: string; mark: string };

/** Idle services that are kept. Each has six connections. */
const KEPT = 6;

/** Where PostgreSQL writes down what a database has of objects. */
const CATALOGS = [
  'attrdef', 'attribute', 'class', 'constraint', 'depend', 'description', 'enum', 'event_trigger', 'extension', 'index', 'namespace',
  'policy', 'proc', 'rewrite', 'trigger', 'type',
].map(name => `pg_catalog.pg_${name}`);

/** Accounts that were created for tokens of tokenFor() are kept, as the gateway knows them, until others are created. */
const USERS = 'service.users';
const OF_USERS = [
  'api_keys', 'mfa_challenges', 'mfa_factors', 'one_time_tokens', 'recovery_codes', 'refresh_tokens', 'sessions', 'user_identities',
].map(name => `service.${name}`);
/** The service's own tables that requests write. */
const WRITTEN = ['service.history', 'service.idempotency_keys', 'service.rate_limits', 'service.storage_uploads', USERS, ...OF_USERS];

/** Hashing of passwords tells nothing of itself by which a service of the same could be found. */
export type LendOptions = Omit<ServiceOptions, 'passwords'>;

/** The one that was used last first. */
let idle: Lent[] = [];
atEnd(() => endAll(idle.splice(0)));

/**
 * createService() for tests that need not be the first at their service: who asks for the same as an earlier test of the process
 * gets the same one, its rows and sequences as they were in the beginning. One where a test changed anything else is not lent again.
 */
export async function lendService(t: Pick<Test, 'teardown'>, options: LendOptions = {}): Promise<TestService> {
  const lent = await lendAgain(keyOf(options)) ?? await create(options);
  t.teardown(() => takeBack(lent));
  return lent.service;
}

/** Collection files are in a folder of the test, which goes by another name each time. */
function keyOf({ env: { SERVICE_COLLECTIONS_DIR: folder, ...env } = {}, ...options }: LendOptions): string {
  const files = folder === undefined ? [] : globSync('**/*', { cwd: folder, withFileTypes: true }).filter(found => found.isFile());
  return JSON.stringify([options, env, files.map(({ name, parentPath }) => [name, readFileSync(join(parentPath, name), 'utf8')])]);
}

async function create(options: LendOptions): Promise<Lent> {
  const ends: (() => unknown)[] = [];
  const end = async () => { for (const one of ends.splice(0).reverse()) await one(); };
  const service = await createService({ teardown: one => { ends.push(one); } }, options);
  let isClosed = false;
  const close = () => { isClosed = true; return service.close(); };
  return { key: keyOf(options), service: { ...service, close }, before: await contents(service.sql), isClosed: () => isClosed, end };
}

async function lendAgain(key: string): Promise<Lent | undefined> {
  const found = idle.find(lent => lent.key === key);
  if (!found) return undefined;
  idle = idle.filter(lent => lent !== found);
  try {
    await rewind(found.service, found.before);
    return found;
  } catch {
    await found.end(); // only superusers write past triggers
    return undefined;
  }
}

async function takeBack(lent: Lent): Promise<void> {
  const after = lent.isClosed() ? undefined : await fixed(lent.service.sql, lent.before.tables).catch(() => undefined);
  if (after !== lent.before.fixed) return lent.end();
  idle.unshift(lent);
  await endAll(idle.splice(KEPT));
}

async function endAll(lent: Lent[]): Promise<void> {
  await Promise.all(lent.map(({ end }) => end()));
}

async function contents(sql: postgres.Sql): Promise<Contents> {
  const names = await sql<{ name: string }[]>`
    select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind = 'r' and c.relpersistence <> 't' and n.nspname <> 'information_schema' and n.nspname !~ '^pg_'`;
  const tables: Table[] = [];
  for (const { name, mark } of await marked(sql, names.map(({ name }) => name))) {
    const rows = isWritten(name) && mark !== EMPTY ? await buffer(await sql.unsafe(`copy ${name} to stdout`).readable()) : undefined;
    tables.push({ name, mark, rows });
  }
  const sequences = await sql<Contents['sequences']>`
    select format('%I.%I', schemaname, sequencename) as name, last_value::text as last from pg_sequences`;
  return { tables, sequences, fixed: await fixed(sql, tables) };
}

function isWritten(table: string): boolean {
  return !table.startsWith('service.') || WRITTEN.includes(table);
}

/** How many rows there are, and which transaction wrote the last of them: another one when any was inserted, updated or deleted. */
async function marked(sql: postgres.Sql | postgres.TransactionSql, tables: string[]): Promise<Marked[]> {
  const marks = tables.map(table =>
    `select '${table.replaceAll('\'', '\'\'')}' as name, concat_ws(' ', count(*), max(xmin::text::bigint)) as mark from ${table}`
    + (table === USERS ? ` where coalesce(email, '') not like '%${MADE_BY_ASKING}'` : ''));
  return marks.length === 0 ? [] : sql.unsafe<Marked[]>(marks.join(' union all '));
}

const EMPTY = '0';

/** Another text when objects, the service's own state, or what roles are set to in this database has changed. */
async function fixed(sql: postgres.Sql, tables: Marked[]): Promise<string> {
  const own = tables.map(({ name }) => name).filter(name => !isWritten(name));
  const settings = await sql`
    select s::text from pg_db_role_setting s join pg_database d on d.oid = s.setdatabase where d.datname = current_database() order by 1`;
  return JSON.stringify([await marked(sql, [...CATALOGS, ...own]), settings]);
}

/** Past triggers and foreign keys. */
async function rewind({ sql, ...service }: TestService, { tables, sequences }: Contents): Promise<void> {
  const written = tables.filter(({ name }) => isWritten(name));
  const marks = new Map((await marked(sql, written.map(({ name }) => name))).map(({ name, mark }) => [name, mark]));
  const isChanged = ({ name, mark }: Table) => marks.get(name) !== mark;
  const isOfUsers = ({ name }: Table) => name === USERS || OF_USERS.includes(name);
  const hasOtherUsers = written.some(table => isOfUsers(table) && isChanged(table));
  const changed = written.filter(table => isChanged(table) || (hasOtherUsers && table.name === USERS));
  await sql.begin(async transaction => {
    await transaction`set local session_replication_role = replica`;
    for (const table of changed) {
      await transaction.unsafe(`delete from ${table.name}`);
      if (table.rows) await pipeline(Readable.from([table.rows]), await transaction.unsafe(`copy ${table.name} from stdin`).writable());
    }
    for (const { name, last } of sequences) {
      await transaction`
        select setval(s.seqrelid, coalesce(${last}::bigint, s.seqstart), ${last !== null})
        from pg_sequence s where s.seqrelid = ${name}::regclass`;
    }
  });
  // Or all that reads and writes the tables passes by the rows that there were.
  const emptied = changed.filter(({ rows }) => rows === undefined);
  if (emptied.length > 0) await sql.unsafe(`vacuum ${emptied.map(({ name }) => name).join(', ')}`);
  for (const { name, mark } of await marked(sql, changed.map(({ name }) => name))) {
    for (const table of changed) if (table.name === name) table.mark = mark;
  }
  if (hasOtherUsers) await forgetUsers({ sql, ...service });
  await service.mailbox?.clear();
}

/** Like changes at another gateway. Later notifications arrive later. */
async function forgetUsers({ sql, database, forgetAccounts }: TestService): Promise<void> {
  const said = Promise.withResolvers<undefined>();
  const { end } = await database.listen('rewound', { heard: () => { said.resolve(undefined); }, resumed: () => undefined });
  await sql.notify(ACCOUNTS_CHANNEL, ALL_ACCOUNTS);
  await sql.notify('rewound', '');
  await said.promise;
  await end();
  forgetAccounts();
}
