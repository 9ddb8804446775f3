import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import postgres from 'postgres';
import { databaseOf } from '../database/connection.ts';
import { readConfig, type Config, type Environment } from '../features/config.ts';
import {
  EMBEDDED_DATA, reachEmbedded, startEmbedded, type Binaries, type Embedded, type EmbeddedLog, type EmbeddedOptions,
} from '../embedded/embedded.ts';
import { settings } from '../features/settings.ts';
import { atEnd } from '../process/ending.ts';
import { hasMigrations } from './project.ts';

/** The collections that are served, and their database. */
export type Project = {
  config: Config;
  url: string;
  /** The programs of the embedded server, where this process started one. */
  binaries?: Binaries | undefined;
};
type Open = Project & { close: () => Promise<void> };
type OpenServer = (options: EmbeddedOptions) => Promise<Pick<Embedded, 'url' | 'urlOf' | 'stop'> & Partial<Pick<Embedded, 'binaries'>>>;

const STORE = resolve(import.meta.dirname, '../../examples/store');
/** The example that is served while there is no project. It works without pgvector until that is there. */
export const EXAMPLE = { folder: join(STORE, 'collections'), settingsFile: join(STORE, 'rowgate.json'), database: 'example' };

/**
 * The project of this folder with its database: the one of DATABASE_URL, else that of the embedded server, which is stopped at
 * the end. As long as there is neither a collection file nor a table it is the example, in a database of its own.
 * @param config that of the environment
 */
export async function findProject(config: Config, environment: Environment, log: EmbeddedLog): Promise<Project> {
  const { close, ...project } = await projectAt(config, environment, startEmbedded, { dir: EMBEDDED_DATA, log });
  atEnd(close);
  return project;
}

/** The same for a command, which may run beside a start in the same folder. @param own never the example */
export async function joinProject(environment: Environment, own = false): Promise<Open> {
  const config = readConfig(environment);
  if (!own || config.databaseUrl !== undefined) return projectAt(config, environment, reachEmbedded, { dir: EMBEDDED_DATA });
  const { url, stop: close } = await reachEmbedded({ dir: EMBEDDED_DATA });
  return { config, url, close };
}

async function projectAt(config: Config, environment: Environment, open: OpenServer, options: EmbeddedOptions): Promise<Open> {
  if (config.databaseUrl !== undefined) return { config, url: config.databaseUrl, close: () => Promise.resolve() };
  const server = await open(options);
  const { binaries, stop: close } = server;
  if (isNamed(config) || await hasTables(server.url)) return { config, url: server.url, binaries, close };
  return { config: configOfExample(config, environment), url: await server.urlOf(EXAMPLE.database), binaries, close };
}

/** With the example's settings file, unless there is one in this folder or it is named. */
function configOfExample(config: Config, environment: Environment): Config {
  const hasFile = existsSync(config.configFile);
  const read = hasFile ? config : readConfig({ ...environment, [settings.configFile.name]: EXAMPLE.settingsFile });
  return { ...read, collectionsDir: EXAMPLE.folder };
}

/** Whether there is, or is said to be, a project. */
function isNamed({ source, collectionsDir, collectionsDirNamed, migrationsDir }: Config): boolean {
  return source !== 'auto' || collectionsDirNamed || migrationsDir !== undefined
    || existsSync(collectionsDir) || hasMigrations(join(dirname(resolve(collectionsDir)), 'migrations'));
}

/** Whether there are tables of a project: views and foreign tables count, tables of an extension do not. */
async function hasTables(url: string): Promise<boolean> {
  const sql = postgres(url, { ...databaseOf(url), max: 1, onnotice: () => undefined });
  try {
    const [row] = await sql<{ found: boolean }[]>`
      select exists (
        select from pg_class c
        join pg_namespace n on n.oid = c.relnamespace
        where c.relkind in ('r', 'p', 'v', 'm', 'f') and n.nspname !~ '^pg_'
          and n.nspname not in ('information_schema', 'service', 'service_private', 'graphile_migrate')
          and not exists (
            select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
      ) as found`;
    return row?.found === true;
  } finally {
    await sql.end();
  }
}
