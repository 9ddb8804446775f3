import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type Test } from 'tap';
import { typesFile, type Contract } from '../../gateway/features/meta/types/file.ts';
import { createClient, type AnySchema, type Client, type RowgateError } from '../../client/src/index.ts';
import { runCommand } from '../boot/gateway.ts';
import { ROOT } from '../harness/server.ts';
import { createService, SERVICE_KEY, storeTables, type TestService } from '../harness/service.ts';
import { everyType } from '../meta/tables.ts';
import { vocabulary } from '../meta/vocabulary.ts';
import { checker } from './compiler.ts';

const STORE = readFileSync(join(import.meta.dirname, 'store.types.ts'), 'utf8');

async function contractOf({ sql }: Pick<TestService, 'sql'>): Promise<Contract> {
  const [row] = await sql<{ contract: Contract }[]>`select service.contract() as contract`;
  return row?.contract ?? missing();
}

function missing(): never {
  throw new Error('There is no contract.');
}

/** Rows of another order, as another server or another day may list them. */
function turned(contract: Contract): Contract {
  const catalog = contract.catalog.map(collection => ({ ...collection, relations: collection.relations.toReversed() })).toReversed();
  return { ...contract, catalog, functions: contract.functions.toReversed() };
}

test('rowgate types prints the same bytes from the database and from the service, and --check tells of others', async t => {
  const service = await createService(t);
  const folder = t.testdir({ 'old.ts': '// schemaVersion: v1:older' });
  const env = { DATABASE_URL: service.url };
  const { code, output } = await runCommand(t, ['types'], env);
  t.equal(code, 0);
  if (output.includes('taste')) t.equal(output, STORE, 'the types of the example, which the tests use'); // with pgvector
  t.equal((await runCommand(t, ['types', '--url', service.address], { SERVICE_SERVICE_KEY: SERVICE_KEY })).output, output);
  t.equal((await runCommand(t, ['types', '--url', `${service.address}/api/`], { SERVICE_SERVICE_KEY: SERVICE_KEY })).output, output);
  const { schemaVersion } = (await service.request('/meta/schema-version')).body;
  t.match(output.split('\n')[1], `// schemaVersion: ${schemaVersion}`);
  const current = join(folder, 'rowgate.types.ts');
  writeFileSync(current, output);
  t.match(await runCommand(t, ['types', '--check', current], env), { code: 0, output: /has the types of the schema/ });
  t.match(await runCommand(t, ['types', '--check', join(folder, 'old.ts')], env), { code: 2, output: /rowgate types > / });
  t.match(await runCommand(t, ['types', '--check', join(folder, 'none.ts')], env), { code: 1, output: /cannot be read/ });
  const another = { SERVICE_SERVICE_KEY: 'another' };
  t.match(await runCommand(t, ['types', '--url', service.address], another), { code: 1, output: /UNAUTHORIZED/ });
  t.match(await runCommand(t, ['types', '--url', 'http://127.0.0.1:1'], {}), { code: 1, output: /does not answer/ });
});

const schemas: [what: string, options: (t: Test) => Parameters<typeof createService>[1]][] = [
  ['the example', () => ({})],
  ['files that use the whole vocabulary', t => ({ template: 'served', env: { SERVICE_COLLECTIONS_DIR: t.testdir(vocabulary) } })],
  ['tables that were there before', () => ({ setup: everyType, env: storeTables })],
];

for (const [what, options] of schemas) {
  test(`the types of ${what} compile, are the same in whatever order they come, and hold no any`, async t => {
    const contract = await contractOf(await createService(t, options(t)));
    const text = typesFile(contract);
    t.equal(typesFile(turned(contract)), text);
    t.notMatch(text.replaceAll(/\/\*\*[^]*?\*\/|'(?:[^'\\]|\\.)*'/g, ''), /\bany\b/);
    const file = join(t.testdir(), 'rowgate.types.ts');
    writeFileSync(file, text);
    t.same(checker([file]).complaints, []);
  });
}

test('fields are optional by their roles, nullable by the catalog, and written as the API takes them', async t => {
  const { sql } = await createService(t, { template: 'served', env: { SERVICE_COLLECTIONS_DIR: t.testdir(vocabulary) } });
  const text = typesFile(await contractOf({ sql }));
  const of = (name: string) => new RegExp(`export interface ${name}(?:<.*>)? \\{\n([^]*?)\n\\}`).exec(text)?.[1] ?? '';
  t.match(of('Author'), /\n {2}email\?: string \| null;/, 'only editors read it');
  t.notMatch(of('Post'), /secret|unread/);
  t.match(of('Post'), /\n {2}views: Digits;/);
  t.match(of('Post'), /\n {2}share: number \| null;/);
  t.match(of('PostCreate'), /\n {2}title: string;/);
  t.notMatch(of('PostCreate'), /writer|deletedAt/, 'stamps');
  t.match(of('PostUpdate'), /\n {2}deletedAt\?: null;/);
  t.match(of('PostUpdate'), /\n {2}views\?: Exact \| \{ \$inc: Exact \};/);
  t.match(text, /export type PostLevel = 1 \| 2 \| 3;/);
  t.match(of('PostCollection'), /softDelete: true/);
  t.match(text, /to: 'posts'; as: 'maybe'/, 'a post that is deleted softly stays out of sight');
});

test('no row is found or sorted by a relation through several tables, which comes along all the same', async t => {
  const service = await createService(t, { template: 'served', env: { SERVICE_COLLECTIONS_DIR: t.testdir(vocabulary) } });
  const folder = t.testdir({ 'rowgate.types.ts': typesFile(await contractOf(service)) });
  const queries: [object, code: string | undefined][] = [
    [{ include: { audience: { fields: ['name'] } } }, undefined],
    [{ where: { audience: null } }, 'UNSUPPORTED_RELATION_FILTER'],
    [{ where: { 'audience.name': 'Ada' } }, 'UNSUPPORTED_RELATION_FILTER'],
    [{ or: [{ column: 'audience.name', operator: '==', value: 'Ada' }] }, 'UNSUPPORTED_RELATION_FILTER'],
    [{ orderBy: [{ field: 'count(audience)' }] }, 'ORDER_BY_FIELD_NOT_SORTABLE'],
  ];
  const file = join(folder, 'uses.ts');
  writeFileSync(file, [
    `declare const db: import('${join(ROOT, 'client/src/index.ts')}').Client<import('./rowgate.types.ts').Schema>;`,
    ...queries.map(([query]) => `void db.from('posts').list(${JSON.stringify(query)});`),
  ].join('\n'));
  const lines = new Set(checker([file]).complaints.map(complaint => Number(/:(\d+) /.exec(complaint)?.[1])));
  t.same(queries.map((_, n) => lines.has(n + 2)), queries.map(([, code]) => code !== undefined));
  const db = createClient<AnySchema>({ url: service.address, schema: { version: '', collections: {} }, token: SERVICE_KEY }) as Client<any>;
  const answers = queries.map(async ([query]) =>
    db.from('posts').list(query).then(() => undefined, (error: unknown) => (error as RowgateError).code));
  t.same(await Promise.all(answers), queries.map(([, code]) => code));
});

test('the properties that hold files are told, and no hidden one', async t => {
  const storage = { storagePath: 'docs', acceptedFiles: ['application/pdf'] };
  const docs = {
    slug: 'docs', securityRules: [{ operation: 'all', access: 'public' }],
    properties: {
      id: { type: 'number', isId: 'increment' }, title: { type: 'string' },
      scan: { type: 'string', storage }, cover: { type: 'string', storage }, hidden: { type: 'string', storage, excludeFromApi: true },
    },
  };
  const env = { SERVICE_COLLECTIONS_DIR: t.testdir({ 'docs.json': JSON.stringify(docs) }) };
  const { sql } = await createService(t, { template: 'served', env });
  const text = typesFile(await contractOf({ sql }));
  t.match(text, /export interface DocCollection \{[^]*?\n {2}files: 'scan' \| 'cover';\n/);
});

test('tables that were there before have the types of their columns', async t => {
  const text = typesFile(await contractOf(await createService(t, { setup: everyType, env: storeTables })));
  const row = /export interface (?:EveryType|Every)\w*<Digits = string> \{\n([^]*?)\n\}/.exec(text)?.[1] ?? '';
  for (const member of ['aBig: Digits | null', 'aNumeric: Digits | null', 'aMoney: Digits | null', 'aDouble: number | null', 'aJson: Json',
    'numerics: Digits[] | null', 'ints: number[] | null', 'booleans: boolean[] | null', 'texts: string[] | null', 'jsons: Json[] | null',
    'aBytea: string | null', 'aDate: string | null']) {
    t.ok(row.includes(`  ${member};`), member);
  }
  t.match(text, /id: readonly \[number, string\];\n {2}key: 'left' \| 'right';/);
  t.match(text, /row: CalmType;\n {2}create: never;\n {2}update: never;/, 'a view is read');
  t.match(text, /export interface CalmType \{\n {2}id: string;\n {2}aText: string \| null;/, 'which proves nothing but its key');
});

const PLACES = `
  create type address as (street text, zip integer);
  create domain home as address;
  create table places (id integer primary key, note text, "constructor" text, "toString" numeric, at address, homes home[], "valueOf" home,
    grid integer[][]);
  insert into places values (1, 'a', 'b', 1.50, row('Rua', 4000), array[row('Rua', null)::address]::home[], null, '{{1,2},{3,4}}');
  alter table places enable row level security;
  create policy everybody on places using (true);
  create function move(home address, others address[]) returns table (moved address, left_behind address[], first integer)
    language sql stable begin atomic select home, others, 1; end;
  comment on function move is '@endpoint @public';
  create function neighbours(home address) returns address[] language sql stable return array[home];
  comment on function neighbours is '@endpoint @public';
  create table visits (at address primary key, since date);
  insert into visits values (row('Rua', 4000), '2026-01-01');
  alter table visits enable row level security;
  create policy everybody on visits using (true);`;

test('columns of rows are objects, of two dimensions arrays of arrays, and names that every object has spoil no other', async t => {
  const service = await createService(t, { template: 'served', setup: PLACES });
  const text = typesFile(await contractOf(service));
  const db = createClient<AnySchema>({ url: service.address, schema: { version: '', collections: {} }, token: SERVICE_KEY }) as Client<any>;
  const [place] = (await db.from('places').list({ where: { note: 'a' } })).data;
  t.match(place, { at: { street: 'Rua', zip: 4000 }, homes: [{ street: 'Rua', zip: null }], valueOf: null, grid: [[1, 2], [3, 4]] });
  await db.from('places').create({ id: 2, at: { street: 'Rua', zip: 1 }, homes: [{ street: 'Sul', zip: 2 }], grid: [[5], [6]] });
  t.match(await db.from('places').get(2), { at: { zip: 1 }, homes: [{ street: 'Sul' }], grid: [[5], [6]] });
  t.match(await db.from('visits').get('{"street":"Rua","zip":4000}'), { at: { zip: 4000 }, since: '2026-01-01' });
  const folder = t.testdir({
    'rowgate.types.ts': text,
    'uses.ts': `
      import { type Client } from '${join(ROOT, 'client/src/index.ts')}';
      import { callFunction } from '${join(ROOT, 'client/src/functions.ts')}';
      import { type Json, type Place, type Schema } from './rowgate.types.ts';
      export async function uses(db: Client<Schema>): Promise<void> {
        await db.from('places').list({ where: { note: 'a' } });
        await db.from('places').list({ where: { toString: ['>', 1], constructor: 'b' } });
        await db.from('places').create({ id: 2, at: { street: 'Rua', zip: 1 }, homes: [{ zip: 2 }], grid: [[5], [6]] });
        await db.from('places').update(2, { note: 'b' });
        const place: Place = { ...${JSON.stringify(place)}, toString: '1.50' };
        const zip: Json | undefined = place.at?.['zip'];
        const homes: { [key: string]: Json }[] | null = place.homes;
        const grid: number[][] | null = place.grid;
        void zip; void homes; void grid;
        const { data: [moved] } = await callFunction(db, 'move', { home: { street: 'Rua' }, others: [{ zip: 1 }] });
        const street: Json | undefined = moved?.moved?.['street'];
        const behind: { [key: string]: Json }[] | null | undefined = moved?.leftBehind;
        const neighbours: { [key: string]: Json }[] | null = await callFunction(db, 'neighbours', { home: null });
        void street; void behind; void neighbours;
        // @ts-expect-error a row is no text
        await callFunction(db, 'neighbours', { home: 'Rua' });
        await db.from('visits').get('{"street":"Rua","zip":4000}');
        // @ts-expect-error a number is no condition on a text
        await db.from('places').list({ where: { constructor: 1 } });
        // @ts-expect-error a row is no text
        await db.from('places').create({ id: 2, at: 'Rua' });
      }`,
  });
  t.same(checker([join(folder, 'uses.ts')]).complaints, []);
  const { schemas } = (await service.request('/docs')).body.components;
  t.match(schemas.Place.properties, { at: { type: 'object' }, homes: { type: 'array', items: { type: 'object' } } });
  t.match(schemas.Place.properties.grid, { type: 'array', items: { type: 'array', items: { type: 'integer' } } });
});
