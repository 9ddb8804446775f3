import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { readConfig, type Environment } from '../../gateway/features/config.ts';
import type { Setting } from '../../gateway/config/setting.ts';
import { settings } from '../../gateway/features/settings.ts';
import { unknownSettings } from '../../gateway/config/unknown-settings.ts';
import { BootError } from '../../gateway/error.ts';
import { environmentOf } from '../package/compose.ts';

const jwtSecret = 'rZ0v8Qm2Lk5Tn7Xw1Yp3Bd6Fg9Hj4SaCe';
const serviceKey = 'k3y-Wm8Rt2Zp5Ns7Qx1Vb4Lc6Jd9Fh0Ga';
const production: Environment = {
  NODE_ENV: 'production', DATABASE_URL: 'postgres://db/app', JWT_SECRET: jwtSecret, SERVICE_SERVICE_KEY: serviceKey,
  CORS_ORIGINS: 'https://app.example.com',
};

function problemsOf(env: Environment): readonly string[] {
  try {
    readConfig(env);
    return [];
  } catch (error) {
    if (error instanceof BootError) return error.message.split('\n');
    throw error;
  }
}

test('an empty environment is a development service with the documented defaults', t => {
  const config = readConfig({});
  t.match(config, {
    port: 3001, portNamed: false, nodeEnv: 'development', production: false, basePath: '/api', maxBodySize: 10_485_760,
    dbPoolMax: 20, dbPoolIdleTimeout: 30_000, dbPoolConnectTimeout: 10_000, compression: true, livenessPath: '/livez',
    trustedProxyHops: 0, authRequire: true, auth: 'on', jwtKeyId: 'default', jwtAccessExpiresIn: 3600,
    jwtRefreshExpiresIn: 2_592_000, defaultListLimit: 50, maxListLimit: 1000, defaultIncludeLimit: 10_000, maxIncludeLimit: 10_000,
    maxAnswerSize: 67_108_864, bulkLimit: 1000, batchLimit: 1000, migrateOnBoot: 'ensure', unprotectedTables: 'skip',
    introspectSchema: 'public', swagger: true, metrics: false, mcp: false, databaseUrl: undefined, adminConnectionString: undefined,
    allowedOrigins: [],
  });
  t.ok(Object.isFrozen(config));
  t.ok(Object.isFrozen(config.allowedOrigins));
  t.end();
});

test('a blank value is unset, an explicit 0 counts', t => {
  t.match(readConfig({ PORT: ' ', SERVICE_MAX_BODY_SIZE: '', AUTH_REQUIRE: '' }),
    { port: 3001, portNamed: false, maxBodySize: 10_485_760, authRequire: true });
  t.match(readConfig({ PORT: '0', SERVICE_MAX_BODY_SIZE: '0', DB_POOL_IDLE_TIMEOUT: '0' }),
    { port: 0, portNamed: true, maxBodySize: 0, dbPoolIdleTimeout: 0 });
  t.end();
});

test('every numeric variable that is not a number stops boot and is named', t => {
  const numeric = Object.values(settings).filter(({ value }) => value.expected.startsWith('a whole number'));
  t.equal(numeric.length, 27);
  for (const { name } of numeric) {
    for (const bad of ['ten', '1e3', '-1', '1.5', '0x10', '5MB', '99999999999999999999']) {
      t.match(problemsOf({ [name]: bad })[0], `${name} must be a whole number`, `${name}=${bad}`);
    }
  }
  t.match(problemsOf({ PORT: '65536' }), [/^PORT /]);
  t.match(problemsOf({ DB_POOL_MAX: '0' }), [/^DB_POOL_MAX /]);
  t.end();
});

test('booleans are true, false or blank; two switches take 1 as well', t => {
  t.equal(readConfig({ SERVICE_METRICS: 'true' }).metrics, true);
  t.equal(readConfig({ SERVICE_COMPRESSION: 'false' }).compression, false);
  for (const bad of ['1', '0', 'yes', 'TRUE', 'on']) {
    t.match(problemsOf({ AUTH_REQUIRE: bad }), [/^AUTH_REQUIRE must be true or false/], bad);
  }
  t.equal(readConfig({ SERVICE_PROVISION_ONLY: '1' }).provisionOnly, true);
  t.equal(readConfig({ SERVICE_EXIT_ON_UNHANDLED_REJECTION: '1' }).exitOnUnhandledRejection, true);
  t.end();
});

test('a lifetime has a unit', t => {
  const seconds = { '15m': 900, '1h': 3600, '30d': 2_592_000, '2 weeks': 1_209_600, '90 Seconds': 90, '1.5 hours': 5400, '1y': 31_557_600 };
  for (const [text, expected] of Object.entries(seconds)) {
    t.equal(readConfig({ JWT_ACCESS_EXPIRES_IN: text }).jwtAccessExpiresIn, expected, text);
  }
  for (const bad of [
    '3600', '0', '0m', '-5m', '15', 'm', '15 fortnights', '15mm', '1h30m', 'Infinity d', '9'.repeat(400) + 'd', '1 constructor',
  ]) {
    t.match(problemsOf({ JWT_ACCESS_EXPIRES_IN: bad }), [/^JWT_ACCESS_EXPIRES_IN must be a positive number with a unit/], bad);
    t.match(problemsOf({ JWT_REFRESH_EXPIRES_IN: bad }), [/^JWT_REFRESH_EXPIRES_IN /], bad);
  }
  t.end();
});

test('a choice is one of its values', t => {
  const wrong = {
    NODE_ENV: 'staging', LOG_LEVEL: 'trace', SERVICE_UNPROTECTED_TABLES: 'hide', SERVICE_MIGRATE_ON_BOOT: 'push', SERVICE_AUTH: 'false',
  };
  for (const [name, value] of Object.entries(wrong)) t.match(problemsOf({ [name]: value }), [new RegExp(`^${name} must be one of `)]);
  t.equal(readConfig({ SERVICE_AUTH: 'off' }).auth, 'off');
  t.end();
});

test('the base path has a leading slash and none at the end', t => {
  for (const text of ['v1', '/v1', 'v1/', '/v1/', '//v1//']) t.equal(readConfig({ SERVICE_BASE_PATH: text }).basePath, '/v1', text);
  t.equal(readConfig({ SERVICE_BASE_PATH: '/a/b/' }).basePath, '/a/b');
  t.equal(readConfig({ SERVICE_BASE_PATH: '/' }).basePath, '');
  for (const bad of ['/a b', '/:id', '/*', '/a/../b', '/a?b', '/ä']) {
    t.match(problemsOf({ SERVICE_BASE_PATH: bad }), [/^SERVICE_BASE_PATH /], bad);
  }
  t.end();
});

test('the liveness path starts with a slash and is not the readiness path', t => {
  t.equal(readConfig({ RUNTIME_LIVENESS_PATH: '/up/now' }).livenessPath, '/up/now');
  for (const bad of ['up', '/', '/:x', '/a//b', '/health']) {
    t.match(problemsOf({ RUNTIME_LIVENESS_PATH: bad }), [/^RUNTIME_LIVENESS_PATH /], bad);
  }
  t.end();
});

test('secrets are long and not found in documentation', t => {
  for (const name of ['JWT_SECRET', 'SERVICE_SERVICE_KEY', 'SERVICE_KEY']) {
    for (const bad of [
      'short', 'a'.repeat(64), 'super-secret-jwt-token-with-at-least-32-characters-long', '12345678901234567890123456789012',
    ]) {
      const problems = problemsOf({ [name]: bad });
      t.match(problems, [new RegExp(`^${name} must be at least 32`)], `${name} ${bad}`);
      t.notOk(problems.join().includes(bad), 'the value is not in the message');
    }
  }
  t.match(problemsOf({ SERVICE_SERVICE_KEY: `${serviceKey} with spaces` }), [/^SERVICE_SERVICE_KEY /]);
  t.match(readConfig({ JWT_SECRET: jwtSecret, SERVICE_SERVICE_KEY: serviceKey }), { jwtSecret, serviceKey });
  t.end();
});

test('SERVICE_KEY is another name of SERVICE_SERVICE_KEY', t => {
  t.equal(readConfig({ SERVICE_KEY: serviceKey }).serviceKey, serviceKey);
  t.equal(readConfig({ SERVICE_SERVICE_KEY: '', SERVICE_KEY: serviceKey }).serviceKey, serviceKey);
  t.equal(readConfig({ SERVICE_SERVICE_KEY: serviceKey, SERVICE_KEY: serviceKey }).serviceKey, serviceKey);
  t.match(problemsOf({ SERVICE_SERVICE_KEY: serviceKey, SERVICE_KEY: jwtSecret }), [/values differ/]);
  t.end();
});

test('database URLs are Postgres URLs, and never quoted', t => {
  for (const name of ['DATABASE_URL', 'DATABASE_DIRECT_URL', 'DATABASE_READER_URL', 'DATABASE_WRITER_URL', 'ADMIN_CONNECTION_STRING']) {
    const problems = problemsOf({ [name]: 'mysql://root:hunter2@db/app' });
    t.match(problems, [new RegExp(`^${name} must be a URL that starts with postgres://`)]);
    t.notOk(problems.join().includes('hunter2'));
  }
  t.equal(readConfig({ DATABASE_URL: 'postgres://a:1,b:2/db' }).databaseUrl, 'postgres://a:1,b:2/db');
  t.equal(readConfig({ DATABASE_URL: 'postgres://db/app' }).adminConnectionString, 'postgres://db/app');
  t.equal(readConfig({ DATABASE_URL: 'postgres://db/app', ADMIN_CONNECTION_STRING: 'postgresql://owner@db/app' }).adminConnectionString,
    'postgresql://owner@db/app');
  t.end();
});

test('origins are exact and the frontend is one of them', t => {
  const config = readConfig({
    CORS_ORIGINS: 'https://A.example.com/, http://b.example.com:8080 ,', FRONTEND_URL: 'https://c.example.com/app',
  });
  t.same(config.allowedOrigins, ['https://a.example.com', 'http://b.example.com:8080', 'https://c.example.com']);
  for (const bad of ['a.example.com', 'https://a.example.com/path', 'ftp://a', 'https://user@a', 'null']) {
    t.match(problemsOf({ CORS_ORIGINS: bad }), [/^CORS_ORIGINS /], bad);
  }
  for (const bad of ['app', '/app', 'javascript:alert(1)']) t.match(problemsOf({ FRONTEND_URL: bad }), [/^FRONTEND_URL /], bad);
  t.same(readConfig({ CORS_ORIGINS: '*' }).allowedOrigins, [], 'outside production * adds nothing to localhost');
  t.end();
});

test('production names everything that it misses, at once', t => {
  t.match(problemsOf({ NODE_ENV: 'production', PORT: 'x' }), [
    /^PORT must be/, 'DATABASE_URL is required in production.', 'JWT_SECRET is required in production.',
    'SERVICE_SERVICE_KEY is required in production.', 'CORS_ORIGINS (or FRONTEND_URL) is required in production.',
  ]);
  t.match(readConfig(production), { production: true, swagger: false, allowedOrigins: ['https://app.example.com'] });
  t.equal(readConfig({ ...production, SERVICE_ENABLE_SWAGGER: 'true' }).swagger, true);
  t.same(problemsOf({ ...production, CORS_ORIGINS: '', FRONTEND_URL: 'https://f.example.com' }), []);
  t.same(problemsOf({ ...production, SERVICE_SERVICE_KEY: '', SERVICE_KEY: serviceKey }), []);
  t.match(problemsOf({ ...production, CORS_ORIGINS: '*' }), [/exact origins in production/]);
  t.match(problemsOf({ ...production, CORS_ORIGINS: 'https://a.example.com,*' }), [/exact origins in production/]);
  t.match(problemsOf({ ...production, CORS_ORIGINS: ',' }), [/CORS_ORIGINS \(or FRONTEND_URL\) is required/]);
  t.end();
});

test('secrets of docker-compose.yml are refused in production', t => {
  const published = environmentOf('docker-compose.yml');
  for (const name of ['JWT_SECRET', 'SERVICE_SERVICE_KEY', 'DATABASE_URL']) {
    const value = published[name] ?? '';
    const problems = problemsOf({ ...production, [name]: value });
    t.match(problems, [new RegExp(`^${name} is the one of docker-compose.yml`)]);
    t.notOk(problems.join().includes(value));
    t.same(problemsOf({ [name]: value }), [], 'in development it serves');
  }
  t.match(problemsOf({ ...production, SERVICE_SERVICE_KEY: '', SERVICE_KEY: published['SERVICE_SERVICE_KEY'] }),
    [/^SERVICE_KEY is the one/]);
  t.end();
});

test('a secret may come from a file', t => {
  const folder = t.testdir({
    secret: `${jwtSecret}\n`, key: serviceKey, url: 'postgres://db/app\n', pem: '-----BEGIN\nkey\n', blank: '\n',
  });
  const at = (name: string): string => join(folder, name);
  const files = {
    JWT_SECRET_FILE: at('secret'), SERVICE_KEY_FILE: at('key'), DATABASE_URL_FILE: at('url'), JWT_PRIVATE_KEY_FILE: at('pem'),
  };
  t.match(readConfig(files), { jwtSecret, serviceKey, databaseUrl: 'postgres://db/app', jwtPrivateKey: '-----BEGIN\nkey' });
  t.same(problemsOf({ NODE_ENV: 'production', CORS_ORIGINS: 'https://app.example.com', ...files }), []);
  t.same(problemsOf({ JWT_SECRET: jwtSecret, JWT_SECRET_FILE: at('secret') }), ['JWT_SECRET and JWT_SECRET_FILE are both set.']);
  t.same(problemsOf({ JWT_SECRET: '', JWT_SECRET_FILE: at('secret') }), [], 'blank is unset');
  t.same(problemsOf({ JWT_SECRET_FILE: at('blank') }), ['JWT_SECRET_FILE names an empty file.']);
  t.same(problemsOf({ JWT_SECRET_FILE: jwtSecret }), ['JWT_SECRET_FILE names a file that cannot be read (ENOENT).']);
  writeFileSync(at('short'), 'short');
  t.match(problemsOf({ SERVICE_SERVICE_KEY_FILE: at('short') }), [/^SERVICE_SERVICE_KEY must be at least 32/]);
  t.equal(readConfig({ PORT_FILE: at('short') }).port, 3001, 'what is no secret comes from no file');
  t.end();
});

test('the default page fits into the largest one', t => {
  t.match(problemsOf({ SERVICE_DEFAULT_LIST_LIMIT: '200', SERVICE_MAX_LIST_LIMIT: '100' }),
    [/^SERVICE_DEFAULT_LIST_LIMIT \(200\) must not be above SERVICE_MAX_LIST_LIMIT \(100\)/]);
  t.match(problemsOf({ SERVICE_MAX_INCLUDE_LIMIT: '100' }),
    [/^SERVICE_DEFAULT_INCLUDE_LIMIT \(10000\) must not be above SERVICE_MAX_INCLUDE_LIMIT \(100\)/]);
  t.match(problemsOf({ SERVICE_MAX_ANSWER_SIZE: '0' }), [/^SERVICE_MAX_ANSWER_SIZE must be a whole number, 1 or more/],
    'every answer has a bound');
  t.match(readConfig({ SERVICE_DEFAULT_LIST_LIMIT: '100', SERVICE_MAX_LIST_LIMIT: '100' }), { defaultListLimit: 100, maxListLimit: 100 });
  t.end();
});

test('the table names each variable once and documents it', t => {
  const names = Object.values(settings).map(({ name }) => name);
  t.equal(new Set(names).size, names.length);
  for (const { name, docs } of Object.values(settings)) t.match(docs, /\.$/, name);
  t.end();
});

test('an unknown variable with our prefix is reported, with the one that may have been meant', t => {
  const told = (name: string) => unknownSettings(settings, { [name]: 'x' });
  t.same(told('SERVICE_COLLECTION_DIR'),
    ['SERVICE_COLLECTION_DIR is no setting of this version and has no effect. Did you mean SERVICE_COLLECTIONS_DIR?']);
  t.match(told('SERVICE_PORT'), [/Did you mean PORT\?$/]);
  t.match(told('SERVICE_WORKER'), [/Did you mean SERVICE_WORKERS\?$/]);
  t.match(told('SERVICE_KEYFILE'), [/Did you mean SERVICE_KEY_FILE\?$/]);
  t.same(told('SERVICE_NOTHING_LIKE_IT'), ['SERVICE_NOTHING_LIKE_IT is no setting of this version and has no effect.']);
  t.same(unknownSettings(settings, { SERVICE_COLLECTION_DIR: ' ', COLLECTIONS_DIR: 'x', PATH: '/bin' }), []);
  const known = Object.values<Setting<unknown, unknown>>(settings).flatMap(({ name, alias = name, value }) =>
    [name, alias, ...(value.secret ? [`${name}_FILE`, `${alias}_FILE`] : [])]);
  t.same(unknownSettings(settings, Object.fromEntries(known.map(name => [name, 'x']))), []);
  t.end();
});
