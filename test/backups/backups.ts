import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import type { Test } from 'tap';
import { findClient, type Client } from '../../gateway/client/client.ts';
import type { TestDatabase } from '../harness/database.ts';
import { serverUrl } from '../harness/server.ts';
import { findTemplate } from '../harness/templates.ts';
import { runCommand, type End } from '../boot/gateway.ts';
import '../harness/service.ts'; // registers the templates

/** A client that fits the test server, found or fetched as the service does it; else the reason why there is none. */
export const client: Client | Error = await findFitting().catch((error: unknown) => error as Error);

/** The reason of a backup that comes second. */
export const ANOTHER = 'Another backup of this database is under way.';

/** For tests that need it. */
export const skip = client instanceof Error && `there is no client of PostgreSQL for this server: ${client.message}`;

async function findFitting(): Promise<Client> {
  const sql = postgres(await serverUrl(), { max: 1 });
  const [row] = await sql<{ version: number }[]>`select current_setting('server_version_num')::integer as version`;
  await sql.end();
  const named = { dump: undefined, dumpAll: undefined, restore: undefined };
  const server = Math.floor((row?.version ?? 0) / 10_000);
  // No release of Debian has a client of 16; that of 17 serves it.
  return findClient({ server: server === 16 ? 17 : server, named, fetches: true });
}

/** The variables that name it. */
export function programs(): Record<'PG_DUMP_PATH' | 'PG_DUMPALL_PATH' | 'PG_RESTORE_PATH', string> {
  if (client instanceof Error) throw client;
  return { PG_DUMP_PATH: client.dump, PG_DUMPALL_PATH: client.dumpAll, PG_RESTORE_PATH: client.restore };
}

export function folder(t: Pick<Test, 'teardown'>): string {
  const made = mkdtempSync(join(tmpdir(), 'rowgate-backups-'));
  t.teardown(() => { rmSync(made, { recursive: true }); });
  return made;
}

/** A script in place of one of PostgreSQL's programs. */
export function script(t: Pick<Test, 'teardown'>, ...lines: string[]): string {
  const path = join(folder(t), 'program');
  writeFileSync(path, ['#!/bin/sh', ...lines, ''].join('\n'), { mode: 0o755 });
  return path;
}

/** `rowgate backup`, to a folder. */
export function backup(
  t: Pick<Test, 'teardown'>, url: string, destination: string, env: Record<string, string> = {}, args: string[] = [],
): Promise<End> {
  return runCommand(t, ['backup', ...args], { ...programs(), DATABASE_URL: url, BACKUP_DESTINATION: destination, ...env });
}

/** `rowgate restore`. */
export function restoreInto(
  t: Pick<Test, 'teardown'>, url: string, args: string[], env: Record<string, string> = {},
): Promise<End> {
  return runCommand(t, ['restore', ...args], { ...programs(), DATABASE_URL: url, ...env });
}

/** Names without their time. */
export function filesIn(destination: string): string[] {
  return readdirSync(destination).map(name => name.replace(/\d{8}T\d{6}Z/, 'TIME').replace(/^\.partial-.*/, '.partial')).sort();
}

/** The path of the only dump. */
export function dumpIn(destination: string): string {
  const [name = ''] = readdirSync(destination).filter(name => name.endsWith('.dump'));
  return join(destination, name);
}

/** A database with that name, which may be any, on the server of another one that was made from this template. */
export async function databaseNamed(
  t: Pick<Test, 'teardown'>, name: string, { sql, url }: TestDatabase, template = 'empty',
): Promise<string> {
  await sql`drop database if exists ${sql(name)} with (force)`;
  await sql`create database ${sql(name)} template ${sql(findTemplate(template).database)}`;
  t.teardown(async () => {
    const again = postgres(await serverUrl(), { max: 1 });
    await again`drop database if exists ${again(name)} with (force)`;
    await again.end();
  });
  const named = new URL(url);
  named.pathname = `/${encodeURIComponent(name)}`;
  return named.href;
}
