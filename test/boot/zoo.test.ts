// A stranger's schema: what cannot be read, or not even be looked at, costs nothing else.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { test, type Test } from 'tap';
import { until } from '../harness/until.ts';
import { createDatabase } from '../harness/database.ts';
import { openService, SERVICE_KEY, type TestService } from '../harness/service.ts';
import { addressOf, startGateway } from './gateway.ts';

const ZOO = readFileSync(join(import.meta.dirname, 'zoo.sql'), 'utf8');
const ODD = `"quote's" \n\\ %I $1 ${'é'.repeat(20)}`;

/** By path below /data: the rows that are read. */
const READ: Record<string, object[]> = {
  'chain0?orderBy=id': [{ id: 1, name: 'row 1' }, { id: 2, name: 'row 2' }, { id: 3, name: 'row 3' }],
  'chain1?id=2': [{ id: 2, name: 'row 2' }],
  'chain100?id=2': [{ id: 2, name: 'row 2' }],
  'ruled': [{ id: 1 }],
  'ruled_view': [{ id: 1 }],
  'moods': [{ id: 1, plain: 'so so', good: 'line\nbreak', best: 'it\'s "fine"', many: ['so so', 'it\'s "fine"'] }],
  'moods?fields=id&good=line%0Abreak': [{ id: 1 }],
  'moods/aggregate?select=max(good),min(best)': [{ max_good: 'line\nbreak', min_best: 'it\'s "fine"' }],
  'rows_in_rows?fields=id': [{ id: 1 }],
  [encodeURIComponent(`${ODD}éé`)]: [{ [`${ODD}id`]: 1, [`${ODD}no`]: '\n' }],
  [encodeURIComponent(`${ODD}vw`)]: [{ [`${ODD}id`]: 1, [`${ODD}no`]: '\n' }],
  'kittens': [{ id: 1, name: 'Tom', owner: 'Ann', weeks: 3 }],
  'measured?orderBy=year': [
    { year: 1999, month: 12, day: 31, value: 3 }, { year: 2026, month: 1, day: 31, value: 2 }, { year: 2026, month: 1, day: 2, value: 1.5 },
  ],
  'generated': [{ id: 1, name: 'four', length: 4 }],
  'wide?fields=id,column1600': [{ id: 1, column1600: 7 }],
  'ring_a?include=b': [],
  'person?id=2&include=parent': [{ id: 2, parentId: 1, friendId: 1, parent: { id: 1, parentId: null, friendId: 1 } }],
  'link100?include=link99': [],
};

/** Relations that fail at every read, with the SQLSTATE. */
const UNREADABLE: Record<string, string> = {
  self_reading_said: '42P17',
  asks_itself: '42P17',
  over_dropped: 'XX000',
  over_dropped_said: 'XX000',
  over_named: '42804',
  asks_own: '42P17',
  asks_other: '42P17',
  asked_back: '42P17',
  abroad: '55000',
};

const UNSERVED = [
  'self_reading', 'one_of_two', 'two_of_two', 'over_the_two', 'animals', 'cats', 'pets', 'bare', 'unfilled', 'measured_2026',
  'measured_2026_01_late',
];

test('a start serves a schema of odd and broken objects, and reads of the sound ones succeed', { timeout: 120_000 }, async t => {
  const { url, sql } = await createDatabase(t, { template: 'served' });
  await sql.unsafe(ZOO).simple();
  const began = performance.now();
  const gateway = startGateway(t, { DATABASE_URL: url, SERVICE_UNPROTECTED_TABLES: 'serve' });
  const base = `${await addressOf(gateway)}/data`;
  t.comment(`The start took ${((performance.now() - began) / 1000).toFixed(1)} s.`); // 7 s on two cores, most of it for the nested views
  const get = async (path: string) => {
    const answer = await fetch(`${base}/${path}`, { headers: { authorization: `Bearer ${SERVICE_KEY}` } });
    return { status: answer.status, body: await answer.json() as any };
  };
  const served = new Set((await get('collections')).body.data.map(({ slug }: { slug: string }) => slug));
  t.same(Array.from({ length: 1001 }, (_, n) => `chain${n}`).filter(slug => !served.has(slug)), [],
    'each of the nested views has the key of its table');
  for (const [path, rows] of Object.entries(READ)) t.match(await get(path), { status: 200, body: { data: rows } }, path);
  for (const [slug, dbCode] of Object.entries(UNREADABLE)) {
    t.match(await get(slug), { status: 500, body: { error: { details: { dbCode } } } }, slug);
  }
  for (const slug of UNSERVED) t.match(await get(slug), { status: 404, body: { error: { code: 'NOT_FOUND' } } }, slug);
  t.match(gateway.output(), /public\.one_of_two is not served: a view whose key is not known/);
  gateway.process.kill('SIGTERM');
  t.equal((await gateway.ended).code, 0);
});

/** The service in this process, and what it logs as a warning. */
async function logged(t: Pick<Test, 'teardown'>, url: string): Promise<{ service: Omit<TestService, 'sql' | 'url'>; lines: string[] }> {
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => { lines.push((JSON.parse(line) as { msg: string }).msg); } });
  const service = await openService(url, { SERVICE_UNPROTECTED_TABLES: 'serve' }, undefined, log);
  t.teardown(service.close);
  return { service, lines };
}

test('tables whose look ends with an error are left out and named with it, at the start and afterwards', async t => {
  const { url, sql } = await createDatabase(t, { template: 'served' });
  await sql.unsafe(`
    create type hostile as enum ('a');
    create table broken (id integer primary key, kind hostile);
    create table sound (id integer primary key, broken_id integer references broken);
    create table other (id integer primary key, kind hostile);
    alter function service_private.introspected_properties(service.introspected_table[]) rename to sound_properties;
    create function service_private.introspected_properties(tables service.introspected_table[]) returns setof service.properties
    language plpgsql stable as $$
    begin
      if exists (select from unnest(tables) t join pg_attribute a on a.attrelid = t.oid join pg_type y on y.oid = a.atttypid
        where y.typname = 'hostile') then
        raise exception 'cannot tell what hostile is' using errcode = 'statement_too_complex';
      end if;
      return query select * from service_private.sound_properties(tables);
    end $$`).simple();
  const { service, lines } = await logged(t, url);
  const left = (name: string) =>
    lines.filter(line => line === `public.${name} is not served: it could not be looked at: cannot tell what hostile is`);
  t.same(['broken', 'other', 'sound'].map(name => left(name).length), [1, 1, 0]);
  t.equal((await service.request('/data/sound')).status, 200);
  t.equal((await service.request('/data/broken')).status, 404);
  const { version } = service.database.catalog.current.document;
  await sql`create table later (id integer primary key, kind hostile)`;
  await until('it is named', () => Promise.resolve(left('later').length === 1));
  await service.database.catalog.refresh();
  t.equal(service.database.catalog.current.document.version, version, 'what is left out moves no version');
  t.equal(left('broken').length, 1, 'each is named once');
  await sql`drop function service_private.introspected_properties(service.introspected_table[])`;
  await sql`alter function service_private.sound_properties(service.introspected_table[]) rename to introspected_properties`;
  await service.database.catalog.refresh();
  for (const slug of ['broken', 'other', 'later']) t.equal((await service.request(`/data/${slug}`)).status, 200, slug);
});

test('views whose query cannot be taken apart are left out and named with the error', async t => {
  const { url, sql } = await createDatabase(t, { template: 'served' });
  await sql.unsafe(`
    create table sound (id integer primary key);
    create view deep with (security_invoker = on) as select id from sound where ${'('.repeat(3)}id${' + 1)'.repeat(3)} > 0;
    create view over_deep with (security_invoker = on) as select id from deep;
    create view fine with (security_invoker = on) as select id from sound;
    alter function service_private.node_tree(text) rename to sound_tree;
    create function service_private.node_tree(tree text) returns jsonb language plpgsql as $$
    begin
      if tree like '%OPEXPR%' then
        raise exception 'stack depth limit exceeded' using errcode = 'statement_too_complex';
      end if;
      return service_private.sound_tree(tree);
    end $$`).simple();
  const { service } = await logged(t, url);
  t.match((await service.database.report()).skipped, [
    { slug: 'deep', reason: 'it could not be looked at: stack depth limit exceeded', remedy: null },
    { slug: 'over_deep', reason: 'a view whose key is not known' },
  ]);
  t.equal((await service.request('/data/fine')).status, 200);
  const [script] = await sql`select service.suggested_policies('public', 'serve') as script`;
  t.match(script?.['script'], /^-- deep: it could not be looked at: stack depth limit exceeded\.$/m);
});

test('an error that no table causes is the error of the look', async t => {
  const { url, sql } = await createDatabase(t, { template: 'served' });
  await sql.unsafe(`
    create table sound (id integer primary key);
    alter function service_private.keep_file_statements() rename to kept;
    create function service_private.keep_file_statements() returns void language plpgsql as $$ begin raise exception 'the disk is full';
    end $$`).simple();
  await t.rejects(openService(url, { SERVICE_UNPROTECTED_TABLES: 'serve' }), { message: 'the disk is full' });
});
