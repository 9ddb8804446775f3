// A database that other collection files were provisioned in: an older state of the project, or another project.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type Test } from 'tap';
import { createDatabase } from '../harness/database.ts';
import '../harness/service.ts'; // registers the templates
import { emptyFolder, runGateway, startGateway, addressOf } from './gateway.ts';

const id = { type: 'number', isId: 'increment' };
const notes = { properties: { id, text: { type: 'string' } } };
const withTitle = { properties: { ...notes.properties, title: { type: 'string' } } };
const NAMED = 'The database was provisioned from other collection files. With these:';

function folderWith(t: Test, files: Record<string, object>): string {
  const folder = join(emptyFolder(t), 'collections');
  mkdirSync(folder);
  for (const [slug, definition] of Object.entries(files)) {
    writeFileSync(join(folder, `${slug}.json`), JSON.stringify({ slug, ...definition }));
  }
  return folder;
}

async function provisioned(t: Test) {
  const { sql, url } = await createDatabase(t, { template: 'served' });
  const brought = (collections: string, env: Record<string, string> = {}) =>
    runGateway(t, { DATABASE_URL: url, SERVICE_COLLECTIONS_DIR: collections, SERVICE_PROVISION_ONLY: 'true', LOG_LEVEL: 'info', ...env });
  const first = await brought(folderWith(t, { notes }), { SERVICE_REQUIRE_SCHEMA_MATCH: 'true' });
  t.match([first.code, first.output.includes(NAMED)], [0, false], 'a new database came from no files');
  return { sql, url, brought };
}

test('additions are named, and other differences are a warning', async t => {
  const { brought } = await provisioned(t);
  const added = await brought(folderWith(t, { notes: withTitle }));
  t.match(added, { code: 0, output: /INFO: The database was provisioned from other collection files/ });
  t.match(added.output, /notes\.title: add-property\. The column title of public\.notes is made unless it is there\./);
  const again = await brought(folderWith(t, { notes: withTitle }));
  t.notMatch(again.output, NAMED);
  const another = await brought(folderWith(t, { tasks: { properties: { id } } }));
  t.match(another, { code: 0, output: /WARN: The database was provisioned from other collection files/ });
  t.match(another.output, /notes: remove-collection\. The table public\.notes stays, with its rows, and is no longer served\./);
});

test('a start without rights to change the database warns', async t => {
  const { url, brought } = await provisioned(t);
  const collections = folderWith(t, { notes: withTitle });
  const gateway = startGateway(t,
    { DATABASE_URL: url, SERVICE_COLLECTIONS_DIR: collections, SERVICE_MIGRATE_ON_BOOT: 'none', LOG_LEVEL: 'warn' });
  await addressOf(gateway);
  t.match(gateway.output(), /The database was provisioned from other collection files/);
  t.match(gateway.output(), /notes\.title: add-property/);
  await brought(collections);
});

for (const ensure of ['ensure', 'none']) {
  test(`SERVICE_REQUIRE_SCHEMA_MATCH with ${ensure}: no start, and nothing is changed`, async t => {
    const { sql, url, brought } = await provisioned(t);
    const collections = folderWith(t, { notes: withTitle });
    const state = async () => (await sql`select xmin::text, * from service.collections`).map(row => ({ ...row }));
    const before = await state();
    const env = {
      DATABASE_URL: url, SERVICE_COLLECTIONS_DIR: collections, SERVICE_REQUIRE_SCHEMA_MATCH: 'true', SERVICE_MIGRATE_ON_BOOT: ensure,
    };
    const { code, stderr } = await runGateway(t, env);
    t.equal(code, 1);
    t.match(stderr, /notes\.title: add-property.*\n.*SERVICE_PROVISION_ONLY=true brings these files/);
    t.same(await state(), before);
    t.same(await sql`select from information_schema.columns where table_name = 'notes' and column_name = 'title'`, []);
    t.match(await brought(collections, { SERVICE_REQUIRE_SCHEMA_MATCH: 'true' }), { code: 0 });
    const gateway = startGateway(t, env);
    t.match(await fetch(`${await addressOf(gateway)}/data/notes`,
      { headers: { authorization: 'Bearer a-service-key-for-tests-0123456789abcdef' } }), { status: 200 });
  });
}
