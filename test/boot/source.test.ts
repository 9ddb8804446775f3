import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'tap';
import { createDatabase } from '../harness/database.ts';
import { createService, openService, storeFiles } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { addressOf, emptyFolder, runGateway, startGateway } from './gateway.ts';

const CHOICE = 'SERVICE_SOURCE=tables serves the tables as they are, SERVICE_SOURCE=files nothing until there is a file.';

test('a folder that is named and holds no collection file stops the start', async t => {
  const { url, sql } = await createDatabase(t);
  const folder = t.testdir({ empty: {}, defaults: { '_defaults.json': '{}', 'notes.txt': '' } });
  for (const name of ['missing', 'empty', 'defaults']) {
    const { code, stderr } = await runGateway(t, { DATABASE_URL: url, SERVICE_COLLECTIONS_DIR: join(folder, name) });
    t.equal(code, 1);
    t.equal(stderr, `SERVICE_COLLECTIONS_DIR: there is no collection file in ${join(folder, name)}. ${CHOICE}\n`);
  }
  t.equal((await sql`select from pg_namespace where nspname = 'service'`).length, 0, 'nothing was done');
});

test('a database of collection files is not served from its tables because the files are gone', async t => {
  const { url, sql } = await createDatabase(t, { template: 'served_store' });
  const before = await sql`select slug, xmin::text from service.collections order by 1`;
  const folder = emptyFolder(t);
  const { code, stderr } = await runGateway(t, { DATABASE_URL: url }, folder);
  t.equal(code, 1);
  t.equal(stderr,
    'The database is that of collection files (bundles, categories, customers, daily_reports, order_items, orders, products, reviews, '
      + `shipments, tags), and there is none in ${join(folder, 'collections')}. ${CHOICE}\n`);
  t.same(await sql`select slug, xmin::text from service.collections order by 1`, before);
  await t.rejects(openService(url, { SERVICE_MIGRATE_ON_BOOT: 'none' }), { message: /^The database is that of collection files/ });
});

test('SERVICE_SOURCE=tables serves the tables despite collection files, and keeps serving them', async t => {
  const { url } = await createDatabase(t, { template: 'served_store' });
  for (const env of [{ ...storeFiles, SERVICE_SOURCE: 'tables' }, {}]) {
    const service = await openService(url, env);
    t.equal((await service.request('/data/product_tags')).status, 404);
    t.match((await service.request('/data/products?limit=1')).body.data, [{ categoryId: Number }]);
    await service.close();
  }
});

test('SERVICE_SOURCE=files with an empty folder serves nothing', async t => {
  for (const template of ['served', 'served_store'] as const) {
    const { request } = await createService(t, { template, env: { SERVICE_COLLECTIONS_DIR: t.testdir(), SERVICE_SOURCE: 'files' } });
    for (const path of ['/data/products', '/data/collections']) {
      t.match(await request(path), { status: 404, body: { error: { code: 'NO_COLLECTIONS' } } });
    }
  }
});

test('a port that is taken is named, and the first request goes to the one that serves', async t => {
  const { url } = await createDatabase(t, { template: 'served_store' });
  const other = createServer().on('error', () => undefined).listen(3001); // unless something else has it
  t.teardown(() => other.close());
  const gateway = startGateway(t, { DATABASE_URL: url, ...storeFiles, PORT: '' });
  const { port } = new URL(await addressOf(gateway));
  await until('it has said all', () => Promise.resolve(gateway.output().includes('curl')));
  t.match(gateway.output(), new RegExp(`http://localhost:${port}/api\\n +port 3001 is taken by another program\\n`));
  t.match(gateway.output(), new RegExp(`curl [^]*http://localhost:${port}/api/data/`));
  t.not(port, '3001');
});
