import { existsSync, realpathSync } from 'node:fs';
import { type Logger } from 'pino';
import { CATALOG_CHANNEL, DDL } from '../catalog/catalog.ts';
import { undoHalfEdit } from '../collections/edit/committed-edit.ts';
import { readConfig, type Config, type Environment } from '../config/config.ts';
import { strayVariables } from '../config/storage-sources.ts';
import { unknownSettings } from '../config/unknown-settings.ts';
import { EMBEDDED_DATA } from '../embedded/embedded.ts';
import { secretsOf, type Secrets } from '../identity/secrets.ts';
import { atEnd, end, GRACE, reasonOf, watchRejections } from '../process/ending.ts';
import { createLogger } from '../process/log.ts';
import { type Workers } from '../process/workers/parent.ts';
import { planWorkers, type Plan } from '../process/workers/plan.ts';
import { type AuditState } from '../features/admin/options.ts';
import { auditBoard, scheduleAudit } from '../features/admin/audit-board.ts';
import { databaseOptions, openDatabase, type Database, type DatabaseOptions } from './database.ts';
import { findProject } from './find-project.ts';
import { mailboxAnswers, mailboxOf } from './mail.ts';
import { readSchema } from './schema-files.ts';
import { startScreen } from './start-screen.ts';
import { askAtTerminal, watchFiles } from './watch-files.ts';

/** What the steps of a start have found out, for those that come after. */
type Start = { config: Config; url: string; secrets: Secrets; options: DatabaseOptions; log: Logger };
type Serving = { database: Database; port: number };

/** From an environment to a service that listens. What is opened is closed at the end of the process. */
export async function start(environment: Environment): Promise<void> {
  const given = readConfig(environment);
  const log = createLogger(given);
  watchRejections(given, log);
  for (const warning of unknownSettings(environment)) log.warn(warning);
  for (const name of strayVariables(environment, given.settingsFile)) log.warn(`${name} belongs to no storage source, nobody reads it.`);
  const plan = planWorkers(given);
  const { config, url } = await findProject(given, log);
  const secrets = secretsOf(config);
  await finishEdit(config, log);
  const options = databaseOptions(config, url, readSchema());
  const found: Start = { config, url, secrets, options, log };
  const { database, port } = plan.count === 1 || config.provisionOnly ? await alone(found) : await withWorkers(plan, found);
  watchProject(config, database, log);
  await startScreen({ config, url, port, workers: plan.count, serviceKey: secrets.serviceKey, database, log });
}

/** What an edit wrote and did not commit before its process ended. */
async function finishEdit({ collectionsDir, liveSchemaRepository = collectionsDir }: Config, log: Logger): Promise<void> {
  if (!existsSync(liveSchemaRepository)) return;
  try {
    const undone = await undoHalfEdit(realpathSync(liveSchemaRepository));
    if (undone !== undefined) log.warn(`${undone}: an edit that was not committed when the service ended was taken back.`);
  } catch (error) {
    log.warn(`An edit that was not committed when the service ended could not be taken back: ${reasonOf(error)}`);
  }
}

/** In development a collection file is served when it is saved. */
function watchProject(project: Config, { files }: Database, log: Logger): void {
  if (project.nodeEnv !== 'development' || files === undefined || !existsSync(project.collectionsDir)) return;
  const confirm = process.stdin.isTTY ? askAtTerminal : undefined;
  const watching = watchFiles({ project, files, confirm, log });
  atEnd(() => Promise.resolve(watching.close()));
}

async function alone({ config, secrets, options, log }: Start): Promise<Serving> {
  const serving = config.provisionOnly ? undefined : import('./serve.ts'); // half of all modules, loaded while the database is at work
  const [database, loaded] = await Promise.all([openDatabase(options, log), serving]);
  atEnd(() => database.close(0));
  if (loaded === undefined) return end(0);
  const { serve } = loaded;
  const audit = auditBoard();
  const service = await serve(database, { config, secrets, audit, log });
  atEnd(() => service.close(GRACE));
  watchRowSecurity(config, database, state => { audit.current = state; }, log);
  return { database, port: service.port };
}

/** Here the database is brought up to date and its changes are heard; no request is answered, so no lane connects. */
async function withWorkers({ count, poolMax }: Plan, { config, url, secrets, options, log }: Start): Promise<Serving> {
  let pass: Workers['pass'] = () => undefined;
  const { openWorkers } = await import('./workers.ts');
  const passOn = (heard: string) => { pass({ channel: CATALOG_CHANNEL, heard }); };
  const database = await openDatabase({ ...options, passOn, poolMax: 5 }, log);
  atEnd(() => database.close(0));
  const embedded = config.databaseUrl === undefined ? EMBEDDED_DATA : undefined;
  const audit = auditBoard();
  const { sharedChanges } = await import('../features/realtime/shared-changes.ts');
  const changes = sharedChanges();
  const { sharedChannels } = await import('../features/realtime/channels/shared-channels.ts');
  const channels = await sharedChannels(database.openHub, news => { pass(news); });
  atEnd(channels.close);
  const answers = { ...mailboxAnswers(mailboxOf(config)), ...changes.answers, ...channels.answers };
  const hears = database.openChanges !== undefined;
  const workers = await openWorkers({ count, assignment: { config, secrets, url, poolMax, embedded, hears }, audit, answers, log });
  atEnd(workers.close);
  pass = workers.pass;
  passOn(DDL); // what changed while they started
  await passOnHeard(database, pass);
  if (database.openChanges !== undefined) atEnd(await changes.open(database.openChanges, pass));
  watchRowSecurity(config, database, state => { audit.current = state; pass({ audit: state }); }, log);
  return { database, port: workers.port };
}

/** The parent has no tokens and takes no uploads; what it hears of them, and of keys, it passes on. */
async function passOnHeard({ listen }: Database, pass: Workers['pass']): Promise<void> {
  const { ACCOUNTS_CHANNEL } = await import('../identity/accounts.ts');
  const { UPLOADS_CHANNEL } = await import('../features/storage/tus/uploads.ts');
  for (const channel of [ACCOUNTS_CHANNEL, UPLOADS_CHANNEL]) {
    const hears = (isHeard: boolean) => () => { pass({ channel, hears: isHeard }); };
    const ears = { heard: (heard: string) => { pass({ channel, heard }); }, resumed: hears(true), silent: hears(false) };
    const listening = await listen(channel, ears);
    atEnd(listening.end);
  }
}

/** One process of a start looks. */
function watchRowSecurity({ rlsAudit }: Config, { audit }: Database, publish: (state: AuditState) => void, log: Logger): void {
  if (!rlsAudit) return;
  const end = scheduleAudit({ scan: audit, publish, log });
  atEnd(() => Promise.resolve(end()));
}
