import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { createDatabase } from '../harness/database.ts';
import { lendService } from '../harness/lend.ts';
import { openService, SERVICE_KEY, storeTables } from '../harness/service.ts';
import { welcomeRoutes } from '../../gateway/features/meta/welcome/routes.ts';
import type { Call } from '../../gateway/http/route.ts';
import { catalogOf, collectionOf } from './catalog.ts';

const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
const HOSTILE = `<script>alert(1)</script>"'&\u202e`;
const decoded = (text: string) =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&');
const blocks = (page: string) => [...page.matchAll(/<pre>(.*?)<\/pre>/gs)].map(([, text = '']) => decoded(text));

test('a browser gets a page whose requests work as they stand, in a shell and in psql', async t => {
  const { address, sql, request } = await lendService(t);
  const response = await fetch(address, { headers: BROWSER });
  t.equal(response.status, 200);
  t.equal(response.headers.get('content-type'), 'text/html; charset=utf-8');
  const page = await response.text();
  t.notMatch(page, SERVICE_KEY, 'the key is not in it');
  t.match(page, /<code>order_items<\/code>/);
  const shell = blocks(page).filter(text => text.startsWith('curl '));
  const statements = blocks(page).filter(text => text.startsWith('select '));
  t.equal(shell.length, 3);
  t.equal(statements.length, 3);
  for (const [i, command] of shell.entries()) {
    const { stdout } = spawnSync('sh', ['-c', `curl() { printf '%s\\n' "$3"; }\n${command}`],
      { encoding: 'utf8', env: { ...process.env, KEY: SERVICE_KEY } });
    const path = stdout.trim().slice(`${address}/api`.length);
    const { status, body } = await request(path);
    t.equal(status, 200, command);
    const [row] = await sql.unsafe<Record<string, unknown>[]>(statements[i] ?? '');
    t.same(Object.values(row ?? {})[0], body, command);
  }
});

test('everybody else gets JSON, and caches can tell', async t => {
  const { address } = await lendService(t);
  for (const accept of ['*/*', 'application/json']) {
    const response = await fetch(address, { headers: { accept } });
    t.match(response.headers.get('vary'), /Accept(?!-)/);
    t.match(await response.json(), {
      service: 'rowgate', data: '/api/data', docs: '/api/docs', explorer: '/api/swagger', health: '/health',
      collections: ['bundles', 'categories'],
    });
  }
});

test('names are text of any content, and nothing could run', async t => {
  const { url, sql } = await createDatabase(t, { template: 'served' });
  await sql`create table ${sql(HOSTILE)} (id integer primary key, ${sql(HOSTILE)} text)`;
  await sql`alter table ${sql(HOSTILE)} enable row level security`;
  await sql`create policy everybody on ${sql(HOSTILE)} using (true)`;
  await sql.unsafe(`comment on table "${HOSTILE.replaceAll('"', '""')}" is '<img src=x onerror=alert(2)>'`);
  const service = await openService(url, storeTables);
  t.teardown(service.close);
  const response = await fetch(service.address, { headers: BROWSER });
  const page = await response.text();
  t.notMatch(page, /<script|<img|\u202e/);
  t.match(page, /&lt;script&gt;alert\(1\)&lt;\/script&gt;/);
  t.match(page, /&lt;img src=x/);
  const policy = response.headers.get('content-security-policy') ?? '';
  t.match(policy, /^default-src 'none'; style-src 'sha256-[\w+/=]+'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/);
  const [, style = ''] = /<style>(.*?)<\/style>/s.exec(page) ?? [];
  t.match(policy, `'sha256-${Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(style))).toString('base64')}'`);
  for (const command of blocks(page).filter(text => text.startsWith('curl '))) {
    const { stdout } = spawnSync('sh', ['-c', `curl() { printf '%s\\n' "$#"; }\n${command}`], { encoding: 'utf8' });
    t.equal(stdout, '3\n', command);
  }
});

test('without collections the page says how to begin', async t => {
  const { address, sql, request, database } = await lendService(t, { template: 'served' });
  const page = await (await fetch(address, { headers: BROWSER })).text();
  await sql.unsafe(blocks(page)[0] ?? '').simple();
  await database.catalog.refresh();
  t.equal((await request('/data/notes', { method: 'POST', body: '{"text": "x"}' })).status, 201);
});

test('the manual can be read there, and nothing beside it', async t => {
  const { address } = await lendService(t);
  const page = await (await fetch(address, { headers: BROWSER })).text();
  t.match(page, /<a href="\/docs\/row-security\.md">Row security: who a request is, and what your policies see<\/a>/);
  const response = await fetch(`${address}/docs/row-security.md`);
  t.equal(response.headers.get('content-type'), 'text/plain; charset=utf-8');
  t.match(await response.text(), /^# Row security/);
  for (const name of ['nothing.md', '..%2Fpackage.json', '%2e%2e%2fREADME.md', 'constructor']) {
    t.equal((await fetch(`${address}/docs/${name}`)).status, 404, name);
  }
});

test('in production there is nothing', async t => {
  const { url } = await createDatabase(t, { template: 'served_store' });
  const service = await openService(url,
    { ...storeTables, NODE_ENV: 'production', DATABASE_URL: url, CORS_ORIGINS: 'https://app.example.com' });
  t.teardown(service.close);
  for (const path of ['/', '/docs/reading.md']) {
    const response = await fetch(service.address + path, { headers: BROWSER });
    t.match([response.status, await response.json()], [404, { error: { code: 'NOT_FOUND' } }], path);
  }
});

test('the line that reads the key reads it, wherever it is kept; the address is only taken from a plain Host', async t => {
  const folder = t.testdir();
  const devSecretsFile = join(folder, `it's "here".json`);
  writeFileSync(devSecretsFile, JSON.stringify({ serviceKey: 'dev-x' }));
  const config = {
    basePath: '/api', host: undefined, port: 3001, serviceKey: undefined, devSecretsFile, swagger: true, databaseUrl: undefined,
  };
  const [route] = welcomeRoutes({ catalog: () => catalogOf(collectionOf('things')), url: 'postgres://x/example', config });
  const pageAt = async (host: string) =>
    (await route?.handle({ header: (name: string) => ({ host, accept: 'text/html' })[name] ?? '' } as Call))?.body as string;
  const [line = ''] = blocks(await pageAt('localhost:3001'));
  t.equal(spawnSync('sh', ['-c', `${line}; echo "$KEY"`], { encoding: 'utf8' }).stdout, 'dev-x\n', line);
  for (const host of ['10.0.0.7:80', 'box.local', '[::1]:3001']) t.match(await pageAt(host), `'http://${host}/api`, host);
  for (const host of ["x';touch pwned;'", 'a b', '<b>', '']) t.match(await pageAt(host), '<code>http://localhost:3001/api</code>', host);
});
