// Uses that the service always refuses do not compile.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type Test } from 'tap';
import { callFunction, createClient, type AnySchema, type Client, type RowgateError } from '../../client/src/index.ts';
import { typesFile, type Contract } from '../../gateway/features/meta/types/file.ts';
import { ROOT } from '../harness/server.ts';
import { createService, SERVICE_KEY, type TestService } from '../harness/service.ts';
import { vocabulary } from '../meta/vocabulary.ts';
import { checker } from './compiler.ts';

/** A call of a method, of a collection or, without a method, of a function; and the code that refuses it. An array holds arguments. */
type Use = [of: string, method: string | undefined, args: unknown, code?: string];

async function meets(t: Test, { address, sql }: TestService, uses: Use[]): Promise<void> {
  const [row] = await sql<{ contract: Contract }[]>`select service.contract() as contract`;
  const db = createClient<AnySchema>({ url: address, schema: { version: '', collections: {} }, token: SERVICE_KEY }) as Client<any>;
  const file = join(t.testdir({ 'rowgate.types.ts': typesFile(row?.contract as Contract) }), 'uses.ts');
  writeFileSync(file, [
    `import { callFunction, type Client } from '${join(ROOT, 'client/src/index.ts')}'; import { type Schema } from './rowgate.types.ts';`,
    'declare const db: Client<Schema>;',
    ...uses.map(([of, method, args]) => method === undefined
      ? `void callFunction(db, '${of}', ${JSON.stringify(args)});`
      : `void db.from('${of}').${method}(${JSON.stringify([args].flat()).slice(1, -1)});`),
  ].join('\n'));
  const complaints = new Set(checker([file]).complaints.map(complaint => Number(/:(\d+) /.exec(complaint)?.[1])));
  for (const [n, [of, method, args, code]] of uses.entries()) {
    const about = `${of} ${method ?? ''} ${JSON.stringify(args)}`;
    const rows = db.from(of) as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>;
    const done = method === undefined ? callFunction(db, of, args as never) as Promise<unknown> : rows[method]?.(...[args].flat());
    t.equal(await done?.then(() => undefined, (error: unknown) => (error as RowgateError).code), code, about);
    t.equal(complaints.has(n + 3), code !== undefined, `${about} compiles`);
  }
}

test('maps and lists that a file declares are no arrays, and have no order', async t => {
  await meets(t, await createService(t, { template: 'served', env: { SERVICE_COLLECTIONS_DIR: t.testdir(vocabulary) } }), [
    ['posts', 'list', { where: { layout: ['array-contains', 'a'] } }, 'INVALID_FILTER_OPERATOR'],
    ['posts', 'list', { where: { layout: null, 'layout->admin': 'a', topics: ['array-contains', 'a'] } }],
    ['posts', 'list', { where: { scores: ['array-contains', 1], blocks: ['is-not-null', null] } }],
    ['posts', 'list', { orderBy: [{ field: 'places' }] }, 'ORDER_BY_FIELD_NOT_SORTABLE'],
    ['posts', 'list', { orderBy: [{ field: 'blocks' }] }, 'ORDER_BY_FIELD_NOT_SORTABLE'],
    ['posts', 'list', { orderBy: [{ field: 'topics' }] }],
    ['posts', 'aggregate', { select: ['count()', 'count(places)'], groupBy: ['layout'] }],
  ]);
});

const TABLES = ['people', 'pairs', 'leaves', 'memberships', 'profiles', 'counters'];
const SETUP = `
  create table people (id integer primary key, name text, notes jsonb);
  create table pairs (a text, b integer, note text, primary key (a, b));
  create table leaves (id integer primary key, pa text, pb integer, foreign key (pa, pb) references pairs);
  create table memberships (person_id integer references people, no integer, since date, primary key (person_id, no));
  create table profiles (id integer primary key references people, bio text);
  create table counters (id integer generated always as identity primary key);
  ${TABLES.map(table => `
    alter table ${table} enable row level security;
    create policy everybody on ${table} using (true);`).join('')}
  create type mood as enum ('calm', 'it''s "loud"');
  create function echo(mood mood, moods mood[] default null) returns mood language sql stable return mood;
  comment on function echo is '@endpoint @public';
  create function nothing() returns integer language sql stable return 1;
  comment on function nothing is '@endpoint @public';`;

test('a key of several columns, a key that is a foreign key, and a body without a member are what the service takes', async t => {
  await meets(t, await createService(t, { template: 'served', setup: SETUP }), [
    ['people', 'create', { id: 1, name: 'Ada', notes: ['a'] }],
    ['people', 'list', { where: { notes: ['array-contains', 'a'] } }],
    ['people', 'list', { orderBy: [{ field: 'notes' }] }, 'ORDER_BY_FIELD_NOT_SORTABLE'],
    ['leaves', 'list', { where: { pairs: ['p', 1] } }, 'INVALID_WHERE'],
    ['leaves', 'list', { where: { pairs: ['==', ['p', 1]] } }, 'INVALID_WHERE'],
    ['leaves', 'list', { where: { pairs: null, 'pairs.note': 'a' } }],
    ['leaves', 'list', { where: { pairs: ['is-not-null', null] } }],
    ['pairs', 'create', { a: 'p', b: 1, leaves: [] }],
    ['people', 'create', { id: 2, memberships: ['1:::1'] }, 'RELATION_NOT_WRITABLE'],
    ['people', 'create', { id: 2, profiles: 1 }, 'RELATION_NOT_WRITABLE'],
    ['counters', 'create', {}],
    ['counters', 'create', { nothing: 1 }, 'VALIDATION_UNKNOWN_FIELDS'],
    ['nothing', undefined, {}],
    ['echo', undefined, { mood: 'it\'s "loud"', moods: ['calm'] }],
    ['echo', undefined, { mood: 'sad' }, 'VALIDATION_INVALID_VALUE'],
    ['echo', undefined, { mood: null, moods: ['sad'] }, 'VALIDATION_INVALID_VALUE'],
    ['nothing', undefined, { more: 1 }, 'VALIDATION_UNKNOWN_FIELDS'],
  ]);
});

const JSON_COLUMNS = `
  create type place as (street text, zip integer);
  create table papers (id integer primary key, body jsonb not null, more jsonb, old json not null default '1', place place, places place[]);
  insert into papers values (1, '{}');
  alter table papers enable row level security;
  create policy everybody on papers using (true);`;

test('a JSON column takes JSON, its own operation, and what was read of it', async t => {
  const isOne = 'INVALID_FIELD_OPERATION';
  await meets(t, await createService(t, { template: 'served', setup: JSON_COLUMNS }), [
    ...[[{ $push: 1 }], 'a', 1, true, { a: { $inc: 1 } }].map((body): Use => ['papers', 'update', [1, { body, more: body, old: body }]]),
    ['papers', 'update', [1, { body: {}, more: { $merge: { a: 1 } } }]],
    ['papers', 'update', [1, { more: null, place: null, places: { $push: { street: 'Rua' } } }]],
    ['papers', 'update', [1, { place: { street: 'Rua', zip: 1 } }]],
    ...['body', 'more', 'old', 'place'].flatMap((column): Use[] =>
      [{ $inc: 1 }, { $push: 1 }, { $pull: 1 }].map(operation => ['papers', 'update', [1, { [column]: operation }], isOne])),
    ['papers', 'update', [1, { place: { $merge: { zip: 1 } } }], isOne],
    ['papers', 'create', { id: 2, body: { $merge: {} } }, isOne],
    ['papers', 'create', { id: 2, body: {}, place: { $inc: 1 } }, isOne],
    ['papers', 'create', { id: 2, body: [null], more: null }],
  ]);
});
