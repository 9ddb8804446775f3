import { dirname, join, resolve } from 'node:path';
import { type Logger } from 'pino';
import { loadCollections } from '../collections/load.ts';
import { type Config } from '../config/config.ts';
import { dataRoutes } from '../surfaces/data/routes.ts';
import { type CatalogSource } from '../catalog/catalog.ts';
import { BootError } from '../error.ts';
import { type Database, type DatabaseOptions } from '../database/database.ts';
import { growSlowly } from '../process/heap.ts';
import { features } from '../http/features.ts';
import { createServer, type Place } from '../http/server.ts';
import { type Call, type Route } from '../http/route.ts';
import { type Caller } from '../identity/caller.ts';
import { createIdentity, type Identity } from '../identity/identity.ts';
import { refuseImpersonation } from '../identity/impersonation.ts';
import { identityRoutes } from '../surfaces/auth/routes.ts';
import { requireAdmin } from '../identity/admin.ts';
import { healthRoutes } from '../surfaces/meta/health.ts';
import { metaRoutes } from '../surfaces/meta/routes.ts';
import { type SchemaFiles } from './schema-files.ts';

export type Secrets = { jwtSecret: string; serviceKey: string };
export type Service = { port: number; close: (deadline: number) => Promise<void> };

/** Serves a database that is open: identity, routes, server. Closing the service closes the database too. */
export async function serve(config: Config, database: Database, secrets: Secrets, log: Logger, place?: Place): Promise<Service> {
  growSlowly();
  const identity = createIdentity({ config, secrets: { ...secrets, signingKeys: signingKeys(config) } });
  const server = createServer({ config, routes: routes(config, database, identity, () => server.draining, log), features, log, place });
  const { port } = await server.listen().catch((error: unknown) => {
    throw new BootError((error as Error).message, { cause: error }); // it names the port
  });
  return { port, close: deadline => close(server, database, deadline) };
}

function signingKeys({ jwtPrivateKey, jwtKeyId }: Config) {
  return jwtPrivateKey === undefined ? [] : [{ kid: jwtKeyId, privateKeyPem: jwtPrivateKey }];
}

export function databaseOptions(config: Config, url: string, schema: SchemaFiles, source = catalogSource(config)): DatabaseOptions {
  const ensure = config.migrateOnBoot === 'ensure';
  return {
    ownerUrl: config.adminConnectionString ?? url,
    url,
    directUrl: config.databaseDirectUrl ?? config.adminConnectionString ?? url,
    loginUrls: { reader: config.databaseReaderUrl, writer: config.databaseWriterUrl },
    replica: config.databaseReadUrl === undefined ? undefined : { url: config.databaseReadUrl, maxLag: config.databaseReadMaxLag },
    poolMax: config.dbPoolMax,
    connectTimeout: config.dbPoolConnectTimeout,
    catalog: { source, grant: ensure },
    schema,
    projectMigrations: config.migrationsDir ?? join(dirname(resolve(config.collectionsDir)), 'migrations'),
    ensure,
  };
}

/** Files, where there are any; they are read here and judged when the database is open. */
function catalogSource(config: Config): CatalogSource {
  const files = loadCollections(resolve(config.collectionsDir), config.strictCollectionConfig);
  return files === undefined ? { kind: 'tables', schema: config.introspectSchema, unprotected: config.unprotectedTables } : { kind: 'files', files };
}

function routes(config: Config, database: Database, identity: Identity, isDraining: () => boolean, log: Logger): Route[] {
  const { basePath, defaultLimit, maxLimit } = { basePath: config.basePath, defaultLimit: config.defaultListLimit, maxLimit: config.maxListLimit };
  const verbose = !config.production;
  const caller = (call: Call): Caller | Promise<Caller> => {
    refuseImpersonation(call);
    return identity.caller(call.header('authorization'));
  };
  return [
    ...healthRoutes({ config, probe: database.probe, replicaTrouble: database.replicaTrouble, isDraining, log }),
    ...identityRoutes(identity),
    ...metaRoutes({
      catalog: () => database.catalog.current.document,
      openApi: { basePath, defaultLimit, maxLimit, authRequired: config.authRequire, production: config.production },
      requireCaller: async call => caller(call),
      requireAdmin: async call => requireAdmin(await caller(call), config.auth),
    }),
    ...dataRoutes({ database, caller, requireAdmin: caller => requireAdmin(caller, config.auth), defaultLimit, maxLimit, verbose }),
  ];
}

/** First the answers that are under way, then what they need. */
async function close(server: ReturnType<typeof createServer>, database: Database, deadline: number): Promise<void> {
  const started = Date.now();
  await server.close(deadline);
  await database.close(Math.max(0, deadline - (Date.now() - started)));
}
