import type { Logger } from 'pino';
import type postgres from 'postgres';
import { type CollectionFiles } from '../collections/collection-files.ts';
import { exclusively } from '../database/exclusive.ts';
import { isBadPattern, raisedStatus } from '../database/sqlstate.ts';
import { BootError } from '../error.ts';
import { type ProjectMigrations } from './project.ts';

/**
 * Nothing is done for files of which one is wrong.
 * @throws BootError with one line a problem, patterns that do not compile and languages that are not there among them.
 */
export async function requireSound(owner: postgres.Sql, { problems, patterns, languages }: CollectionFiles): Promise<void> {
  const found = [...problems, ...await badPatterns(owner, patterns), ...await unknownLanguages(owner, languages)];
  if (found.length > 0) throw new BootError(found.sort().join('\n'));
}

/** Asked of the server itself, before the service's schema need be there. */
async function badPatterns(owner: postgres.Sql, patterns: CollectionFiles['patterns']): Promise<string[]> {
  const bad: string[] = [];
  for (const { path, pattern } of patterns) {
    const flags = /^\/.*\/(?!i?$)(\w+)$/s.exec(pattern)?.[1];
    if (flags !== undefined) bad.push(`${path}: ${flags} is not a flag; i is the only one`);
    await owner`select '' ~ ${compiled(pattern)}`.catch((error: unknown) => {
      if (!isBadPattern(error)) throw error;
      bad.push(`${path}: ${(error as Error).message}`);
    });
  }
  return bad;
}

/** As service.search_block() looks them up. */
async function unknownLanguages(owner: postgres.Sql, languages: CollectionFiles['languages']): Promise<string[]> {
  if (languages.length === 0) return [];
  const known = await owner<{ schema: string; name: string }[]>`
    select n.nspname as schema, c.cfgname as name from pg_ts_config c join pg_namespace n on n.oid = c.cfgnamespace order by 2`;
  const isFound = (schema: string): boolean => schema === 'pg_catalog' || schema === 'public'; // without its name
  const spellings = new Set(known.flatMap(({ schema, name }) => [`${schema}.${name}`, ...(isFound(schema) ? [name] : [])]));
  const builtIn = known.filter(({ schema }) => schema === 'pg_catalog').map(({ name }) => name).join(', ');
  return languages.filter(({ language }) => !spellings.has(language))
    .map(({ path, language }) => `${path}: the database has no text search configuration ${language}; it has ${builtIn}`);
}

/** What service.pattern() makes of it. */
function compiled(pattern: string): string {
  const [, inner, flag] = /^\/(.*)\/(i?)$/s.exec(pattern) ?? [];
  return inner === undefined ? pattern : `${flag === 'i' ? '(?i)' : ''}${inner}`;
}

/**
 * Makes the files the catalog and, where boot may, brings the database in line with it: first what the project's
 * migrations need (tables to fill), then the migrations, then what needs them (callbacks).
 */
export async function applyFiles(
  owner: postgres.Sql, { rows, warnings }: CollectionFiles, migrations: ProjectMigrations | undefined, log: Logger,
): Promise<void> {
  for (const warning of warnings) log.warn(warning);
  await defineCatalog(owner, rows);
  if (migrations === undefined) {
    for (const { statement } of await lacking(owner)) log.warn(`The database lacks: ${statement}`);
    return;
  }
  // Rules may call what the migrations bring.
  const isPending = await migrations.arePending();
  const before = await provision(owner, log, !isPending);
  await migrations.run();
  const differences = isPending ? await provision(owner, log, true) : before;
  for (const difference of differences) tell(difference, log);
}

/** Makes the files the catalog; the database stays as it is. */
export async function defineCatalog(owner: postgres.Sql, rows: CollectionFiles['rows']): Promise<void> {
  await exclusively(owner, transaction => transaction`select service.define(${JSON.stringify(rows)}::text::jsonb)`).catch(refused);
}

/**
 * What applyFiles() would run, and what it would only report, without a trace: the files are made the catalog in a transaction that is
 * rolled back. What only later steps bring to light is not in it.
 */
export function planFiles(owner: postgres.Sql, files: CollectionFiles): Promise<Step[]> {
  return asDefined(owner, files, transaction => transaction<Step[]>`select * from service.provision_plan()`);
}

/** What is asked where the files are the catalog, in a transaction that is rolled back. */
export async function asDefined<Row extends object>(
  owner: postgres.Sql, { rows }: CollectionFiles, ask: (transaction: postgres.TransactionSql) => PromiseLike<Row[]>,
): Promise<Row[]> {
  let found: Row[] = [];
  const undone = new Error('undone');
  await exclusively(owner, async transaction => {
    await transaction`select service.define(${JSON.stringify(rows)}::text::jsonb)`.catch(refused);
    found = await ask(transaction);
    throw undone;
  }).catch((error: unknown) => { if (error !== undone) throw error; });
  return found;
}

export type Step = {
  kind: string;
  target: string;
  statement: string | null;
  concurrent: boolean;
  verdict: 'safe' | 'withheld' | 'report';
  detail: string | null;
  remedy: string | null;
};
type Runnable = Step & { statement: string };

/**
 * service.provision() runs what belongs into one transaction; what must run by itself follows, until nothing is left.
 * Returns what differs and stays so.
 */
async function provision(owner: postgres.Sql, log: Logger, policies: boolean): Promise<Step[]> {
  const failed = new Map<string, Step>();
  for (;;) {
    const steps = await owner<Step[]>`select * from service.provision(${policies})`.catch(refused);
    const ran = steps.filter(({ statement, concurrent }) => statement !== null && !concurrent);
    for (const step of ran) tell(step, log);
    if (ran.length > 0) log.info(`Provisioned: ${ran.length} statements (LOG_LEVEL=debug shows them).`);
    const alone = steps.filter((step): step is Runnable => step.concurrent && step.statement !== null && !failed.has(step.statement));
    if (alone.length === 0) {
      if (failed.size > 0 && policies) await requireNothingAfter(owner, failed);
      return [...steps.filter(({ statement }) => statement === null), ...failed.values()];
    }
    for (const step of alone) {
      await owner.unsafe(step.statement).then(() => tell(step, log), (error: unknown) => {
        failed.set(step.statement, { ...step, statement: null, detail: (error as Error).message, remedy: step.statement });
      });
    }
  }
}

async function requireNothingAfter(owner: postgres.Sql, failed: ReadonlyMap<string, Step>): Promise<void> {
  const isUndone = ({ verdict, concurrent, statement }: Runnable) => verdict === 'safe' && !concurrent && !failed.has(statement);
  const undone = (await lacking(owner)).find(isUndone);
  if (undone === undefined) return;
  throw new BootError(`${[...failed.keys()].join('\n')}\ncould not be run, and what follows it was not: ${undone.statement}`);
}

function lacking(owner: postgres.Sql): Promise<Runnable[]> {
  return owner<Runnable[]>`select * from service.provision_plan() where statement is not null`;
}

function tell({ kind, target, statement, detail, remedy }: Step, log: Logger): void {
  if (statement === null) return log.warn([`${target}: ${detail ?? 'withheld'}`, ...(remedy === null ? [] : [remedy])].join(' '));
  log.debug({ statement }, 'provisioned');
  // It may take its time, with the table locked.
  if (kind === 'search column' && detail !== null) log.info(`${target}: ${detail}`);
}

/** The reasons of service.define() and service.provision() are for the operator: every failure, one a line. */
function refused(error: unknown): never {
  throw raisedStatus(error) === 400 ? new BootError((error as Error).message, { cause: error }) : error;
}
