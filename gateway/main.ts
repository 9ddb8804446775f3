import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Logger } from 'pino';
import { readConfig, type Config } from './config/config.ts';
import { openDatabase, type Database } from './database/database.ts';
import { EMBEDDED_DATA, startEmbedded } from './embedded/embedded.ts';
import { readSchema } from './boot/schema-files.ts';
import { atEnd, end, GRACE, reasonOf, watchRejections } from './process/ending.ts';
import { isForExample } from './boot/example.ts';
import { developmentSecrets } from './identity/development-secrets.ts';
import { createLogger } from './process/log.ts';
import { startScreen } from './boot/start-screen.ts';
import { databaseOptions, serve, type Secrets } from './boot/service.ts';
import { startWorkers } from './process/workers/parent.ts';
import { planWorkers, type Plan } from './process/workers/plan.ts';

const root = resolve(import.meta.dirname, '..');

async function boot(): Promise<void> {
  const given = readConfig(process.env);
  const log = createLogger(given);
  watchRejections(given, log);
  const plan = planWorkers(given);
  const url = given.databaseUrl ?? await embeddedUrl(log);
  const config = await withExample(given, url);
  const secrets = secretsOf(config);
  const options = databaseOptions(config, url, readSchema());
  if (options.catalog.source.kind === 'tables' && config.collectionsDirNamed) log.warn(`SERVICE_COLLECTIONS_DIR: no collection files in ${config.collectionsDir}; collections come from the tables.`);
  const open = (own: Partial<typeof options>): Promise<Database> => openDatabase({ ...options, ...own }, log);
  const { database, port } = plan.count === 1 || config.provisionOnly ? await alone() : await withWorkers(plan);
  await startScreen({ config, url, embedded: config.databaseUrl === undefined, port, workers: plan.count, serviceKey: secrets.serviceKey, database, log });

  async function alone(): Promise<{ database: Database; port: number }> {
    const database = await open({});
    atEnd(() => database.close(0));
    if (config.provisionOnly) return end(0);
    const service = await serve(config, database, secrets, log);
    atEnd(() => service.close(GRACE));
    return { database, port: service.port };
  }

  /** Here the database is brought up to date and its changes are heard; no request is answered, so no lane connects. */
  async function withWorkers({ count, poolMax }: Plan): Promise<{ database: Database; port: number }> {
    let reload = (): void => undefined;
    const catalog = { ...options.catalog, looked: () => reload() };
    const database = await open({ catalog, poolMax: 5 });
    atEnd(() => database.close(0));
    const embedded = config.databaseUrl === undefined ? EMBEDDED_DATA : undefined;
    const workers = await startWorkers({ count, assignment: { config, secrets, url, poolMax, embedded }, log });
    atEnd(workers.close);
    reload = workers.reload;
    reload(); // what changed while they started
    return { database, port: workers.port };
  }
}

async function embeddedUrl(log: Logger): Promise<string> {
  const server = await startEmbedded({ dir: EMBEDDED_DATA, log });
  atEnd(server.stop);
  return server.url;
}

/** The embedded database serves the example project as long as there is no other. */
async function withExample(config: Config, url: string): Promise<Config> {
  const ownProject = config.databaseUrl !== undefined || config.collectionsDirNamed || config.migrationsDir !== undefined || existsSync(config.collectionsDir);
  const example = resolve(root, 'examples/store');
  return ownProject || !await isForExample(url, example) ? config : { ...config, collectionsDir: join(example, 'collections') };
}

/** What production requires is there; what development lacks is made up once and kept. */
function secretsOf({ jwtSecret, serviceKey, devSecretsFile }: Config): Secrets {
  if (jwtSecret !== undefined && serviceKey !== undefined) return { jwtSecret, serviceKey };
  const made = developmentSecrets(resolve(devSecretsFile));
  return { jwtSecret: jwtSecret ?? made.jwtSecret, serviceKey: serviceKey ?? made.serviceKey };
}

// A closed terminal hangs up.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => void end(0));
boot().catch((error: unknown) => {
  console.error(reasonOf(error));
  void end(1);
});
