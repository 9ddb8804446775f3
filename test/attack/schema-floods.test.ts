// Plans cost the database work. However many are asked for, they take turns on one connection, end in time, and leave the rest to others.
import { test } from 'tap';
import { pino } from 'pino';
import type postgres from 'postgres';
import { openSchemaDoor } from '../../gateway/start/schema-door.ts';
import { ownedDatabase } from '../boot/owned-database.ts';
import { until } from '../harness/until.ts';
import { projectFolder, posts, serveFolder, withProperty } from '../editing/project.ts';
import { createDatabase } from '../harness/database.ts';
import { openService, SERVICE_KEY, tokenFor } from '../harness/service.ts';
import { connect } from '../harness/socket.ts';

const change = { collectionId: 'posts', collection: withProperty('subtitle', { type: 'string' }) };
const sleeping = { properties: { id: { type: 'string', isId: 'pg_sleep(600)::text' } } };

function connectionsOf(sql: postgres.Sql): () => Promise<number> {
  return async () => Number((await sql`select count(*) from pg_stat_activity
    where datname = current_database() and application_name = 'rowgate owner'`)[0]?.['count']);
}

test('110 plans at once have one connection, and data is read beside them', async t => {
  const { send, request, sql } = await serveFolder(t, projectFolder(t));
  const [ada, bob] = [await tokenFor('ada', ['admin']), await tokenFor('bob', ['admin'])];
  t.match(await send('/admin/schema/plan', change, ada), { status: 200 });
  t.match(await send('/admin/schema/plan', change, bob), { status: 200 });
  const connections = connectionsOf(sql);
  const before = await connections();
  const flood = Promise.all(Array.from({ length: 110 }, () => send('/admin/schema/plan', change, ada)));
  const other = send('/admin/schema/plan', change, bob);
  let most = 0;
  const reads: number[] = [];
  const over = new AbortController();
  const watched = flood.finally(() => { over.abort(); });
  while (!over.signal.aborted) {
    most = Math.max(most, await connections());
    reads.push((await request('/data/posts')).status);
  }
  const answers = await watched;
  t.ok(most <= before + 2, `${most} connections of the owner, ${before} before; one may be on its way out`);
  t.same([...new Set(reads)], [200], `${reads.length} reads`);
  t.same([...new Set(answers.map(({ status }) => status))].sort(), [200, 503]);
  t.match(answers.find(({ status }) => status === 503), { body: { error: { code: 'SERVICE_UNAVAILABLE' } } });
  t.equal(answers.filter(({ status }) => status === 200).length, 26, 'one was at work, 25 waited');
  t.match(await other, { status: 200 }, 'another caller is not refused for it');
});

test('110 changes at once hold no connections while they wait', async t => {
  const { send, sql } = await serveFolder(t, projectFolder(t));
  const connections = connectionsOf(sql);
  t.match(await send('/admin/schema/apply', change), { status: 200 });
  const before = await connections();
  let most = 0;
  let left = 110;
  const answers = Promise.all(Array.from({ length: 110 }, async () => {
    const { status } = await send('/admin/schema/apply', change);
    left -= 1;
    return status;
  }));
  while (left > 0) most = Math.max(most, await connections());
  t.same([...new Set(await answers)].sort(), [200, 503]);
  t.ok(most <= before + 4, `${most} connections of the owner, ${before} before`);
});

test('a plan ends when its client leaves, and one that waits is not begun', async t => {
  const { address, send, sql } = await serveFolder(t, projectFolder(t));
  const root = await tokenFor('root', ['admin']);
  t.match(await send('/admin/schema/plan', change), { status: 200 }, 'the account is there');
  const leaving = new AbortController();
  const ask = () => fetch(`${address}/api/admin/schema/plan`, {
    method: 'POST', signal: leaving.signal, body: JSON.stringify({ collectionId: 'slow', collection: sleeping }),
    headers: { 'content-type': 'application/json', authorization: `Bearer ${root}` },
  }).catch((error: unknown) => error);
  const asked = [ask(), ask(), ask()];
  const planning = async () =>
    Number((await sql`select count(*) from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`)[0]?.['count']);
  await until('it is at work', async () => await planning() === 1);
  const left = performance.now();
  leaving.abort();
  await Promise.all(asked);
  await until('the server has ended it', async () => await planning() === 0);
  t.match(await send('/admin/schema/plan', change), { status: 200 }, 'the next has its turn');
  t.ok(performance.now() - left < 25_000, 'before any deadline');
});

test('a plan that takes too long is cancelled, and said to be unavailable', async t => {
  const { url } = await createDatabase(t, { template: 'served' });
  const options = {
    ownerUrl: url, directUrl: url, connectTimeout: 5_000, idleTimeout: 0, projectMigrations: '', mayChange: true,
    storage: { publicRead: false, allowAnyAuthenticated: false, authRequired: true },
  };
  const door = openSchemaDoor(options, () => { throw new Error('nothing is applied'); }, pino({ level: 'silent' }), 5_000);
  const project = {
    collections: [{ file: 'slow.json', definition: { slug: 'slow', ...sleeping } as Record<string, unknown>, broken: [] }], defaults: [],
    unreadable: [],
  };
  const asker = { uid: 'ada', signal: new AbortController().signal, mayEvaluate: true };
  await t.rejects(door.plan({ project, problems: [], warnings: [] }, asker),
    { status: 503, code: 'SERVICE_UNAVAILABLE', details: { dbCode: '57014' } });
  t.match(await door.plan({ project: { ...project, collections: [] }, problems: [], warnings: [] }, asker), { changes: [] });
});

test('a database without free connections is 503 on every route', async t => {
  const { url, owner, admin } = await ownedDatabase(t, 'createrole', 'grant service_user to OWNER with admin option');
  const folder = projectFolder(t);
  const service = await openService(url,
    { DATABASE_URL: url, SERVICE_COLLECTIONS_DIR: folder.collections, SERVICE_LIVE_SCHEMA_ALLOW_MACHINE_APPLY: 'true' });
  t.teardown(service.close);
  const send = (path: string, body: object) => service.request(path, { method: 'POST', body: JSON.stringify(body) });
  t.match(await send('/admin/schema/plan', change), { status: 200 }, 'an owner who is no superuser plans');
  t.match(await send('/admin/schema/plan', {
    collectionId: 'keyed',
    collection: { properties: { id: { type: 'string', isId: `query_to_xml('table service.users', true, true, '')::text` } } },
  }),
    { status: 400, body: { error: { message: /permission denied/ } } }, 'and tries expressions as service_user');
  t.match(await send('/admin/schema/apply', change), { status: 200, body: { applied: true } });
  const socket = await connect(t, service, { token: SERVICE_KEY });
  await admin.unsafe(`alter role ${owner} connection limit 0`);
  const next = { collectionId: 'posts', collection: { ...posts, name: 'Articles' } };
  const refused = { status: 503, body: { error: { code: 'SERVICE_UNAVAILABLE', details: { dbCode: '53300' } } } };
  t.match(await send('/admin/schema/plan', next), refused);
  t.match(await send('/admin/schema/apply', next), refused);
  t.match(await send('/admin/schema-editor/collection/save', { collectionId: 'posts', collectionData: posts }), refused);
  t.match((await socket.request('EXECUTE_SQL', { sql: 'select 1' })).payload, { error: { code: 'SERVICE_UNAVAILABLE' } });
  await admin.unsafe(`alter role ${owner} connection limit -1`);
  t.match(await send('/admin/schema/plan', next), { status: 200 });
});
