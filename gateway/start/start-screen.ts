import { styleText } from 'node:util';
import type { Logger } from 'pino';
import type { Config } from '../features/config.ts';
import { ownHost } from '../config/own-host.ts';
import { isServed } from '../features/role.ts';
import { printable } from '../process/printable.ts';
import { firstRequests } from '../features/meta/welcome/first-requests.ts';
import type { Database } from './database.ts';
import type { Report } from './report.ts';

type Screen = {
  config: Config; url: string; port: number; workers: number; serviceKey: string; shown: [string, string][]; database: Database;
  log: Logger;
};

/** The screen after `npm start`: the address, the collections, and the first request. Production logs one line. */
export async function startScreen({ config, url, port, workers, serviceKey, shown, database, log }: Screen): Promise<void> {
  const report = await database.report();
  logReport(report, config, log);
  const slugs = [...database.catalog.current.slugs].sort();
  if (config.production) return log.info({ port, workers, role: config.role, collections: slugs.length }, 'serving');
  const base = `http://${ownHost(config.host)}:${port}${config.basePath}`;
  if (!isServed({}, config)) {
    process.stdout.write(`\n  Rowgate's ${config.role} is at work.\n\n  Address      ${base}\n\n`);
    return;
  }
  const isKeyOurs = config.serviceKey === undefined;
  process.stdout.write([
    '',
    `  ${styleText('bold', 'Rowgate is serving.', { stream: process.stdout })}`,
    '',
    `  Address      ${base}`,
    ...(config.portNamed || port === config.port ? [] : [`               port ${config.port} is taken by another program`]),
    ...(config.databaseUrl === undefined ? embeddedLines(url) : [`  Database     ${placeOf(url)}`]),
    ...(workers === 1 ? [] : [`  Workers      ${workers}`]),
    `  Collections  ${slugs.map(printable).join(', ') || 'none yet: create a table with row security, or see the warnings above'}`,
    ...shown.map(([label, text]) => `  ${label.padEnd(12)} ${printable(text)}`),
    `  Service key  ${isKeyOurs ? serviceKey : 'as set in SERVICE_SERVICE_KEY'}`,
    `  In a browser http://${ownHost(config.host)}:${port}/`,
    `  API document ${base}/docs`,
    ...firstRequest(database, base, isKeyOurs ? serviceKey : '$SERVICE_SERVICE_KEY'),
    '',
    '',
  ].join('\n'));
}

function embeddedLines(url: string): string[] {
  const { pathname } = new URL(url);
  return [
    `  Database     ${pathname.slice(1)}, in an embedded PostgreSQL kept in .data (yours: DATABASE_URL=postgres://… npm start)`,
    `               psql "postgres://rowgate:$(cat .data/postgres/password)@127.0.0.1:$(cat .data/postgres/port)${pathname}"`,
  ];
}

function placeOf(url: string): string {
  const { hostname, port, pathname } = new URL(url);
  return `${hostname}:${port || '5432'}${pathname}`;
}

/** It is pasted into a shell. */
function firstRequest(database: Database, base: string, key: string): string[] {
  const [first] = firstRequests(database.catalog.current.document);
  return first === undefined ? [] : ['', '  Try', `    curl -H "Authorization: Bearer ${key}" \\`, `      '${base}${first.path}'`];
}

function logReport({ skipped, open, missingGrants, unreachablePolicies, watchesDdl }: Report, config: Config, log: Logger): void {
  if (skipped.length > 0) log.warn(notServed(skipped, config));
  if (open.length > 0) log.warn(openToAll(open, config));
  const grants = skipped.flatMap(({ remedy }) => remedy?.startsWith('grant ') ? [remedy] : []);
  for (const grant of new Set([...grants, ...missingGrants])) log.warn(`service_user lacks a grant: ${grant}`);
  for (const { table_name, policy, roles, rewriting } of unreachablePolicies) {
    log.warn(`Policy ${policy} on ${table_name} never applies to a request: it is for ${roles}, requests run as service_user. `
      + `Next step: ${rewriting}`);
  }
  if (!watchesDdl) log.warn('The owner may not create event triggers: after DDL, call select service.reload().');
}

/** How many, and why; what to do about each is for the script. */
function notServed(skipped: Report['skipped'], { introspectSchema }: Config): string {
  const reasons = Map.groupBy(skipped, ({ reason }) => reason);
  const counts = [...reasons].sort(([, a], [, b]) => b.length - a.length).map(([reason, { length }]) => `${reason} (${length})`);
  const isOne = skipped.length === 1;
  return `${skipped.length} ${isOne ? 'table' : 'tables'} of ${introspectSchema} ${isOne ? 'is' : 'are'} not served: ${counts.join(', ')}. `
    + 'rowgate policies --suggest prints a script that serves them.';
}

const SHOWN = 20;

function openToAll(open: string[], { authRequire }: Config): string {
  const names = open.length > SHOWN ? [...open.slice(0, SHOWN), `${open.length - SHOWN} more`] : open;
  const who = authRequire ? 'every caller with a token or the service key' : 'every caller, without a token too,';
  return `SERVICE_UNPROTECTED_TABLES=serve: ${who} reads and writes every row of ${names.join(', ')}.`;
}
