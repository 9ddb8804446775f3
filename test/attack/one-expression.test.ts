// SQL of collection files is run by the owner, inside statements of ours. A text that reached out of its place could run
// anything: so what is not exactly one expression stops the start, and what is one stays where it stands.
import postgres from 'postgres';
import { test } from 'tap';
import { BootError } from '../../gateway/error.ts';
import { loadCollections } from '../../gateway/collections/load.ts';
import { provision } from '../collections/declared.ts';
import { collections } from '../write/client.ts';
import { createDatabase } from '../harness/database.ts';
import { openService } from '../harness/service.ts';

const PWN = 'create table pwned as select rolpassword from pg_authid';

/** Each tries to end the place that it stands in, to hide what follows, or to be more than one. */
const NOT_ONE = [
  // Brackets and semicolons.
  `true); ${PWN}; --`, `true) with check (true); ${PWN}; --`, `true\n); ${PWN}; select (1`, `true);${PWN};select (true`,
  `true));${PWN};select ((true`, 'true) , (select 1', 'true) union select (1', 'true) from pg_authid where (true', 'true) or (true',
  'true] or t[true', 'true)] or [(true', '(true', 'true)', '((true)', ')(', 'true;', `true; ${PWN}`, ';',
  `${'('.repeat(20_000)}true${')'.repeat(20_000)}`,
  // Statements and parts of some.
  `begin atomic ${PWN}; end`, `do $$ begin ${PWN}; end $$`, PWN, 'select true', 'values (true)', 'table pg_authid',
  'with x as (select 1) select true', 'true, true', 'true, (select true)', 'distinct true', 'all true', 'variadic true',
  'a := true', 'true as a', 'true order by 1', 'true limit 1', 'true for update', 'true returning 1', 'true into pwned',
  'true on conflict do nothing', '1:2', ':', ':a', '*',
  'true not', 'true collate',
  // Comments.
  'true --', 'true /*', '/* true', 'true /* /* */', '--', `true --\n); ${PWN}; --`, `true */); ${PWN}; /*`,
  // Quotes of every kind.
  `'`, `true'`, `'); ${PWN}; --`, '"', '"true', '$$', '$a$ true', `true $a$); ${PWN}; $a$ $a$`, `E'\\'); ${PWN}; --`, `E'\\' is null`,
  `U&'\\' is null'`, 'U&"d!0061t" uescape', `x'`, `b'`,
  // Text that psql and rules interpret.
  `true) \\gexec`, `true \\; ${PWN}`, '\\', '{nothing}', '{}', `{name}'; ${PWN}; --`, ' ', '\n',
];

/** Harmless, however much they look like it. */
const ONE = [
  'true', '(true)', '((true))', 'true -- why\n', '/* why */ true', '/* /* why */ */ true', '(select true)', '(array[true])[1]',
  `'); ${PWN}; --' <> ''`, `$a$); ${PWN}; --$a$ <> ''`, `E'\\'); ${PWN}; --' <> ''`, `'\\' || '); ${PWN}; --' <> ''`, `'a'\n'); --' <> ''`,
  `"name" <> ');'`, `{name} <> ')' and {name} <> '{name}'`, `not {name} is distinct from ');'`,
  `exists (select from pg_class where relname = ');')`,
  `$x\${name}$x$ <> ''`, `(array[true, false])[1:2] = '{t,f}'`, 'row(1, 2) = (1, 2)',
  `case when {name} = ')' then true else 1 in (1, 2) end`,
  `U&'d!0061t);' uescape '!' <> ''`, `x'1F' <> b'1'`, `interval '1' day > interval '0'`,
  `(date '2026-01-01', date '2026-01-02') overlaps (date '2026-01-01', date '2026-01-02') is not null`,
];

const id = { type: 'number', isId: 'increment' };
const name = { type: 'string' };
const OPEN = [{ access: 'public' }];

function ruled(rules: object[]) {
  return (slug: string) => ({ slug, properties: { id, name }, securityRules: rules });
}

async function wasRun(sql: postgres.Sql): Promise<boolean> {
  return (await sql`select from pg_class where relname = 'pwned'`).length > 0;
}

/** The problems that a start with this folder reports, a line each. */
async function problemsOf(url: string, folder: string): Promise<string[]> {
  const service = await openService(url, { SERVICE_COLLECTIONS_DIR: folder }).catch((error: unknown) => error as Error);
  if (!(service instanceof Error)) await service.close();
  return service instanceof BootError ? service.message.split('\n') : [];
}

/** A name in braces is that of a field, before anything else. */
const SAID = /: (?:must be one SQL expression: .+|\{nothing\} is no field of .+)$/;

test('a rule that is not one expression stops the start, each named where it stands, and nothing is run', async t => {
  const { url, sql } = await createDatabase(t, { template: 'served' });
  const before = await sql`select oid from pg_class`;
  const files = NOT_ONE.flatMap((text, i) => [
    ruled([{ operation: 'select', access: 'public' }, { operation: 'update', using: text }])(`using${i}`),
    ruled([{ operation: 'insert', withCheck: text }])(`check${i}`),
  ]);
  const places = new Set((await problemsOf(url, collections(t, ...files))).map(line => line.replace(SAID, '')));
  for (const [i, text] of NOT_ONE.entries()) {
    t.ok(places.delete(`using${i}.securityRules[1].using`), text.slice(0, 80));
    t.ok(places.delete(`check${i}.securityRules[0].withCheck`), text.slice(0, 80));
  }
  t.same([...places], [], 'each problem is one line, and there is no other');
  t.same(await sql`select oid from pg_class`, before, 'no table was made');
  t.same(await sql`select from service.collections`, [], 'and nothing is served');
});

test('rules of the folder, and keys that are made by an expression', async t => {
  const { url, sql } = await createDatabase(t, { template: 'served' });
  const texts = NOT_ONE.filter(text => text.trim() !== '' && !text.includes('{'));
  const keyed = texts.map((isId, i) => ({ slug: `keyed${i}`, properties: { id: { type: 'string', isId } }, securityRules: OPEN }));
  const [first, ...lines] = await problemsOf(url, t.testdir({
    '_defaults.json': JSON.stringify({ defaultSecurityRules: [{ access: 'public' }, { operation: 'select', using: `true); ${PWN}; --` }] }),
    'a.json': JSON.stringify({ slug: 'a' }),
    ...Object.fromEntries(keyed.map(file => [`${file.slug}.json`, JSON.stringify(file)])),
  }));
  t.match(first, /^a, by _defaults\.json: defaultSecurityRules\[1\]\.using: must be one SQL expression: syntax error at or near "/);
  t.same(lines.map(line => line.replace(SAID, '')).sort(), keyed.map(({ slug }) => `${slug}.properties.id.isId`).sort());
  t.notOk(await wasRun(sql));
});

test('one expression is a rule, and any text stays inside it', async t => {
  const files = ONE.map((text, i) => ruled([
    { operation: 'select', using: text },
    { operations: ['update', 'delete'], mode: 'restrictive', using: text, withCheck: text },
  ])(`one${i}`));
  const { url, sql } = await createDatabase(t, { template: 'served' });
  await (await openService(url, { SERVICE_COLLECTIONS_DIR: collections(t, ...files) })).close();
  const made = await sql<{ tablename: string }[]>`
    select tablename from pg_policies where policyname not like '%default_admin%' group by tablename having count(*) = 3`;
  t.same(made.map(({ tablename }) => tablename).sort(), ONE.map((_text, i) => `one${i}`).sort());
  t.notOk(await wasRun(sql));
  t.same(await sql`select statement from service.provision_plan() where statement is not null`, [], 'a second start changes nothing');
});

/** Texts of a file that are no SQL, but become part of some. */
const HOSTILE = [`'); ${PWN}; --`, `"); ${PWN}; --`, `\\'); ${PWN}; --`, `$$); ${PWN}; --`, `*/); ${PWN}; --`, `{name}'"\\`];

function hostile(text: string, i: number) {
  const short = text.replaceAll(PWN, 'create table pwned()');
  return {
    slug: `h${i}`, table: `t${short}`, schema: `s${i}${short}`, name: text, description: text, singularName: text,
    properties: {
      id,
      name: { ...name, columnName: `${short}${i}`, description: text, defaultValue: text },
      kind: { type: 'enum', enum: [short, 'b'], columnName: `k${short}`, defaultValue: short },
      list: { type: 'array', of: { type: 'string' }, defaultValue: [text] },
      map: { type: 'map', defaultValue: { [text]: text } },
      code: { type: 'string', validation: { matches: text.replaceAll(/[()*{}$\\]/g, '\\$&'), requiredMessage: text } },
      gone: { type: 'date', columnName: `gone${short}` },
      links: { type: 'relation', relation: { kind: 'manyToMany', target: `h${i}`, through: {
        table: `j${short}`, sourceColumn: `a${short}`, targetColumn: `b${short}`,
        properties: { note: { type: 'string', columnName: `n${short}`, defaultValue: text } },
      } } },
    },
    softDelete: { field: 'gone' },
    search: { fields: ['name', `map.${text.replaceAll('.', '')}`], column: `v${short}`, mode: 'hybrid', fuzzy: true },
    indexes: [{
      on: ['name'], reason: text, where: { and: [{ prop: 'name', op: '=', value: text }, { prop: 'kind', op: 'in', value: [short] }] },
    }],
    securityRules: [
      { name: `p${short}`, operation: 'select', using: `{name} <> '${text.replaceAll("'", "''")}' or {name} is null` },
      { operation: 'update', roles: [text.replaceAll(',', '')] }, { operation: 'delete', ownerField: 'name' },
    ],
  };
}

test('names, values and labels end nowhere but at their own ends', async t => {
  const { url, sql } = await createDatabase(t, { template: 'served' });
  const service = await openService(url, { SERVICE_COLLECTIONS_DIR: collections(t, ...HOSTILE.map(hostile)) });
  for (const [i, text] of HOSTILE.entries()) {
    const [table] = await sql<{ name: string }[]>`
      select format('%I.%I', schema_name, table_name) as name from service.collections where slug = ${`h${i}`}`;
    await sql.unsafe(`insert into ${table?.name ?? ''} default values`);
    const word = text.includes('create') ? 'create' : 'name';
    const { status, body } = await service.request(`/data/h${i}?include=links&name=${encodeURIComponent(text)}&searchString=${word}`);
    t.match([status, body.data], [200, [{ name: text, list: [text], map: { [text]: text }, links: [] }]], text);
  }
  t.notOk(await wasRun(sql));
  await service.close();
});

test('and when a DBA provisions in a database that reads backslashes in another way', async t => {
  const { url, sql, name: database } = await createDatabase(t, { template: 'served' });
  await sql`alter database ${sql(database)} set standard_conforming_strings = off`;
  const session = postgres(url, { max: 1, onnotice: () => undefined });
  t.teardown(() => session.end());
  const files = HOSTILE.map((text, i) => ({ slug: `h${i}`, properties: { id, name: { ...name, defaultValue: text } } }));
  await session`select service_private.define_collections(${JSON.stringify(loadCollections(collections(t, ...files),
    'error')?.project)}::text::jsonb)`;
  await provision(session);
  t.notOk(await wasRun(sql));
  await sql`insert into h2 default values`;
  t.match(await sql`select name from h2`, [{ name: HOSTILE[2] }]);
});
