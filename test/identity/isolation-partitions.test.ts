import { isDeepStrictEqual } from 'node:util';
import { test, type Test } from 'tap';
import { createService, tokenFor, type TestService } from '../harness/service.ts';
import { asker } from './isolation-model.ts';
import { PARTITIONED, PARTITION_QUESTIONS } from './isolation-partition-tables.ts';
import { pipelined, statement } from './isolation-run.ts';

/** Sixty callers: a, b and c, who own rows, and d, who owns none. */
const UIDS = Array.from({ length: 60 }, (_, i) => String.fromCharCode(97 + i % 4));

test('partitions are pruned for the caller of the statement, however it comes to them', async t => {
  t.same([...await wrongShapes(await open(t))], []);
});

test('it is noticed when nothing is entered first', async t => {
  const never =
    'create or replace function service_private.needs_entering(statement text) returns boolean language sql stable return false;';
  const wrong = await wrongShapes(await open(t, never));
  // An id names its partition itself.
  t.same(Object.keys(PARTITION_QUESTIONS).filter(name => !wrong.has(name)), ['a row'], 'questions that were answered right all the same');
});

test('over HTTP as well', async t => {
  const service = await open(t);
  for (const uid of ['a', 'b', 'c', 'd']) {
    const as = await tokenFor(uid);
    const answers = await Promise.all(Object.values(PARTITION_QUESTIONS).map(({ path }) => service.request(`/data/${path}`, { as })));
    for (const [index, { path, expected }] of Object.values(PARTITION_QUESTIONS).entries()) {
      const { status, text } = answers[index] ?? { status: 0, text: '' };
      t.same(status === 404 ? undefined : JSON.parse(text), expected(uid), `${path} as ${uid}`);
    }
  }
});

test('a policy that becomes bare is heard of', async t => {
  const { sql, database, request } = await open(t, 'alter policy own on events using (owner_uid = (select service.uid()))');
  const as = await tokenFor('a');
  t.same((await request('/data/events/count', { as })).body, { count: 3 });
  await sql`alter policy own on events using (owner_uid = service.uid())`;
  await database.catalog.refresh();
  t.same((await request('/data/events/count', { as })).body, { count: 3 });
});

test('only what can be called too early is entered first', async t => {
  const { sql } = await open(t,
    'create function mine() returns text language sql stable return service.uid(); create function "Mine ()"() returns text language sql '
      + 'stable return service.uid();');
  const bare = ['owner_uid = service.uid()', 'owner_uid = current_setting(\'app.uid\', true)', 'owner_uid = coalesce(mine(), \'b\')',
    'owner_uid = "Mine ()"()',
    'owner_uid in (select o.owner_uid from offers o where o.owner_uid = service.uid())',
    'owner_uid = (select service.uid()) and service.roles() = \'\''];
  const waiting = ['owner_uid = (select service.uid())', 'owner_uid = (select service.jwt() ->> \'org\')',
    '\'admin\' = any (string_to_array((select service.roles()), \',\'))',
    'kind = (select (service.jwt() ->> \'kind\')::integer)', 'lower(owner_uid) = \'a\'', 'kind > 1'];
  for (const [expressions, enters] of [[bare, true], [waiting, false]] as const) {
    for (const expression of expressions) {
      await sql.unsafe(`alter policy own on events using (${expression})`);
      const [row] = await sql<{ enters: boolean }[]>`select service_private.needs_entering('select from public.events') as enters`;
      t.equal(row?.enters, enters, expression);
    }
  }
});

async function open(t: Pick<Test, 'teardown'>, change = ''): Promise<TestService> {
  return createService(t, { template: 'served', setup: `${PARTITIONED} ${change}` });
}

/** The questions that anybody was answered wrongly, when all ask at once on one connection: each caller half of them. */
async function wrongShapes(service: TestService): Promise<Set<string>> {
  const lane = await pipelined(service);
  const wrong = new Set<string>();
  await Promise.all(UIDS.map(async (uid, index) => {
    const caller = asker(uid, [], false, '');
    const questions = Object.entries(PARTITION_QUESTIONS);
    for (const [name, { path, expected }] of questions.filter((_, i) => (i + index) % 2 === Math.floor(index / 4) % 2)) {
      const { text, enterFirst, parameters } = await statement(service, caller, path);
      const [body] = await lane.run({ text, prepare: true, enterFirst }, parameters);
      const answered: unknown = !body ? undefined : JSON.parse(Buffer.from(body).toString());
      if (!isDeepStrictEqual(answered, expected(uid))) wrong.add(name);
    }
  }));
  await lane.close(1000);
  return wrong;
}
