// Edits of several gateways at once, and gateways that are killed in the middle: files, git and database agree afterwards.
import { setTimeout } from 'node:timers/promises';
import { test, type Test } from 'tap';
import { addressOf, runGateway, startGateway } from '../boot/gateway.ts';
import { createDatabase } from '../harness/database.ts';
import { runs } from '../harness/effort.ts';
import { tokenFor } from '../harness/service.ts';
import { id, posts, projectFolder, withProperty, type Folder } from './project.ts';

const environment = (url: string, folder: Folder) =>
  ({ DATABASE_URL: url, SERVICE_COLLECTIONS_DIR: folder.collections, SERVICE_SOURCE: 'files' });

async function opened(t: Test, folder = projectFolder(t)) {
  const { sql, url } = await createDatabase(t, { template: 'served' });
  const root = await tokenFor('root', ['admin']);
  await sql`insert into service.users (uid, email, roles) values ('root', 'root@test.local', '{admin}'), ('ada', 'ada@test.local', '{}')`;
  const env = environment(url, folder);
  const apply = async (address: string, collectionId: string, collection: object): Promise<{ status: number; body: any }> => {
    const headers = { 'authorization': `Bearer ${root}`, 'content-type': 'application/json' };
    const response = await fetch(`${address}/admin/schema/apply`,
      { method: 'POST', headers, body: JSON.stringify({ collectionId, collection }) });
    return { status: response.status, body: await response.json() };
  };
  return { sql, folder, env, apply };
}

/** The files, the commit, the definitions and the tables agree. */
async function agreed(t: Test, { sql, folder }: Pick<Awaited<ReturnType<typeof opened>>, 'sql' | 'folder'>): Promise<string[]> {
  t.equal(folder.git('status', '--porcelain'), '', 'git');
  const files = folder.git('ls-files', 'collections').split('\n').map(path => path.replace('collections/', ''));
  const declared = files.flatMap(name => {
    const { slug, properties } = JSON.parse(folder.read(name)) as typeof posts;
    return Object.keys(properties).map(property => `${slug}.${property}`);
  }).sort();
  const defined = (await sql<{ name: string }[]>`select collection || '.' || name as name from service.properties order by 1`)
    .map(({ name }) => name).sort();
  const made = (await sql<{ name: string }[]>`select table_name || '.' || column_name as name
    from information_schema.columns where table_schema = 'public'`).map(({ name }) => name).sort();
  t.same(defined, declared, 'the catalog');
  t.same(made, declared, 'the tables');
  return declared;
}

test('two gateways apply different changes at once', async t => {
  const { sql, folder, env, apply } = await opened(t);
  const addresses = [
    await addressOf(startGateway(t, env)), await addressOf(startGateway(t, { ...env, SERVICE_WORKERS: '2', DB_POOL_MAX: '11' })),
  ];
  const outcomes = await Promise.all([0, 1, 2, 3, 4, 5].map(n =>
    apply(addresses[n % 2] ?? '', `notes${n}`, { properties: { id, text: { type: 'string' } } })));
  t.same(outcomes.map(({ status, body }) => [status, body.applied]), outcomes.map(() => [200, true]));
  t.equal(folder.git('rev-list', '--count', 'HEAD'), '7');
  t.equal((await agreed(t, { sql, folder })).filter(name => name.startsWith('notes')).length, 12);
  const both =
    await Promise.all(['subtitle', 'summary'].map((name, n) => apply(addresses[n] ?? '', 'posts', withProperty(name, { type: 'string' }))));
  t.same(both.map(({ status }) => status).sort(), [200, 400],
    'a proposal is the whole collection: the second would take away what the first brought');
  t.match(both.find(({ status }) => status === 400)?.body, { error: { code: 'SCHEMA_CHANGE_UNAPPLICABLE' } });
  await agreed(t, { sql, folder });
});

test('a gateway is killed in the middle of edits', async t => {
  const { sql, folder, env, apply } = await opened(t);
  const wanted = new Set<string>();
  for (let round = 0; round < runs(20); round++) {
    const gateway = startGateway(t, env);
    const address = await addressOf(gateway);
    const edits = [0, 1, 2].map(n => apply(address, `notes${round}_${n}`, { properties: { id } }).then(
      ({ status }) => { if (status === 200) wanted.add(`notes${round}_${n}.id`); }, () => undefined));
    await setTimeout(50 + Math.random() * 500);
    gateway.process.kill('SIGKILL');
    await Promise.all([gateway.ended, ...edits]);
    t.match(await runGateway(t, { ...env, SERVICE_PROVISION_ONLY: 'true' }), { code: 0 });
    const found = await agreed(t, { sql, folder });
    t.same([...wanted].filter(name => !found.includes(name)), [], 'what was answered is there');
  }
});

test('requests in progress are answered while both kinds of gateway apply a change', async t => {
  const { folder, env, apply } = await opened(t);
  const addresses = [
    await addressOf(startGateway(t, env)), await addressOf(startGateway(t, { ...env, SERVICE_WORKERS: '2', DB_POOL_MAX: '11' })),
  ];
  const headers = { 'authorization': `Bearer ${await tokenFor('ada')}`, 'content-type': 'application/json' };
  const statuses: string[] = [];
  let isOver = false;
  const callers = addresses.flatMap(address => [0, 1].map(async n => {
    while (!isOver) {
      const response = await (n === 0 ? fetch(`${address}/data/posts?limit=3`, { headers })
        : fetch(`${address}/data/posts`, { method: 'POST', headers, body: '{"title":"a"}' }));
      statuses.push(response.ok ? 'ok' : `${response.status} ${await response.text()}`);
      await response.body?.cancel().catch(() => undefined);
    }
  }));
  let collection = posts;
  for (const name of ['one', 'two', 'three', 'four']) {
    collection = { ...collection, properties: { ...collection.properties, [name]: { type: 'string' } } };
    t.match(await apply(addresses[0] ?? '', 'posts', collection), { status: 200, body: { applied: true } });
  }
  isOver = true;
  await Promise.all(callers);
  t.ok(statuses.length > 20);
  t.same(statuses.filter(status => status !== 'ok'), []);
  t.equal(folder.git('rev-list', '--count', 'HEAD'), '5');
});
