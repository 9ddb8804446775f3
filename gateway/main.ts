import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pino, type Logger } from 'pino';
import pretty from 'pino-pretty';
import { readConfig, type Config } from './config/config.ts';
import { BootError } from './error.ts';
import { openDatabase } from './database/database.ts';
import { startEmbedded } from './database/embedded.ts';
import { readMigrations } from './database/migrate.ts';
import { isForExample } from './example.ts';
import { developmentSecrets } from './identity/development-secrets.ts';
import { startScreen } from './start-screen.ts';
import { databaseOptions, serve, type Secrets } from './service.ts';

const root = resolve(import.meta.dirname, '..');
/** Milliseconds for a graceful end; a process manager's patience is usually 30 s. */
const SHUTDOWN = 15_000;

/** What has to be closed at the end, the last one first. */
const open: (() => Promise<void>)[] = [];

async function boot(): Promise<void> {
  const given = readConfig(process.env);
  const log = logger(given);
  watchRejections(given, log);
  const url = given.databaseUrl ?? await embeddedUrl(log);
  const config = await withExample(given, url);
  const secrets = secretsOf(config);
  const migrations = readMigrations(resolve(root, 'migrations/committed'));
  const options = databaseOptions(config, url, migrations);
  if (options.catalog.source.kind === 'tables' && config.collectionsDirNamed) log.warn(`SERVICE_COLLECTIONS_DIR: no collection files in ${config.collectionsDir}; collections come from the tables.`);
  const database = await openDatabase(options, log);
  open.push(() => database.close(0));
  if (config.provisionOnly) return end(0);
  const service = await serve(config, database, secrets, log);
  open.push(() => service.close(SHUTDOWN - 2_000));
  await startScreen({ config, url, embedded: config.databaseUrl === undefined, port: service.port, serviceKey: secrets.serviceKey, database, log });
}

async function embeddedUrl(log: Logger): Promise<string> {
  const server = await startEmbedded({ dir: resolve('.data/postgres'), log });
  open.push(server.stop);
  return server.url;
}

/** The embedded database serves the example project as long as there is no other. */
async function withExample(config: Config, url: string): Promise<Config> {
  const ownProject = config.databaseUrl !== undefined || config.collectionsDirNamed || config.migrationsDir !== undefined || existsSync(config.collectionsDir);
  const example = resolve(root, 'examples/store');
  return ownProject || !await isForExample(url, example) ? config : { ...config, collectionsDir: join(example, 'collections') };
}

/** What production requires is there; what development lacks is made up once and kept. */
function secretsOf({ jwtSecret, serviceKey, devSecretsFile, production }: Config): Secrets {
  if (jwtSecret !== undefined && serviceKey !== undefined) return { jwtSecret, serviceKey };
  if (production) throw new BootError('JWT_SECRET and SERVICE_SERVICE_KEY are required in production.');
  const made = developmentSecrets(resolve(devSecretsFile));
  return { jwtSecret: jwtSecret ?? made.jwtSecret, serviceKey: serviceKey ?? made.serviceKey };
}

function logger({ logLevel, production }: Config): Logger {
  return production ? pino({ level: logLevel }) : pino({ level: logLevel }, pretty({ sync: true, ignore: 'pid,hostname', translateTime: 'HH:MM:ss' }));
}

function watchRejections({ exitOnUnhandledRejection }: Config, log: Logger): void {
  process.on('unhandledRejection', error => {
    log.error({ err: error }, 'unhandled rejection');
    if (exitOnUnhandledRejection) void end(1);
  });
}

let ending: Promise<never> | undefined;

/** Closes everything, at most as long as SHUTDOWN; repeated signals wait for the first. */
function end(code: number): Promise<never> {
  return ending ??= (async () => {
    setTimeout(() => process.exit(1), SHUTDOWN).unref();
    const failures: unknown[] = [];
    for (const close of open.reverse()) await close().catch((error: unknown) => failures.push(error));
    process.exit(failures.length > 0 ? 1 : code);
  })();
}

function refuse(error: unknown): Promise<never> {
  console.error(error instanceof BootError ? error.message : error);
  return end(1);
}

// A closed terminal hangs up.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => void end(0));
boot().catch(refuse);
