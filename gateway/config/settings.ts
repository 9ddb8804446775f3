import {
  basePath, boolean, databaseUrl, email, flag, headerSecret, host, httpUrl, imageUrl, lifetime, linkBase, oneLine, oneOf, origins,
  password, path, privateKey, role, secret, secrets, sender, someOf, strictness, text, wholeNumber, workers, type Value,
} from './value.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** One environment variable. Without a text, or with a blank one, it takes `unset`. */
export type Setting<T, Unset> = {
  name: string;
  value: Value<T>;
  unset: Unset;
  docs: string;
  /** An older or shorter name of the same variable. */
  alias?: string;
  /** Production does not start without it. */
  production?: 'required';
  /** Where the settings file may have it. The variable goes first. */
  key?: string;
};
type Extras = Pick<Setting<never, never>, 'alias' | 'production' | 'key'>;

function setting<T, Unset>(name: string, value: Value<T>, unset: Unset, docs: string, extras: Extras = {}): Setting<T, Unset> {
  return { name, value, unset, docs, ...extras };
}

/** Every environment variable that the gateway reads. The key is the name in `Config`. */
export const settings = {
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
  nodeEnv: setting('NODE_ENV', oneOf('development', 'production', 'test'), 'development' as const, 'The environment.'),
  logLevel: setting('LOG_LEVEL', oneOf('error', 'warn', 'info', 'debug'), 'info' as const, 'Least severe level that is logged.'),
  basePath: setting('SERVICE_BASE_PATH', basePath, '/api', 'Prefix of all API routes.'),
  maxBodySize: setting('SERVICE_MAX_BODY_SIZE', wholeNumber(0), 10_485_760, 'Largest request body in bytes; 0 is no limit.'),
  bodyMemory: setting('SERVICE_BODY_MEMORY', wholeNumber(1), 67_108_864,
    'Bytes that all request bodies under way may take in one process.'),
  readerTimeout: setting('SERVICE_READER_TIMEOUT', wholeNumber(1), 20_000,
    'Milliseconds in which a client has to take some of an answer that waits for it.'),
  compression: setting('SERVICE_COMPRESSION', boolean, true, 'Compress answers for clients that ask for it.'),
  corsOrigins: setting('CORS_ORIGINS', origins, Object.freeze<string[]>([]),
    'Origins that browsers may call from; outside production in addition to localhost. In production this or FRONTEND_URL is required.'),
  frontendUrl: setting('FRONTEND_URL', linkBase, undefined,
    'Base of links in mails; its origin may call too. Unset outside production: the service itself.'),
  trustedProxyHops: setting('TRUSTED_PROXY_HOPS', wholeNumber(0), 0,
    'Reverse proxies in front of the service, for telling the client address.'),
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
    'What becomes of a key in a collection file that nobody knows: warn, error or off.'),
  unprotectedTables: setting('SERVICE_UNPROTECTED_TABLES', oneOf('skip', 'serve'), 'skip' as const,
    'What introspection does with tables that have no row security.'),
  introspectSchema: setting('SERVICE_INTROSPECT_SCHEMA', text, 'public', 'Schema that is introspected when there are no collection files.'),
  migrateOnBoot: setting('SERVICE_MIGRATE_ON_BOOT', oneOf('ensure', 'none'), 'ensure' as const,
    'Whether boot brings the database up to date.'),
  requireSchemaMatch: setting('SERVICE_REQUIRE_SCHEMA_MATCH', flag, false,
    'No start on a database that other collection files were provisioned in; else it is named. SERVICE_PROVISION_ONLY brings these.'),
  schemaEditor: setting('SERVICE_SCHEMA_EDITOR', boolean, undefined,
    'Edit collection files through the service; unset: everywhere but in production, where the editor, which does not commit, stays off.'),
  liveSchemaRepository: setting('SERVICE_LIVE_SCHEMA_REPOSITORY', text, undefined,
    'Git repository that changes of collection files are committed to; the one that they lie in when unset.'),
  liveSchemaAllowMachineApply: setting('SERVICE_LIVE_SCHEMA_ALLOW_MACHINE_APPLY', boolean, false,
    'Whether the service key and API keys may apply schema changes; they may always plan them.'),
  provisionOnly: setting('SERVICE_PROVISION_ONLY', flag, false, 'Bring the database up to date, then exit without listening.'),

  jwtSecret: setting('JWT_SECRET', secret, undefined,
    'Secret that signs access tokens; made up outside production.', { production: 'required' }),
  jwtPrivateKey: setting('JWT_PRIVATE_KEY', privateKey, undefined,
    'PEM private key (EC P-256 or RSA) that signs access tokens instead of the secret.'),
  jwtKeyId: setting('JWT_KEY_ID', text, 'default', 'Name of the private key in token headers and in the published key set.'),
  jwtAccessExpiresIn: setting('JWT_ACCESS_EXPIRES_IN', lifetime, 3600, 'Lifetime of an access token, with a unit.',
    { key: 'auth.accessExpiresIn' }),
  jwtRefreshExpiresIn: setting('JWT_REFRESH_EXPIRES_IN', lifetime, 30 * 86_400,
    'Lifetime of a refresh token since its last use, with a unit.', { key: 'auth.refreshExpiresIn' }),
  serviceKey: setting('SERVICE_SERVICE_KEY', headerSecret, undefined,
    'Key of trusted servers; made up outside production.', { alias: 'SERVICE_KEY', production: 'required' }),
  authRequire: setting('AUTH_REQUIRE', boolean, true,
    'Whether data routes need a caller; false lets anonymous requests through to row security.'),
  allowRegistration: setting('ALLOW_REGISTRATION', boolean, false,
    'Whether people may register; outside production the first one always may.'),
  disableSelfRegistration: setting('DISABLE_SELF_REGISTRATION', boolean, false,
    'Closes registration for everybody, the first one and guests included.', { alias: 'AUTH_DISABLE_SELF_REGISTRATION' }),
  adminEmail: setting('SERVICE_ADMIN_EMAIL', email, undefined, 'Address of the first admin, who is made where there is no account yet.'),
  adminPassword: setting('SERVICE_ADMIN_PASSWORD', password, undefined, 'Password of the first admin, 12 characters or more.'),
  allowAnonymous: setting('ALLOW_ANONYMOUS', boolean, false, 'Whether there are guests.'),
  defaultRole: setting('AUTH_DEFAULT_ROLE', role, undefined, 'Role of whoever registers.'),
  authRequireEmailVerification: setting('AUTH_REQUIRE_EMAIL_VERIFICATION', boolean, false,
    'Whether people sign in only after their address is confirmed.'),
  authMagicLink: setting('AUTH_MAGIC_LINK', boolean, true, 'Sign-in by a link that is mailed.'),
  authEmailOtp: setting('AUTH_EMAIL_OTP', boolean, true, 'Sign-in by a code that is mailed.'),
  authAllowUserLookup: setting('AUTH_ALLOW_USER_LOOKUP', boolean, false, 'Whether signed-in people may look others up by their address.'),
  authCookie: setting('AUTH_COOKIE', boolean, false, 'Keep the refresh token of a browser in a cookie that its pages cannot read.'),
  authCookieSameSite: setting('AUTH_COOKIE_SAME_SITE', oneOf('Strict', 'Lax', 'None'), 'Lax' as const, 'Its SameSite attribute.'),
  authCookieSecure: setting('AUTH_COOKIE_SECURE', boolean, true, 'Its Secure attribute.'),
  mfaEncryptionKey: setting('MFA_ENCRYPTION_KEY', secrets, undefined,
    'Encrypts the secrets of second factors; after it, by commas, older keys that only decrypt. JWT_SECRET when unset.'),
  auth: setting('SERVICE_AUTH', oneOf('on', 'off'), 'on' as const, 'off mounts no account routes.'),
  devSecretsFile: setting('SERVICE_DEV_SECRETS_FILE', text, './.data/secrets.json', 'Where secrets made up outside production are kept.'),

  defaultListLimit: setting('SERVICE_DEFAULT_LIST_LIMIT', wholeNumber(1), 50, 'Page size of a list without limit.'),
  maxListLimit: setting('SERVICE_MAX_LIST_LIMIT', wholeNumber(1), 1000, 'Largest page size of a list.'),
  defaultIncludeLimit: setting('SERVICE_DEFAULT_INCLUDE_LIMIT', wholeNumber(1), 10_000,
    'Most rows that an include without limit takes of one parent; a parent with more is refused.'),
  maxIncludeLimit: setting('SERVICE_MAX_INCLUDE_LIMIT', wholeNumber(1), 10_000, 'Largest limit of an include.'),
  maxAnswerSize: setting('SERVICE_MAX_ANSWER_SIZE', wholeNumber(1), 67_108_864,
    'Largest answer of a data route in bytes, before it is compressed.'),
  bulkLimit: setting('SERVICE_BULK_LIMIT', wholeNumber(1), 1000, 'Most rows in one bulk request.'),
  batchLimit: setting('SERVICE_BATCH_LIMIT', wholeNumber(1), 1000, 'Most operations in one batch.'),
  dataRateLimit: setting('SERVICE_DATA_RATE_LIMIT', wholeNumber(1), undefined,
    'Most requests for data of one caller in any 15 minutes; unset: no limit.'),
  rateLimitStore: setting('SERVICE_RATE_LIMIT_STORE', oneOf('memory', 'sql'), 'memory' as const,
    'Where requests are counted for rate limits; with several workers always in the database.'),
  captchaProvider: setting('CAPTCHA_PROVIDER', oneOf('turnstile', 'hcaptcha'), undefined,
    'Whose challenges protect account routes; unset: none does.'),
  captchaSecret: setting('CAPTCHA_SECRET', password, undefined, 'The secret that CAPTCHA_PROVIDER gave.'),
  captchaRoutes: setting('CAPTCHA_ROUTES', someOf('register', 'login', 'forgotPassword', 'magicLink', 'emailOtp'),
    Object.freeze(['register', 'forgotPassword', 'magicLink', 'emailOtp'] as const), 'The routes that ask for a solved challenge.'),
  captchaTokenField: setting('CAPTCHA_TOKEN_FIELD', oneLine, 'captchaToken', 'Field of the body that has the solution.'),
  captchaVerifyUrl: setting('CAPTCHA_VERIFY_URL', httpUrl, undefined,
    'Where solutions are verified, for tests and proxies; the address of CAPTCHA_PROVIDER when unset.'),

  realtimeCdc: setting('REALTIME_CDC', oneOf('auto', 'trigger', 'wal', 'off'), 'auto' as const,
    'How changes are noticed for realtime: by triggers, also with wal; off switches realtime off.'),
  realtimeChannelBus: setting('REALTIME_CHANNEL_BUS', oneOf('memory', 'postgres'), 'memory' as const,
    'How far messages of channels go: to the sockets of this start, or of all gateways on the database.'),
  realtimeMaxSubscriptionsPerSocket: setting('REALTIME_MAX_SUBSCRIPTIONS_PER_SOCKET', wholeNumber(1), 1000,
    'Most subscriptions of one socket.'),

  storagePublicRead: setting('STORAGE_PUBLIC_READ', boolean, false, 'Whether files may be read without a sign-in.'),
  storageAllowAnyAuthenticated: setting('STORAGE_ALLOW_ANY_AUTHENTICATED', boolean, false,
    'Whether, in production too, whoever has signed in may do everything with files where no rules say who may.'),

  rlsAudit: setting('SERVICE_RLS_AUDIT', boolean, false,
    'Look for holes in row security at start and then hourly, for /admin/rls-audit.'),
  history: setting('SERVICE_HISTORY', boolean, true,
    'Keep the history of rows where a collection file says so, and serve it.'),
  swagger: setting('SERVICE_ENABLE_SWAGGER', boolean, undefined, 'Serve the API explorer; unset: everywhere but in production.'),
  metrics: setting('SERVICE_METRICS', boolean, false, 'Serve /metrics.'),
  mcp: setting('SERVICE_MCP_ENABLED', boolean, false, 'Serve /mcp and its OAuth server.'),

  smtpHost: setting('SMTP_HOST', host, undefined, 'SMTP server that mail is sent through; unset outside production: a mailbox to read.'),
  smtpPort: setting('SMTP_PORT', wholeNumber(1, 65_535), 587, 'Its port.'),
  smtpSecure: setting('SMTP_SECURE', boolean, undefined, 'TLS from the first byte, instead of STARTTLS; unset: on port 465.'),
  smtpUser: setting('SMTP_USER', oneLine, undefined, 'Who signs in there.'),
  smtpPass: setting('SMTP_PASS', password, undefined, 'The password of SMTP_USER.'),
  smtpFrom: setting('SMTP_FROM', sender, undefined, 'Address that mail is from; SMTP_USER when unset, if that is one.'),
  smtpName: setting('SMTP_NAME', host, undefined, 'Name that the service greets the server with; the host of FRONTEND_URL when unset.'),
  appName: setting('APP_NAME', oneLine, 'Rowgate', 'Name of the product in mails.', { key: 'email.appName' }),
  emailLogoUrl: setting('EMAIL_LOGO_URL', imageUrl, undefined, 'Logo in mails, a PNG or JPG.', { key: 'email.logoUrl' }),
};
