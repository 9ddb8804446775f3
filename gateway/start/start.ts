import { existsSync, realpathSync } from 'node:fs';
import type { Logger } from 'pino';
import { CATALOG_CHANNEL, DDL } from '../catalog/catalog.ts';
import { undoHalfEdit } from '../collections/edit/committed-edit.ts';
import { readConfig, type Config, type Environment } from '../features/config.ts';
import { passOn } from '../database/shared-listen.ts';
import { strayVariables } from '../features/storage/storage-sources.ts';
import { unknownSettings } from '../config/unknown-settings.ts';
import { serviceCalls } from '../features/service-calls.ts';
import { settingsIn } from '../features/settings.ts';
import { EMBEDDED_DATA } from '../embedded/embedded.ts';
import { secretsOf, type Secrets } from '../identity/secrets.ts';
import { atEnd, end, grace, reasonOf, watchFailures } from '../process/ending.ts';
import { localBus } from '../process/bus/bus.ts';
import { createLogger } from '../logs/log.ts';
import { createOutbox, type Outbox } from '../logs/outbox.ts';
import { planWorkers, type Plan } from '../process/workers/plan.ts';
import { buildVector } from './build-vector.ts';
import { databaseOptions, openDatabase, type Database, type DatabaseOptions } from './database.ts';
import { findProject } from './find-project.ts';
import { readSchema } from './schema-files.ts';
import { prepareFeatures, shareFeatures } from './share.ts';
import { startScreen } from './start-screen.ts';
import { askAtTerminal, watchFiles } from './watch-files.ts';

/** Milliseconds for the connections to close, once no request is under way. */
const CLOSING = 1_000;
/** Connections of a parent of workers besides those of functions that it calls as the service; it opens few of them. */
const PARENT_POOL = 5;

/** Results of the steps of a start, for later steps. */
type Start = { config: Config; url: string; secrets: Secrets; options: DatabaseOptions; log: Logger; said: Outbox };
type Serving = { database: Database; port: number; shown?: [string, string][] };

/** Starts a service from an environment. Everything that is opened is closed at the end of the process. */
export async function start(environment: Environment): Promise<void> {
  const given = readConfig(environment);
  const said = createOutbox();
  const log = createLogger(given, said.add);
  watchFailures(given, log);
  for (const warning of unknownSettings(settingsIn(environment), environment)) log.warn(warning);
  for (const name of strayVariables(environment, given.settingsFile)) log.warn(`${name} belongs to no storage source and has no effect.`);
  const project = await findProject(given, environment, log);
  const { config, url } = project;
  // A start that answers no requests needs no processes for them.
  const plan = planWorkers(config.role === 'worker' ? { ...config, workers: 1 } : config, serviceCalls(config));
  const vector = await buildVector(project, log);
  const secrets = secretsOf(config);
  await finishEdit(config, log);
  const options = databaseOptions(config, url, readSchema());
  const found: Start = { config, url, secrets, options, log, said };
  const { database, port, shown = [] } = plan.count === 1 || config.provisionOnly ? await alone(found) : await withWorkers(plan, found);
  watchProject(config, database, log);
  await startScreen({ config, url, port, workers: plan.count, serviceKey: secrets.serviceKey, shown, database, log });
  vector?.announceTo(database.files);
}

/** Finishes an edit that its process wrote and did not commit. */
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

async function alone({ config, secrets, options, log, said }: Start): Promise<Serving> {
  const serving = config.provisionOnly ? undefined : import('./serve.ts'); // half of all modules, loaded while the database is at work
  const [database, loaded] = await Promise.all([openDatabase(options, log), serving]);
  atEnd(() => database.close(CLOSING));
  const bus = localBus();
  await prepareFeatures(database, config, bus, log);
  if (loaded === undefined) return end(0);
  const shared = await shareFeatures(database, config, secrets, bus, log);
  atEnd(said.connect(bus));
  atEnd(shared.end);
  atEnd(shared.stop); // where the next step fails
  const service = await loaded.serve(database, { config, secrets, bus, log });
  atEnd(() => service.close(grace()));
  atEnd(shared.stop);
  return { database, port: service.port, shown: service.shown };
}

/** The parent brings the database up to date and hears its changes; it answers no request, so it opens no lane. */
async function withWorkers({ count, poolMax }: Plan, { config, url, secrets, options, log, said }: Start): Promise<Serving> {
  const { openWorkers } = await import('./workers.ts');
  const { parentBus } = await import('../process/bus/parent-bus.ts');
  const bus = parentBus();
  const database = await openDatabase({
    ...options, passOn: heard => { passOn(bus, CATALOG_CHANNEL, heard); }, poolMax: PARENT_POOL + 2 * options.serviceCalls,
  }, log);
  atEnd(() => database.close(CLOSING));
  await prepareFeatures(database, config, bus, log);
  const shared = await shareFeatures(database, config, secrets, bus, log);
  atEnd(said.connect(bus));
  atEnd(shared.end);
  atEnd(shared.stop); // where the next step fails
  const embedded = config.databaseUrl === undefined ? EMBEDDED_DATA : undefined;
  const workers = await openWorkers({ count, assignment: { config, secrets, url, poolMax, embedded, hears: database.hears }, bus, log });
  atEnd(workers.close);
  atEnd(shared.stop);
  passOn(bus, CATALOG_CHANNEL, DDL); // what changed while they started
  return { database, port: workers.port };
}
