import type { Values } from './read-settings.ts';
import { setting } from './setting.ts';
import {
  basePath, boolean, databaseUrl, flag, headerSecret, host, imageUrl, linkBase, oneLine, oneOf, origins, password, path, privateKey,
  secret, sender, strictness, text, wholeNumber, workers,
} from './value.ts';

/** The settings that are not of one feature. The key is the name in `Config`. */
export const sharedSettings = {
  databaseUrl: setting('DATABASE_URL', databaseUrl, undefined, 'Connection URL of the database.', { production: 'required' }),
  databaseDirectUrl: setting('DATABASE_DIRECT_URL', databaseUrl, undefined,
    'Connection URL past a pooler, for LISTEN and what the owner does.'),
  databaseReadUrl: setting('DATABASE_READ_URL', databaseUrl, undefined, 'Connection URL of a streaming replica, for reads.'),
  databaseReadMaxLag: setting('DATABASE_READ_MAX_LAG', wholeNumber(0), 10_000,
    'Milliseconds that the replica may be behind before reads go to the primary.'),
  databaseReaderUrl: setting('DATABASE_READER_URL', databaseUrl, undefined,
    'Login of the read connections, when the service may not create it.'),
  databaseWriterUrl: setting('DATABASE_WRITER_URL', databaseUrl, undefined,
    'Login of the write connections, when the service may not create it.'),
  adminConnectionString: setting('ADMIN_CONNECTION_STRING', databaseUrl, undefined,
    'Owner-level connection for migrations and introspection; DATABASE_DIRECT_URL, else DATABASE_URL, when unset.'),
  dbPoolMax: setting('DB_POOL_MAX', wholeNumber(1), 20,
    'Connections of one start to the database, of all kinds and all its workers together; those to a replica come on top.'),
  dbPoolIdleTimeout: setting('DB_POOL_IDLE_TIMEOUT', wholeNumber(0), 30_000,
    'Milliseconds before an idle database connection closes; 0 is never.'),
  dbPoolConnectTimeout: setting('DB_POOL_CONNECT_TIMEOUT', wholeNumber(0), 10_000, 'Milliseconds to wait for a database connection.'),

  port: setting('PORT', wholeNumber(0, 65_535), 3001,
    'HTTP port; 0 takes any free one. Unset outside production: the next free one from 3001.'),
  host: setting('SERVICE_HOST', host, undefined,
    'Address that it listens at; 0.0.0.0 is every one. Unset: every one in production, elsewhere those of the machine itself.'),
  workers: setting('SERVICE_WORKERS', workers, 1, 'Processes that serve the port; auto is one a core.'),
  role: setting('SERVICE_ROLE', oneOf('all', 'api', 'functions', 'worker'), 'all' as const,
    'The part of the service that this start serves: api is all but functions, worker runs jobs and schedules.'),
  jobWorkers: setting('SERVICE_JOB_WORKERS', boolean, undefined, 'Whether this start runs jobs; unset: with the roles all and worker.'),
  cronScheduler: setting('SERVICE_CRON_SCHEDULER', boolean, undefined,
    'Whether this start runs what is scheduled; unset: with the roles all and worker.'),
  nodeEnv: setting('NODE_ENV', oneOf('development', 'production', 'test'), 'development' as const, 'The environment.'),
  logLevel: setting('LOG_LEVEL', oneOf('error', 'warn', 'info', 'debug'), 'info' as const,
    'Least severe level on standard output; /admin/logs has info and above.'),
  logRawQueries: setting('SERVICE_LOG_RAW_QUERIES', boolean, false, 'Log the SQL and the words of failed statements; not in production.'),
  basePath: setting('SERVICE_BASE_PATH', basePath, '/api', 'Prefix of all API routes.'),
  maxBodySize: setting('SERVICE_MAX_BODY_SIZE', wholeNumber(0), 10_485_760, 'Largest request body in bytes; 0 is no limit.'),
  bodyMemory: setting('SERVICE_BODY_MEMORY', wholeNumber(1), 67_108_864,
    'Bytes that all request bodies under way may take in one process.'),
  readerTimeout: setting('SERVICE_READER_TIMEOUT', wholeNumber(1), 20_000,
    'Milliseconds in which a client has to take some of an answer that waits for it.'),
  transferTimeout: setting('SERVICE_TRANSFER_TIMEOUT', wholeNumber(1), 120_000,
    'Milliseconds in which a client has to send or take some more of a file.'),
  compression: setting('SERVICE_COMPRESSION', boolean, true, 'Compress answers for clients that ask for it.'),
  corsOrigins: setting('CORS_ORIGINS', origins, Object.freeze<string[]>([]),
    'Origins that browsers may call from; outside production in addition to localhost. In production this or FRONTEND_URL is required.'),
  frontendUrl: setting('FRONTEND_URL', linkBase, undefined,
    'Base of links in mails; its origin may call too. Unset outside production: the service itself.'),
  publicUrl: setting('SERVICE_PUBLIC_URL', linkBase, undefined,
    'Where clients reach the service, without the base path; unset: as they say in Host.'),
  trustedProxyHops: setting('TRUSTED_PROXY_HOPS', wholeNumber(0), 0,
    'Reverse proxies in front of the service, for telling the client address, and how it reached them.'),
  livenessPath: setting('RUNTIME_LIVENESS_PATH', path, '/livez', 'Path of the liveness probe, outside the base path.'),
  exitOnUnhandledRejection: setting('SERVICE_EXIT_ON_UNHANDLED_REJECTION', flag, false,
    'Exit on an unhandled rejection instead of logging it.'),

  configFile: setting('SERVICE_CONFIG_FILE', text, './rowgate.json', 'The settings file, with what is no single value.'),
  collectionsDir: setting('SERVICE_COLLECTIONS_DIR', text, './collections', 'Directory of the collection files.'),
  migrationsDir: setting('SERVICE_MIGRATIONS_DIR', text, undefined,
    'Directory of the project\'s own migrations (graphile-migrate); `migrations` beside the collection files when unset.'),
  source: setting('SERVICE_SOURCE', oneOf('auto', 'files', 'tables'), 'auto' as const,
    'Where collections come from; auto is files where there are some, and no start where there should be some.'),
  strictCollectionConfig: setting('SERVICE_STRICT_COLLECTION_CONFIG', strictness, 'warn' as const,
    'Treatment of unknown keys in collection files: warn, error or off.'),
  unprotectedTables: setting('SERVICE_UNPROTECTED_TABLES', oneOf('skip', 'serve'), 'skip' as const,
    'What introspection does with tables that have no row security.'),
  introspectSchema: setting('SERVICE_INTROSPECT_SCHEMA', text, 'public', 'Schema that is introspected when there are no collection files.'),
  migrateOnBoot: setting('SERVICE_MIGRATE_ON_BOOT', oneOf('ensure', 'none'), 'ensure' as const,
    'Whether boot brings the database up to date.'),
  requireSchemaMatch: setting('SERVICE_REQUIRE_SCHEMA_MATCH', flag, false,
    'No start on a database that other collection files were provisioned in; else it is named. SERVICE_PROVISION_ONLY brings these.'),
  provisionOnly: setting('SERVICE_PROVISION_ONLY', flag, false, 'Bring the database up to date, then exit without listening.'),

  jwtSecret: setting('JWT_SECRET', secret, undefined,
    'Secret that signs access tokens; made up outside production.', { production: 'required' }),
  jwtPrivateKey: setting('JWT_PRIVATE_KEY', privateKey, undefined,
    'PEM private key (EC P-256 or RSA) that signs access tokens instead of the secret.'),
  jwtKeyId: setting('JWT_KEY_ID', text, 'default', 'Name of the private key in token headers and in the published key set.'),
  serviceKey: setting('SERVICE_SERVICE_KEY', headerSecret, undefined,
    'Key of trusted servers; made up outside production.', { alias: 'SERVICE_KEY', production: 'required' }),
  authRequire: setting('AUTH_REQUIRE', boolean, true,
    'Whether data routes need a caller; false lets anonymous requests through to row security.'),
  devSecretsFile: setting('SERVICE_DEV_SECRETS_FILE', text, './.data/secrets.json', 'Where secrets made up outside production are kept.'),

  rateLimitStore: setting('SERVICE_RATE_LIMIT_STORE', oneOf('memory', 'sql'), 'memory' as const,
    'Where requests are counted for rate limits; with several workers always in the database.'),

  smtpHost: setting('SMTP_HOST', host, undefined, 'SMTP server that mail is sent through; unset outside production: a mailbox to read.'),
  smtpPort: setting('SMTP_PORT', wholeNumber(1, 65_535), 587, 'Its port.'),
  smtpSecure: setting('SMTP_SECURE', boolean, undefined, 'TLS from the first byte, instead of STARTTLS; unset: on port 465.'),
  smtpUser: setting('SMTP_USER', oneLine, undefined, 'User name for the server.'),
  smtpPass: setting('SMTP_PASS', password, undefined, 'The password of SMTP_USER.'),
  smtpFrom: setting('SMTP_FROM', sender, undefined, 'Address that mail is from; SMTP_USER when unset, if that is one.'),
  smtpName: setting('SMTP_NAME', host, undefined, 'Name that the service greets the server with; the host of FRONTEND_URL when unset.'),
  appName: setting('APP_NAME', oneLine, 'Rowgate', 'Name of the product in mails.', { key: 'email.appName' }),
  emailLogoUrl: setting('EMAIL_LOGO_URL', imageUrl, undefined, 'Logo in mails, a PNG or JPG.', { key: 'email.logoUrl' }),
};

/** Values that follow from several of these. */
export type SharedDerived = {
  readonly production: boolean;
  /** Whether PORT was given, so that no other port may be taken in its place. */
  readonly portNamed: boolean;
  /** Exact origins that browsers may call from: CORS_ORIGINS and the origin of FRONTEND_URL. */
  readonly allowedOrigins: readonly string[];
};
export type SharedConfig = Values<typeof sharedSettings> & SharedDerived;
