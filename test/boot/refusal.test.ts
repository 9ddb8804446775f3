import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test, type Test } from 'tap';
import { freePort } from '../../gateway/process/free-port.ts';
import { createDatabase } from '../harness/database.ts';
import { runGateway, type End } from './gateway.ts';

/** One line on standard error that says what is wrong, exit code 1, no secret in any of it. */
function refused(t: Pick<Test, 'equal' | 'match' | 'notMatch'>, { code, stderr, output }: End, says: RegExp): void {
  t.equal(code, 1, output);
  t.match(stderr, says);
  t.equal(stderr.trimEnd().split('\n').length, 1, stderr);
  t.notMatch(output, /the-password/);
}

const isEmpty = async ({ sql }: Awaited<ReturnType<typeof createDatabase>>): Promise<boolean> =>
  (await sql`select from pg_namespace where nspname = 'service'`).length === 0;

test('a DATABASE_URL that leads nowhere', async t => {
  const { url } = await createDatabase(t);
  const changed = (change: (url: URL) => void): string => {
    const other = new URL(url);
    change(other);
    return other.href;
  };
  const closedPort = String(await freePort());
  for (const [given, says] of [
    ['mysql://owner:the-password@host/database', /^DATABASE_URL must be a URL that starts with postgres:\/\//],
    ['postgres://owner:the-password@host:port/database', /^DATABASE_URL .*not a valid URL/],
    ['postgres://owner:the-pass%word@host/database', /^DATABASE_URL .*not a valid URL/],
    [changed(other => { other.hostname = 'nowhere.invalid'; }), /^The database of DATABASE_URL cannot be reached: .*nowhere\.invalid/],
    [changed(other => { other.port = closedPort; }), /^The database of DATABASE_URL cannot be reached: .*ECONNREFUSED/],
    [
      changed(other => { other.password = 'the-password'; }),
      /^The database refused the login of DATABASE_URL: password authentication failed for user/,
    ],
    [changed(other => { other.username = 'nobody_of_this_name'; }), /^The database refused the login of DATABASE_URL: /],
    [changed(other => { other.pathname = '/rowgate_test_missing'; }), /^The database of DATABASE_URL does not exist: /],
  ] as const) {
    refused(t, await runGateway(t, { DATABASE_URL: given }), says);
  }
});

test('something that does not speak PostgreSQL', async t => {
  const server = createServer(socket => socket.on('error', () => socket.destroy()).end('HTTP/1.1 400 Bad Request\r\n\r\n'));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.teardown(() => server.close());
  const { port } = server.address() as { port: number };
  refused(t, await runGateway(t, { DATABASE_URL: `postgres://owner:the-password@127.0.0.1:${port}/x`, DB_POOL_CONNECT_TIMEOUT: '1000' }),
    /^The database of DATABASE_URL cannot be reached/);
});

test('a server that accepts and never answers', async t => {
  const server = createServer(socket => socket.on('error', () => undefined));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.teardown(() => server.close());
  const { port } = server.address() as { port: number };
  refused(t, await runGateway(t, { DATABASE_URL: `postgres://owner:the-password@127.0.0.1:${port}/x`, DB_POOL_CONNECT_TIMEOUT: '1000' }),
    /^The database of DATABASE_URL cannot be reached: .*(CONNECT_TIMEOUT|in 2000 ms)/);
});

test('a port that was named and is taken', async t => {
  const { url } = await createDatabase(t, { template: 'served' });
  const other = createServer();
  await once(other.listen(0), 'listening');
  t.teardown(() => other.close());
  const { port } = other.address() as { port: number };
  refused(t, await runGateway(t, { DATABASE_URL: url, PORT: String(port) }), new RegExp(`^PORT ${port} cannot be opened`));
});

test('a pool that is too small', async t => {
  const database = await createDatabase(t);
  refused(t, await runGateway(t, { DATABASE_URL: database.url, DB_POOL_MAX: '4' }), /^DB_POOL_MAX must be 5 or more/);
  t.ok(await isEmpty(database));
});

test('variables that cannot be read: one line each', async t => {
  const database = await createDatabase(t);
  const { code, stderr } = await runGateway(t, {
    DATABASE_URL: database.url, PORT: 'x', DB_POOL_MAX: '-1', SERVICE_UNPROTECTED_TABLES: 'maybe', SERVICE_MIGRATE_ON_BOOT: 'never',
    JWT_SECRET: 'short', LOG_LEVEL: 'loud',
  });
  t.equal(code, 1);
  t.same(stderr.trimEnd().split('\n').map(line => line.split(' ')[0]).sort(),
    ['DB_POOL_MAX', 'JWT_SECRET', 'LOG_LEVEL', 'PORT', 'SERVICE_MIGRATE_ON_BOOT', 'SERVICE_UNPROTECTED_TABLES']);
  t.ok(await isEmpty(database));
});

test('a read or write login that is not restricted', async t => {
  const { url } = await createDatabase(t, { template: 'served' });
  refused(t, await runGateway(t, { DATABASE_URL: url, DATABASE_READER_URL: url }),
    /^The reader's connection runs as .*, not as service_user, read-only/);
  refused(t, await runGateway(t, { DATABASE_URL: url, DATABASE_WRITER_URL: url }),
    /^The writer's connection runs as .*, not as service_user/);
});

test('keys and secrets that cannot be used', async t => {
  const { url } = await createDatabase(t);
  refused(t, await runGateway(t, { DATABASE_URL: url, JWT_PRIVATE_KEY: 'the-password' }),
    /^JWT_PRIVATE_KEY: the signing key "default" is not a readable private key/);
  const unset = { DATABASE_URL: url, JWT_SECRET: '', SERVICE_SERVICE_KEY: '' };
  const file = join(t.testdir({ 'file': 'no secrets' }), 'file');
  refused(t, await runGateway(t, { ...unset, SERVICE_DEV_SECRETS_FILE: file }), /^The development secrets in .*file cannot be read\./);
  refused(t, await runGateway(t, { ...unset, SERVICE_DEV_SECRETS_FILE: join(file, 'secrets.json') }),
    /^The development secrets cannot be kept in .*secrets\.json .*ENOTDIR/);
});
