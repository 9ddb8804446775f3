import { join } from 'node:path';
import { pino, type Logger } from 'pino';
import type postgres from 'postgres';
import { createHash } from 'node:crypto';
import { decodeJwt, SignJWT } from 'jose';
import type { Test } from 'tap';
import { loadCollections } from '../../gateway/collections/load.ts';
import { readConfig, type Config } from '../../gateway/features/config.ts';
import { databaseOptions, openDatabase, type Database } from '../../gateway/start/database.ts';
import type { Route } from '../../gateway/http/route.ts';
import { migrate } from '../../gateway/start/migrate.ts';
import { openMigrations } from '../../gateway/start/project.ts';
import { applyFiles } from '../../gateway/start/provision.ts';
import { readMigrations, readSchema } from '../../gateway/start/schema-files.ts';
import { serve } from '../../gateway/start/serve.ts';
import { prepareFeatures, shareFeatures } from '../../gateway/start/share.ts';
import { createPasswords, type Passwords } from '../../gateway/identity/passwords.ts';
import type { Mailbox } from '../../gateway/mail/mailbox.ts';
import { mailboxThrough } from '../../gateway/mail/shared-mailbox.ts';
import { localBus } from '../../gateway/process/bus/bus.ts';
import { createDatabase, fromFiles, registerTemplate, type Template } from './database.ts';
import { current } from './current.ts';
import { watchedLog } from './leaks.ts';
import { requestsUrl, ROOT } from './server.ts';

export const schema = readSchema();
/** Changes with every file of it. */
const schemaHashes = [...schema.migrations, ...schema.sources].map(({ hash }) => hash).join('\n');

const STORE = join(ROOT, 'examples/store');
/** The example's functions and jobs, in processes of their own, for tests that use them. */
export const storeCode = { SERVICE_FUNCTIONS_DIR: join(STORE, 'functions'), SERVICE_JOBS_DIR: join(STORE, 'jobs') };
/** The settings that serve the example from its collection files, without its functions and jobs. */
export const storeFiles = {
  SERVICE_COLLECTIONS_DIR: join(STORE, 'collections'), SERVICE_FUNCTIONS_DIR: join(STORE, 'none'), SERVICE_JOBS_DIR: join(STORE, 'none'),
};

/** The settings that serve the example's tables as an existing database, without the files. */
export const storeTables = { SERVICE_SOURCE: 'tables' };

/** The example as a start makes it: tables from its collection files, then its migrations, then what needs those. */
function store(): Template {
  const files = loadCollections(storeFiles.SERVICE_COLLECTIONS_DIR, 'error');
  if (files === undefined || files.problems.length > 0) {
    throw new Error(`The example's collection files are wrong:\n${files?.problems.join('\n') ?? ''}`);
  }
  const own = readMigrations(join(STORE, 'migrations/committed'));
  return {
    content: () => [schemaHashes, ...own.map(({ hash }) => hash), JSON.stringify(files.project)].join('\n'),
    async build(sql, url) {
      const log = pino({ level: 'silent' });
      await migrate(sql, schema);
      await applyFiles(sql, files, openMigrations(sql, url, join(STORE, 'migrations'), log), log);
    },
  };
}

/** The other template on top of the service's schema. */
export function onServed(data: Template): Template {
  return {
    content: () => `${schemaHashes}\n${data.content()}`,
    async build(sql, url) {
      await migrate(sql, schema);
      await data.build(sql, url);
    },
  };
}

registerTemplate('served', onServed(fromFiles([])));
registerTemplate('served_store', store());
registerTemplate('served_chinook', onServed(fromFiles([join(ROOT, '../shared/data/chinook.sql')])));

export const JWT_SECRET = 'a secret for tests that is long enough 0123456789';
export const SERVICE_KEY = 'a-service-key-for-tests-0123456789abcdef';

export type Answer = { status: number; headers: Headers; text: string; body: any };
export type TestService = {
  address: string;
  database: Database;
  mailbox: Mailbox | undefined;
  /** The table that requests are routed by. */
  routes: readonly Route[];
  /** The owner's connection. */
  sql: postgres.Sql;
  url: string;
  /** One request below the base path, with the service key unless `as` says otherwise (null: no credential). */
  request: (path: string, options?: {
    method?: string; as?: string | null; headers?: Record<string, string>; body?: string;
  }) => Promise<Answer>;
  /** Sees to it that a token of `tokenFor` stands for an account; `request` does that by itself. */
  account: (token: string) => Promise<void> | undefined;
  /** The accounts that `account` created are gone. */
  forgetAccounts: () => void;
  close: () => Promise<void>;
};

export type ServiceOptions = {
  /** `served_store` is served from the example's collection files, unless `env` has `storeTables`. */
  template?: 'served' | 'served_store' | 'served_chinook';
  env?: Record<string, string>;
  /** Run by the owner before the service opens the database. */
  setup?: string;
  passwords?: Passwords;
};

/** Hashed by argon2id as ever, at next to no cost: tests sign in a thousand times. */
const QUICK = { memoryCost: 1024, timeCost: 2, parallelism: 1 };

/** The whole service in this process, on a database and a port of its own. Closed at the test's end. */
export async function createService(
  t: Pick<Test, 'teardown'>, { template = 'served_store', env = {}, setup, passwords }: ServiceOptions = {},
): Promise<TestService> {
  const { url, sql } = await createDatabase(t, { template });
  if (setup !== undefined) await sql.unsafe(setup).simple();
  const service = await openService(url, template === 'served_store' ? { ...storeFiles, ...env } : env, undefined, undefined, passwords);
  t.teardown(service.close);
  return { ...service, sql, url };
}

/** The service on a database that is there already, reached through a pooler when `requests` leads there; the caller closes it. */
export async function openService(
  url: string, env: Record<string, string> = {}, requests = requestsUrl(url), given?: Logger,
  passwords = createPasswords({ cost: QUICK }),
): Promise<Omit<TestService, 'sql' | 'url'>> {
  const config = configOf(url, env, requests);
  const { log, leaks } = given === undefined ? ownLog() : { log: given, leaks: [] };
  const database = await openDatabase(databaseOptions(config, requests, schema), log);
  const bus = localBus();
  const mailbox = config.smtpHost === undefined ? mailboxThrough(bus) : undefined;
  const { service, features } =
    await shared(database, config, bus, log).catch(async (error: unknown) => { await database.close(0); throw error; });
  const address = `http://127.0.0.1:${service.port}`;
  const base = `${address}${config.basePath}`;
  const { account, forgetAccounts } = config.auth === 'on'
    ? accountKeeper(base, database)
    : { account: () => undefined, forgetAccounts: () => undefined };
  const request = requester(base, account);
  return { address, database, mailbox, routes: service.routes, request, account, forgetAccounts, close };

  async function shared(...[database, config, bus, log]: Parameters<typeof prepareFeatures>) {
    await prepareFeatures(database, config, bus, log);
    const secrets = { jwtSecret: JWT_SECRET, serviceKey: SERVICE_KEY };
    const features = await shareFeatures(database, config, secrets, bus, log);
    return { features, service: await serve(database, { config, secrets, bus, passwords, log }) };
  }

  async function close(): Promise<void> {
    await features.stop();
    await service.close(5_000);
    await features.end();
    await database.close(5_000);
    // Not thrown: what else is to be closed would be left open.
    if (leaks.length > 0) current().fail(`logged, and should not be:\n${leaks.slice(0, 5).join('\n')}`);
  }
}

function ownLog(): ReturnType<typeof watchedLog> {
  const level = process.env['LOG_LEVEL'];
  return level === undefined ? watchedLog([JWT_SECRET, SERVICE_KEY]) : { log: pino({ level }), leaks: [] };
}

/** The effect of a start on the database, with SERVICE_PROVISION_ONLY as with any other: its report. */
export async function provisionOnly(url: string, env: Record<string, string>): Promise<{ level: 'warn' | 'info'; msg: string }[]> {
  const lines: string[] = [];
  const log = pino({ formatters: { level: level => ({ level }) } }, { write: (line: string) => { lines.push(line); } });
  const config = configOf(url, env, url);
  const database = await openDatabase(databaseOptions(config, url, schema), log);
  try {
    await prepareFeatures(database, config, localBus(), log);
  } finally {
    await database.close(5_000);
  }
  return lines.map(line => JSON.parse(line) as { level: 'warn' | 'info'; msg: string });
}

/** `COALESCE=always npm test -- test/read` brings every get of the tests together with others, `off` none. */
const forced = process.env['COALESCE'] === undefined ? undefined : { SERVICE_COALESCE: process.env['COALESCE'] };

function configOf(url: string, env: Record<string, string>, requests: string): Config {
  return readConfig({
    NODE_ENV: 'test', ...(requests !== url && { DATABASE_DIRECT_URL: url }), PORT: '0', JWT_SECRET, SERVICE_SERVICE_KEY: SERVICE_KEY,
    DB_POOL_MAX: '6', ...forced, ...env,
  });
}

/** How the addresses of such accounts end. */
export const MADE_BY_ASKING = '@test.local';

/** Creates the account that a token of `tokenFor` names, with its roles. */
function accountKeeper(base: string, { accounts }: Database): Pick<TestService, 'account' | 'forgetAccounts'> {
  const rolesOf = new Map<string, string>();
  let last: Promise<unknown> = Promise.resolve();

  return { account, forgetAccounts: () => { rolesOf.clear(); } };

  function account(credential: string): Promise<void> | undefined {
    if (credential.split('.').length !== 3) return undefined;
    const { uid, sid, purpose, roles = [], isAnonymous = false } = decodeJwt<{
      uid?: string; sid?: string; purpose?: unknown; roles?: string[]; isAnonymous?: boolean;
    }>(credential);
    if (uid === undefined || sid !== undefined || purpose !== undefined) return undefined; // who has signed in has an account
    const before = rolesOf.get(uid);
    rolesOf.set(uid, JSON.stringify(roles));
    if (before === JSON.stringify(roles)) return last.then(() => undefined);
    last = last.then(() => before === undefined ? make(uid, roles, isAnonymous) : change(uid, roles));
    return last.then(() => undefined);
  }

  /** Some uids and roles no account can have. */
  async function make(uid: string, roles: string[], isAnonymous: boolean): Promise<void> {
    const email = `${createHash('sha256').update(uid).digest('hex')}${MADE_BY_ASKING}`;
    await accounts(uid, sql => sql`
      insert into service.users (uid, email, roles, is_anonymous)
      values (${uid}, ${email}, array(select jsonb_array_elements_text(${sql.json(roles)})), ${isAnonymous})
      on conflict (uid) do update set roles = excluded.roles`).catch(() => undefined);
  }

  async function change(uid: string, roles: string[]): Promise<void> {
    const headers = { authorization: `Bearer ${SERVICE_KEY}`, 'content-type': 'application/json' };
    await fetch(`${base}/admin/users/${encodeURIComponent(uid)}`, { method: 'PUT', headers, body: JSON.stringify({ roles }) });
  }
}

/** Requests below a base path. */
export function requester(base: string, account: TestService['account'] = () => undefined): TestService['request'] {
  return async (path, { method = 'GET', as = SERVICE_KEY, headers = {}, body } = {}) => {
    if (as !== null) await account(as);
    const authorization = as === null ? {} : { authorization: `Bearer ${as}` };
    const response = await fetch(`${base}${path}`, {
      method, headers: { ...authorization, ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body }),
    });
    const text = await response.text();
    return {
      status: response.status, headers: response.headers, text,
      body: text !== '' && response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : undefined,
    };
  };
}

/** An access token as the service issues them. */
export function tokenFor(uid: string, roles: string[] = [], claims: Record<string, unknown> = {}): Promise<string> {
  return new SignJWT({ uid, roles, ...claims }).setProtectedHeader({ alg: 'HS256' }).setIssuedAt().setExpirationTime('1h')
    .sign(new TextEncoder().encode(JWT_SECRET));
}
