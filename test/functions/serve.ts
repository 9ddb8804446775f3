import { mkdtempSync, writeFileSync, mkdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pino } from 'pino';
import type postgres from 'postgres';
import type { Test } from 'tap';
import { createDatabase } from '../harness/database.ts';
import { openService, storeFiles, type TestService } from '../harness/service.ts';

export type LogLine = {
  level: string; msg: string; function?: string; requestId?: string; err?: { message: string }; task?: string; job?: string; cron?: string;
};
export type Served = Omit<TestService, 'sql' | 'url'> & { folder: string; log: LogLine[]; write: (files: Record<string,
  string>) => void; url: string };

/** A folder outside of the repository, as that of a project is. */
export function projectFolder(t: Pick<Test, 'teardown'>, files: Record<string, string>) {
  const folder = mkdtempSync(join(tmpdir(), 'rowgate-functions-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const write = (files: Record<string, string>) => {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
  };
  write(files);
  return { folder, write };
}

/** The example's tables, with these function files. */
export async function serveFunctions(t: Test, files: Record<string, string>, env: Record<string, string> = {}): Promise<Served> {
  const { folder, write } = projectFolder(t, files);
  return { ...await serveStore(t, { SERVICE_FUNCTIONS_DIR: folder, ...env }), folder, write };
}

/** The same with files of functions/, jobs/ and crons/, and a settings file. */
export async function serveProject(
  t: Test, files: Record<string, string>, settings: object = {}, env: Record<string, string> = {},
): Promise<Served & { sql: postgres.Sql }> {
  const { folder, write } = projectFolder(t, { ...files, 'rowgate.json': JSON.stringify(settings) });
  return { ...await serveStore(t, { ...foldersIn(folder), ...env }), folder, write };
}

/** The settings of a project that lies there. */
export function foldersIn(folder: string): Record<string, string> {
  const of = (name: string) => join(folder, name);
  return {
    SERVICE_FUNCTIONS_DIR: of('functions'), SERVICE_JOBS_DIR: of('jobs'), SERVICE_CRONS_DIR: of('crons'),
    SERVICE_CONFIG_FILE: of('rowgate.json'),
  };
}

async function serveStore(t: Test, env: Record<string, string>) {
  const { url, sql } = await createDatabase(t, { template: 'served_store' });
  const log: LogLine[] = [];
  const destination = { write: (line: string) => { log.push(JSON.parse(line) as LogLine); } };
  const logger = pino({ level: 'debug', formatters: { level: level => ({ level }) } }, destination);
  const service = await openService(url, { ...storeFiles, DATABASE_URL: url, ...env }, undefined, logger);
  let closing: Promise<void> | undefined;
  const close = () => closing ??= service.close();
  t.teardown(close);
  return { ...service, close, log, url, sql };
}
