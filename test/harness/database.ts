import { randomBytes } from 'node:crypto';
import postgres from 'postgres';
import type { Test } from 'tap'; // whole, or loading it starts a test
import { server as testServer, type Server } from './server.ts';
import { findTemplate, templatePrefix, type Template } from './templates.ts';

export { chinookAvailable, fromFiles, registerTemplate, type Template } from './templates.ts';

/** A test's own database. `url` and `sql` are of its owner. */
export type TestDatabase = { url: string; name: string; sql: postgres.Sql };

/** Only databases and roles whose names begin so are ever created or dropped. */
const PREFIX = 'rowgate_test_';

let connection: postgres.Sql | undefined;

/**
 * A fresh database for one test (or one file), dropped at its teardown together with its login roles.
 * `template` is `empty` (the default), `chinook`, or what `registerTemplate` made known.
 */
export async function createDatabase(t: Pick<Test, 'teardown'>, { template = 'empty' }: { template?: string } = {}): Promise<TestDatabase> {
  const { url: server, tablespace } = await testServer();
  const name = `${PREFIX}${Date.now().toString(36)}_${randomBytes(4).toString('hex')}`;
  const admin = administrator(server);
  await clone(admin, { url: server, tablespace }, template, name);
  const url = urlOf(server, name);
  const sql = postgres(url, { onnotice: () => undefined });
  t.teardown(async () => {
    await sql.end({ timeout: 1 });
    await drop(admin, name);
  });
  return { url, name, sql };
}

/** Drops what tests that were killed left behind, if it is older than so many milliseconds. */
export async function dropLeftovers(server: string, olderThan = 0): Promise<void> {
  await asAdmin(server, async admin => {
    const found = await admin<{ name: string }[]>`
      select datname as name from pg_database
      where starts_with(datname, ${PREFIX}) and not starts_with(datname, ${templatePrefix('')})`;
    for (const { name } of found) {
      if (Date.now() - createdAt(name) >= olderThan) await drop(admin, name);
    }
  });
}

function createdAt(name: string): number {
  return parseInt(name.slice(PREFIX.length), 36);
}

async function clone(
  admin: postgres.Sql, { url, tablespace = 'pg_default' }: Pick<Server, 'url' | 'tablespace'>, template: string, name: string,
): Promise<void> {
  const found = findTemplate(template);
  const copy = () =>
    admin`create database ${admin(name)} template ${admin(found.database)} strategy file_copy tablespace ${admin(tablespace)}`;
  try {
    await copy();
  } catch (error) {
    if ((error as postgres.PostgresError).code !== '3D000') throw error;
    await asAdmin(url, own => buildTemplate(own, url, template, found));
    await copy();
  }
}

/** Under a lock, so that processes that need the same one wait; under another name until it is whole. */
async function buildTemplate(
  admin: postgres.Sql, server: string, name: string, { template, database }: { template: Template; database: string },
): Promise<void> {
  await admin`select pg_advisory_lock(hashtext(${database}))`; // ends with the connection
  const [built] = await admin`select from pg_database where datname = ${database}`;
  if (built) return;
  const unfinished = `${database}_new`;
  await admin`drop database if exists ${admin(unfinished)} with (force)`;
  await createEmpty(admin, unfinished);
  await fill(urlOf(server, unfinished), template);
  await admin`alter database ${admin(unfinished)} with allow_connections false`; // a template that is in use cannot be copied
  await admin`alter database ${admin(unfinished)} rename to ${admin(database)}`;
  await dropOlder(admin, name, database);
}

/** By code point, with Unicode's letters: the same order and case on every server that the tests meet. */
async function createEmpty(admin: postgres.Sql, name: string): Promise<void> {
  const [version] = await admin`select current_setting('server_version_num')::int >= 170000 as has_builtin`;
  if (version?.['has_builtin']) {
    await admin`create database ${admin(name)} template template0 encoding 'UTF8' locale 'C'
      locale_provider builtin builtin_locale 'C.UTF-8'`;
  } else {
    await admin`create database ${admin(name)} template template0 encoding 'UTF8' lc_collate 'C' lc_ctype 'C.UTF-8'`;
  }
}

async function fill(url: string, template: Template): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  try {
    await template.build(sql, url);
    await sql`vacuum analyze`; // tests read plans
  } finally {
    await sql.end({ timeout: 5 });
  }
  await leaveCache(url);
}

/** The first session of a database collects what every session needs of the catalog into a file, which is copied with the database. */
async function leaveCache(url: string): Promise<void> {
  await asAdmin(url, sql => sql`select`);
}

/** Whole names: one template's may begin as another's, and a template in construction must not be dropped. */
async function dropOlder(admin: postgres.Sql, name: string, current: string): Promise<void> {
  const older = await admin<{ datname: string }[]>`
    select datname from pg_database where datname ~ ${`^${templatePrefix(name)}[0-9a-f]{12}$`} and datname <> ${current}`;
  for (const { datname } of older) {
    await admin`drop database if exists ${admin(datname)}`.catch(() => undefined); // another run copies it right now
  }
}

async function drop(admin: postgres.Sql, name: string): Promise<void> {
  await admin`drop database if exists ${admin(name)} with (force)`;
  const logins = await admin<{ role: string }[]>`
    select rolname as role from pg_roles where rolname ~ ${`^${name}_(reader|writer|service)(_[0-9a-f]{8})?$`}`;
  for (const { role } of logins) await admin`drop role if exists ${admin(role)}`;
}

/** One connection for all databases of the process, which closes itself when no more are made or dropped. */
function administrator(server: string): postgres.Sql {
  return connection ??= postgres(server, { max: 1, idle_timeout: 1, fetch_types: false, onnotice: () => undefined });
}

async function asAdmin<T>(server: string, work: (admin: postgres.Sql) => Promise<T>): Promise<T> {
  const admin = postgres(server, { max: 1, fetch_types: false, onnotice: () => undefined });
  try {
    return await work(admin);
  } finally {
    await admin.end({ timeout: 5 });
  }
}

function urlOf(server: string, database: string): string {
  const url = new URL(server);
  url.pathname = `/${database}`;
  return url.href;
}
