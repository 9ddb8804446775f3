import type { Logger } from 'pino';
import type postgres from 'postgres';
import type { CollectionFiles, Project } from '../collections/collection-files.ts';
import { line } from '../collections/load.ts';
import { exclusively, lockStatement } from '../database/exclusive.ts';
import { raisedStatus } from '../database/sqlstate.ts';
import { inTransaction } from '../database/transaction.ts';
import { cancel } from '../database/fair-executor.ts';
import { BootError } from '../error.ts';
import type { Change } from '../features/schema/options.ts';
import type { ProjectMigrations } from './project.ts';

/**
 * Nothing is done for files of which one has a wrong form; what the others mean is judged all the same.
 * @throws BootError with one line a problem.
 */
export async function requireSound(owner: postgres.Sql, { project, problems }: CollectionFiles): Promise<void> {
  if (problems.length === 0) return;
  const found = await owner<Problem[]>`
    select path, problem from service.collection_problems(${JSON.stringify(project)}::text::jsonb) where not warning`;
  throw new BootError([...new Set([...problems, ...told(found)])].sort().join('\n'));
}

type Problem = { path: string; problem: string };

function told(problems: Problem[]): string[] {
  return problems.map(({ path, problem }) => line(path, problem));
}

/**
 * Makes the files the catalog and, where boot may, brings the database in line with it: first what the project's
 * migrations need (tables to fill), then the migrations, then what needs them (callbacks).
 */
export async function applyFiles(
  owner: postgres.Sql, files: CollectionFiles, migrations: ProjectMigrations | undefined, log: Logger, judge?: Judge,
): Promise<void> {
  if (migrations === undefined) {
    await defineCatalog(owner, files, judge);
    await warn(owner, files, log);
    for (const { statement } of await lacking(owner)) log.warn(`The database lacks: ${statement}`);
    return;
  }
  // Rules may call what the migrations bring.
  const isPending = await migrations.arePending();
  const begun = await defineAndProvision(owner, files, !isPending, judge);
  await warn(owner, files, log);
  const before = await finish(owner, begun, log, !isPending);
  await migrations.run();
  const differences = isPending ? await finish(owner, await provision(owner, true), log, true) : before;
  for (const difference of differences) tell(difference, log);
}

/** applyFiles() while other files are served: a failure leaves the catalog as it was. Provisioning has undone its own work. */
export async function replaceFiles(
  owner: postgres.Sql, files: CollectionFiles, before: CollectionFiles, migrations: ProjectMigrations, log: Logger,
): Promise<void> {
  try {
    await applyFiles(owner, files, migrations, log);
  } catch (error) {
    await defineCatalog(owner, before);
    throw error;
  }
}

async function warn(owner: postgres.Sql, { warnings }: CollectionFiles, log: Logger): Promise<void> {
  const ofRules = told(await owner<Problem[]>`select path, warning as problem from service_private.rule_warnings() order by path`);
  for (const warning of [...warnings, ...ofRules]) log.warn(warning);
}

/** Looks at what becomes of the collections that there are; what it throws leaves them as they are. */
export type Judge = (changes: Change[]) => void;

/** Makes the files the catalog; the database stays as it is. */
export async function defineCatalog(owner: postgres.Sql, { project }: CollectionFiles, judge?: Judge): Promise<void> {
  await exclusively(owner, transaction => define(transaction, project, judge)).catch(refused);
}

async function define(transaction: postgres.TransactionSql, project: Project, judge?: Judge): Promise<void> {
  const [{ are } = { are: false }] = await transaction<{ are: boolean }[]>`
    select exists (select from service.collections where source = 'file') as are`;
  const [row] = await transaction<{ changes: Change[] | null }[]>`
    select service_private.redefine_collections(${JSON.stringify(project)}::text::jsonb) as changes`;
  if (are) judge?.(row?.changes ?? []);
}

/** The result of service_private.plan_project() for sound files. */
export type ProjectPlan = { changes: Change[]; steps: PlannedStep[] };

/**
 * Returns what applyFiles() would run, and what it would only report, without a trace. The signal cancels it.
 * @throws BootError with one line a problem.
 */
export async function planFiles(
  owner: postgres.Sql | postgres.TransactionSql, { project, problems }: CollectionFiles, signal?: AbortSignal,
): Promise<ProjectPlan> {
  const planning = owner<{ plan: ProjectPlan & { problems: (Problem & { warning: boolean })[] } }[]>`
    select service_private.plan_project(${JSON.stringify(project)}::text::jsonb) as plan`;
  const leave = () => { cancel(planning); };
  signal?.addEventListener('abort', leave);
  const [row] = await planning.finally(() => { signal?.removeEventListener('abort', leave); });
  if (row === undefined) throw new Error('service_private.plan_project() returned nothing.');
  const { problems: found, changes, steps } = row.plan;
  const all = [...new Set([...problems, ...told(found.filter(({ warning }) => !warning))])].sort();
  if (all.length > 0) throw new BootError(all.join('\n'));
  return { changes, steps };
}

/** Runs a query with the files as the catalog, in a transaction that is rolled back. */
export async function asDefined<Row extends object>(
  owner: postgres.Sql, { project }: CollectionFiles, ask: (transaction: postgres.TransactionSql) => PromiseLike<Row[]>,
): Promise<Row[]> {
  let found: Row[] = [];
  const undone = new Error('undone');
  await exclusively(owner, async transaction => {
    await define(transaction, project).catch(refused);
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
/** The further columns of service.schema_plan() for a step; nulls for a step that is only told. */
export type PlannedStep = Step & {
  lock: string | null;
  effect: 'none' | 'scan' | 'rewrite' | null;
  row_estimate: number | null;
  bytes: number | null;
  safer: string | null;
  risk: 'none' | 'low' | 'medium' | 'high' | null;
};
type Runnable = Step & { statement: string };

/** service.provision(): what belongs into one transaction. Returns what it ran, what differs, and what must run by itself next. */
function provision(sql: postgres.Sql | postgres.TransactionSql, policies: boolean): Promise<Step[]> {
  return sql<Step[]>`select * from service.provision(${policies})`.catch(refused);
}

/**
 * Both at once, so that no gateway hears of a column that is not there yet. A new value of an enumeration has to be committed before
 * it can be used: such are added first, and all begins again.
 */
async function defineAndProvision(owner: postgres.Sql, { project }: CollectionFiles, policies: boolean, judge?: Judge): Promise<Step[]> {
  const values = new Set<string>();
  let judging = judge;
  const undone = new Error('undone');
  for (;;) {
    let steps: Step[] = [];
    const isDone = await exclusively(owner, async transaction => {
      await define(transaction, project, judging).catch(refused);
      judging = undefined;
      steps = await provision(transaction, policies);
      if (steps.some(isEnumValue)) throw undone;
    }).then(() => true, (error: unknown) => { if (error !== undone) throw error; });
    if (isDone) return steps;
    for (const label of steps.filter(isEnumValue)) {
      if (values.has(label.statement)) throw new BootError(`${label.target} cannot be added: ${label.statement}`);
      values.add(label.statement);
      await addLabel(owner, label);
    }
  }
}

/** Milliseconds that a rehearsal waits for one lock, and that one of its statements takes. */
const REHEARSAL = { lock: 5_000, statement: 300_000 };

/**
 * Does what applyFiles() does for a project without pending migrations, in a transaction that is rolled back. Statements that run by
 * themselves are left out, because a start goes on without them. Labels of enumerations are the exception: PostgreSQL takes no label that
 * is not committed, so those that are missing are added for good once everything else has succeeded, and the whole is done again.
 * @param also what else a start does of which the collections may be a cause of failure
 * @throws BootError for what a start would be ended by.
 */
export async function rehearseFiles(owner: postgres.Sql, { project }: CollectionFiles, also: Also): Promise<void> {
  const labels = await rehearse(owner, project, also);
  if (labels.length === 0) return;
  for (const label of labels) await addLabel(owner, label);
  await rehearse(owner, project, also);
}

type Also = (transaction: postgres.TransactionSql) => Promise<void>;

/** Returns the labels that were missing. */
async function rehearse(owner: postgres.Sql, project: Project, also: Also): Promise<Runnable[]> {
  const undone = new Error('undone');
  let labels: Runnable[] = [];
  await inTransaction(owner, 'read write', async transaction => {
    await transaction.unsafe(`set local lock_timeout = ${REHEARSAL.lock}; set local statement_timeout = ${REHEARSAL.statement}`);
    await transaction.unsafe(lockStatement);
    await define(transaction, project).catch(refused);
    labels = (await provision(transaction, true)).filter(isEnumValue);
    for (const label of labels) await addLabel(transaction, label);
    const isWhole = labels.length === 0 || await provision(transaction, true).then(() => true, untilCommitted);
    if (isWhole) await also(transaction);
    throw undone;
  }).catch((error: unknown) => { if (error !== undone) throw error; });
  return labels;
}

/** False for what fails only because a label is not committed. */
function untilCommitted(error: unknown): false {
  const { failures = [] } = detailsOf((error as Error).cause);
  if (failures.length > 0 && failures.every(isUncommittedLabel)) return false;
  throw error;
}

async function addLabel(sql: postgres.Sql | postgres.TransactionSql, { statement, target }: Runnable): Promise<void> {
  await sql.unsafe(statement).catch((error: unknown) => {
    throw new BootError(`${target}: ${(error as Error).message}`, { cause: error });
  });
}

function isEnumValue(step: Step): step is Runnable {
  return step.kind === 'enum value' && step.statement !== null;
}

/** From what service.provision() returned on, what must run by itself, until nothing is left. Returns what differs and stays so. */
async function finish(owner: postgres.Sql, begun: Step[], log: Logger, policies: boolean): Promise<Step[]> {
  const failed = new Map<string, Step>();
  for (let steps = begun; ; steps = await provision(owner, policies)) {
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

/** The reasons of service_private.define_collections() and service.provision() are for the operator: every failure, one a line. */
function refused(error: unknown): never {
  if (raisedStatus(error) !== 400) throw error;
  const { problems } = detailsOf(error);
  throw new BootError(problems === undefined ? (error as Error).message : told(problems).join('\n'), { cause: error });
}

type Details = { problems?: Problem[]; failures?: { dbCode: string }[] };

function detailsOf(error: unknown): Details {
  return JSON.parse((error as { detail?: string } | undefined)?.detail ?? '{}') as Details;
}

/** unsafe_new_enum_value_usage. */
function isUncommittedLabel({ dbCode }: { dbCode: string }): boolean {
  return dbCode === '55P04';
}
