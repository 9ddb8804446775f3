// Every block of shell and SQL in the documents is run, in order, and must answer what stands below it. Blocks that
// are only shown (starting the service, fragments) are ```console or have no language; ```jsonc is a collection file,
// which collections.test.ts boots with.
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { test } from 'tap';
import { issuerSettings } from '../../gateway/features/accounts/providers/settings.ts';
import { settings } from '../../gateway/features/settings.ts';
import { ROOT } from '../harness/server.ts';
import { anchorsOf, blocksOf, filesIn, isExample, isFile, linksOf } from './markdown.ts';
import { storeCode, storeTables } from '../harness/service.ts';
import { createReader, type Setting } from './reader.ts';

const documents = ['README.md', ...globSync('{docs,examples}/**/*.md', { cwd: ROOT }).sort()];
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** Documents whose reader does not have the example store, served from its files, with an owner's connection. */
const readersSettings: Record<string, Setting> = {
  'docs/accounts.md': { env: { ALLOW_REGISTRATION: 'true' } },
  'docs/sign-in-with.md': { env: { GITHUB_CLIENT_ID: 'the-client', GITHUB_CLIENT_SECRET: 'the secret of the client' } },
  'docs/mcp.md': { env: { SERVICE_MCP_ENABLED: 'true', SERVICE_PUBLIC_URL: 'http://localhost:3001' } },
  'docs/images.md': { env: { STORAGE_PATH: join(ROOT, '.tap/files') } },
  'docs/resumable-uploads.md': { env: { STORAGE_PATH: join(ROOT, '.tap/files') } },
  'docs/your-database.md': { env: storeTables },
  'docs/realtime.md': {
    env: { SERVICE_CONFIG_FILE: join(ROOT, 'test/docs/realtime.json') },
    setup: `
      create schema if not exists app;
      grant usage on schema app to service_user;
      create function app.may_use_channel(request jsonb) returns boolean language sql as 'select true'`,
  },
  'docs/file-access.md': {
    env: { SERVICE_CONFIG_FILE: join(ROOT, 'test/docs/storage.json') },
    setup: `
      create schema if not exists app;
      grant usage on schema app to service_user;
      create function app.is_own_home(request jsonb) returns boolean
      language sql stable as $$ select request #>> '{params,uid}' = (select service.uid()) $$`,
  },
  'docs/jobs.md': {
    env: { SERVICE_CONFIG_FILE: join(ROOT, 'test/docs/jobs.json'), SERVICE_JOBS_DIR: filesOf('docs/jobs.md', 'jobs') },
    setup: `
      create schema if not exists app;
      create function app.send_invoice(job jsonb) returns jsonb language sql as 'select job';
      grant usage on schema app to service_user`,
  },
  'docs/webhooks.md': { env: { SERVICE_CONFIG_FILE: join(ROOT, 'test/docs/webhooks.json'), ORDERS_SECRET: 'a secret' } },
  'docs/schedules.md': {
    env: { SERVICE_CONFIG_FILE: join(ROOT, 'test/docs/schedules.json'), SERVICE_CRONS_DIR: filesOf('docs/schedules.md', 'crons') },
    setup: `
      create schema if not exists app;
      grant usage on schema app to service_user;
      create function app.order_report(job jsonb) returns jsonb language sql as 'select job'`,
  },
  'docs/functions.md': {
    env: { SERVICE_FUNCTIONS_DIR: filesOf('docs/functions.md', 'functions'), STORAGE_PATH: join(ROOT, '.tap/files') },
  },
  'docs/operations.md': { env: { SERVICE_METRICS: 'true', SERVICE_METRICS_TOKEN: 'scrape-me' } },
  'examples/store/README.md': { env: { SERVICE_CONFIG_FILE: join(ROOT, 'examples/store/rowgate.json'), ...storeCode } },
  'docs/storage.md': { env: { STORAGE_PATH: join(ROOT, '.tap/storage') } },
  'docs/row-security.md': {
    template: 'served',
    alternatives: true,
    setup: `
      create table products (id integer primary key);
      create table notes (id integer primary key, owner_uid text, owner_id uuid, org_id text);
      create table orders (id integer primary key, status text);
      create table order_items (id integer primary key, order_id integer);
      grant select on orders to service_user`,
  },
};

/** Writes the files of a document, which its blocks name as `ts folder/name`. Returns the folder. */
function filesOf(path: string, folder: string): string {
  const target = join(ROOT, '.tap/documented', folder);
  mkdirSync(target, { recursive: true });
  for (const { name, text } of filesIn(blocksOf(read(path)), folder)) writeFileSync(join(target, name), text);
  return target;
}

/** Its examples are tried one by one, each undone: sql.test.ts. */
const APART = 'docs/sql.md';

for (const path of documents) {
  const blocks = blocksOf(read(path));

  if (path !== APART && blocks.some(isExample)) test(`${path}: every example answers as it says`, async t => {
    const reader = await createReader(t, readersSettings[path] ?? {});
    for (const block of blocks.filter(isExample)) await reader.try(block);
  });

  test(`${path}: no block is left out by mistake`, t => {
    for (const block of blocks) {
      const { language, text, line } = block;
      const isShown = ['sh', 'sql', 'console', 'jsonc', ''].includes(language) || isFile(block);
      t.ok(isShown, `line ${line}: ${language} follows an example or is not written`);
      t.notOk(language === 'console' && /\b(curl|select)\b/.test(text), `line ${line}: what can be run is run`);
    }
    t.end();
  });

  test(`${path}: every variable that a command sets exists`, t => {
    const commands = blocks.filter(({ language }) => language === 'console').map(({ text }) => text).join('\n');
    const set = [...commands.matchAll(/\b([A-Z][A-Z_]+)=/g)].map(([, name = '']) => name);
    const issuers = issuerSettings(Object.fromEntries(set.map(name => [name, 'any'])));
    const known = [...Object.values(settings).map(({ name }) => name), ...Object.keys(issuers)];
    t.same(set.filter(name => !known.includes(name)), []);
    t.end();
  });

  test(`${path}: every link leads somewhere`, t => {
    for (const link of linksOf(read(path))) {
      const [file = '', anchor] = link.split('#');
      const target = file === '' ? path : relative(ROOT, join(ROOT, dirname(path), file));
      if (!existsSync(join(ROOT, target))) t.fail(`${link}: there is no such file`);
      else t.ok(anchor === undefined || anchorsOf(read(target)).includes(anchor), link);
    }
    t.end();
  });
}
