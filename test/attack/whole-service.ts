// A service with everything on that this version has, credentials of every kind of caller, and requests as raw as they are.
import { request as httpRequest } from 'node:http';
import { pino } from 'pino';
import { SignJWT } from 'jose';
import type { Test } from 'tap';
import { projectFolder } from '../editing/project.ts';
import { createDatabase } from '../harness/database.ts';
import { createIdTokens } from '../../gateway/identity/id-tokens.ts';
import { ecKey } from '../identity/token-samples.ts';
import { JWT_SECRET, openService, SERVICE_KEY, tokenFor, type Answer, type TestService } from '../harness/service.ts';
import type { OddRequest } from './odd-requests.ts';

export const BASE = '/api';

const id = { type: 'number', isId: 'increment' };
const COLLECTIONS = [
  {
    slug: 'posts', history: true, softDelete: true, securityRules: [{ access: 'public' }], search: { fields: ['title'] },
    properties: {
      id, title: { type: 'string', validation: { max: 80 } }, state: { type: 'string', enum: ['draft', 'live'] },
      at: { type: 'date' }, deletedAt: { type: 'date' }, price: { type: 'number', columnType: 'numeric', precision: 6, scale: 2 },
      attributes: { type: 'map' }, cover: { type: 'string', storage: { storagePath: 'covers', cleanup: true } },
      tags: { type: 'relation', relation: { kind: 'manyToMany', target: 'tags' } },
    },
  },
  {
    slug: 'tags', securityRules: [{ operation: 'select', access: 'public' }],
    properties: { id, name: { type: 'string' } },
  },
];
const ISSUER = 'https://api.example.com';
const SIGNING = ecKey('default').signing;
const idTokens = createIdTokens(SIGNING, ISSUER);
const SETTINGS = {
  ALLOW_REGISTRATION: 'true', ALLOW_ANONYMOUS: 'true', AUTH_REQUIRE: 'false', AUTH_ALLOW_USER_LOOKUP: 'true', AUTH_COOKIE: 'true',
  TRUSTED_PROXY_HOPS: '1', SERVICE_SCHEMA_EDITOR: 'true', SERVICE_LIVE_SCHEMA_ALLOW_MACHINE_APPLY: 'true', SERVICE_RLS_AUDIT: 'true',
  SERVICE_METRICS: 'true', SERVICE_METRICS_TOKEN: 'scrape-me', SERVICE_ENABLE_SWAGGER: 'true',
  SERVICE_MCP_ENABLED: 'true', SERVICE_PUBLIC_URL: ISSUER, JWT_PRIVATE_KEY: SIGNING.privateKeyPem,
  STORAGE_PUBLIC_READ: 'true', STORAGE_ALLOW_ANY_AUTHENTICATED: 'true',
  SERVICE_MAX_BODY_SIZE: '400000', SERVICE_HOST: '127.0.0.1',
};
export const MODES = {
  development: {},
  production: {
    NODE_ENV: 'production', CORS_ORIGINS: 'https://app.example.com', MFA_ENCRYPTION_KEY: 'a key for tests that is long enough 0123456789',
  },
};

/** `failures`: the lines that the log calls errors. */
export type Whole = Omit<TestService, 'sql' | 'url'> & { failures: string[] };

export async function serveWhole(t: Test, mode: keyof typeof MODES = 'development'): Promise<Whole> {
  const { url, sql } = await createDatabase(t, { template: 'served' });
  const folder = projectFolder(t);
  for (const collection of COLLECTIONS) folder.write(`${collection.slug}.json`, collection);
  folder.git('add', '--all');
  folder.git('commit', '--quiet', '-m', 'More');
  const failures: string[] = [];
  const log = pino({ level: 'error' }, { write: (line: string) => { failures.push(line); } });
  const env = { DATABASE_URL: url, SERVICE_COLLECTIONS_DIR: folder.collections, STORAGE_PATH: t.testdir(), ...SETTINGS, ...MODES[mode] };
  const service = await openService(url, env, url, log);
  t.teardown(service.close);
  await sql`insert into posts (title) values ('a'), ('b')`;
  await sql`insert into tags (name) values ('x'), ('y')`;
  return { ...service, failures };
}

function signed(claims: Record<string, unknown>): Promise<string> {
  const token = new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).setIssuedAt().setExpirationTime('1h');
  return token.sign(new TextEncoder().encode(JWT_SECRET));
}

/** Tokens that the service signs and that are no access tokens, and some that it never signed. For the account `u1`. */
export async function halfCredentials(): Promise<Record<string, string>> {
  return {
    'a sign-in that waits': await signed({ purpose: 'mfa-pending', uid: 'u1', tokensValidAfter: null }),
    'a download token': await signed({ purpose: 'file-read', path: 'default/a.txt', storageId: '(default)' }),
    'a client\'s access token': await signed({
      purpose: 'mcp', uid: 'u1', sub: 'u1', client_id: 'mcp_x', scope: 'data:read', iss: ISSUER, aud: `${ISSUER}/mcp`,
    }),
    'an ID token': await idTokens.sign({ uid: 'u1', clientId: 'mcp_x', authTime: null }, ''),
    'an unknown purpose': await signed({ purpose: 'odd', uid: 'u1' }),
    'no signature': `${(await tokenFor('u1')).split('.').slice(0, 2).join('.')}.`,
    'an unknown key': `rk_live_${'a'.repeat(43)}`,
  };
}

/** `credentials`: values of Authorization, '' for none, most of them of some kind of caller. `known`: ids of what there is. */
export async function callers({ account, request }: Whole): Promise<{ credentials: string[]; known: string[] }> {
  const admin = await tokenFor('root', ['admin']);
  const person = await tokenFor('u1', ['reader']);
  const guest = await tokenFor('u2', [], { isAnonymous: true });
  const victim = await tokenFor('u3');
  for (const token of [admin, person, guest, victim]) await account(token);
  const scopes = ['data:read', 'data:write', 'storage:read', 'users:read'];
  const { key } = made(await request('/admin/api-keys', { method: 'POST', as: admin, body: JSON.stringify({ name: 'k', scopes }) }));
  const upload = await request('/storage/tus', { method: 'POST', headers: { 'upload-length': '5', 'upload-metadata': 'key YS50eHQ=' } });
  const good = [SERVICE_KEY, admin, admin, person, guest, key.key as string];
  const half = Object.values(await halfCredentials());
  const malformed = ['Bearer', 'Bearer  ', 'Basic YTpi', `bearer ${person}`, 'Bearer \u00ff', `Bearer ${'a.'.repeat(3_000)}`];
  return {
    credentials: ['', '', '', ...[...good, ...good, ...good, ...half].map(token => `Bearer ${token}`), ...malformed],
    known: [key.id as string, upload.headers.get('location')?.split('/').at(-1) ?? '', 'u3'],
  };
}

function made({ status, text, body }: Answer): any {
  if (status !== 201) throw new Error(`${status}: ${text}`);
  return body;
}

export type RawAnswer = { status: number; headers: NodeJS.Dict<string | string[]>; text: string };

/** Sends what fetch would mend. */
export function send(address: string, { method, path, headers, body }: OddRequest): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': String(body.length) };
    const call = httpRequest(address, { method, path, headers: { ...headers, ...length }, agent: false, timeout: 30_000 }, response => {
      const chunks: Buffer[] = [];
      const isEndless = response.headers['content-type'] === 'text/event-stream' && method !== 'HEAD';
      response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject).on(isEndless ? 'data' : 'end', () => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text: Buffer.concat(chunks).toString() });
        if (isEndless) call.destroy();
      });
    });
    call.on('timeout', () => call.destroy(new Error('no answer in 30 s'))).on('error', reject).end(body);
  });
}
