/** Random queries of a schema: each answer, written as a literal, is held against the type that the compiler computes for its query. */
import { join } from 'node:path';
import type { Test } from 'tap';
import type { Client } from '../../client/src/index.ts';
import { typesFile, type Contract } from '../../gateway/features/meta/types/file.ts';
import { valueType } from '../../gateway/features/meta/types/values.ts';
import { runs } from '../harness/effort.ts';
import { ROOT } from '../harness/server.ts';
import { checker } from './compiler.ts';
import { chance, oneOf, random } from './odd-tables.ts';

type Query = Record<string, unknown>;
type Call = {
  collection: string; method: 'list' | 'get' | 'aggregate'; id?: unknown; query: Query; through?: [id: unknown, relation: string];
};
type Collections = Contract['catalog'];
type Collection = Collections[number];

const AT_MOST = 3;
const someOf = <T>(list: readonly T[]): T[] => list.filter(() => chance(40));

/** So many queries by proof. */
export async function meetTypes(t: Test, contract: Contract, clients: Client<any>[], queries: number): Promise<void> {
  const { catalog } = contract;
  const right: string[] = [];
  const wrong: string[] = [];
  const stats = { rows: 0, empty: 0 };
  // Where a call needs a row and there is none, another one is drawn.
  for (let n = 0; right.length < runs(queries) && n < 2 * runs(queries); n++) {
    const call = randomCall(catalog);
    const answer = await answered(oneOf(clients), call, catalog).catch((error: unknown) => {
      t.fail(`query ${n} is answered`, { call, error });
    });
    if (answer === undefined) continue;
    stats[JSON.stringify(answer) === '[]' ? 'empty' : 'rows']++;
    right.push(statementOf(call, answer, n));
    if (spoil(rowsIn(catalog, call, answer))) wrong.push(statementOf(call, answer, n));
  }
  t.comment(`${right.length} answers, ${stats.empty} of them without a row`);
  t.ok(right.length === runs(queries) && stats.rows > stats.empty);
  const folder = t.testdir({ 'rowgate.types.ts': typesFile(contract), 'answers.ts': fileOf(right), 'wrong.ts': fileOf(wrong) });
  const { complaints } = checker(['answers.ts', 'wrong.ts'].map(file => join(folder, file)));
  const lines = complaints.map(text => /^\S*\/wrong\.ts:(\d+) /.exec(text)?.[1]);
  t.same(complaints.filter((_, i) => lines[i] === undefined), []);
  const met = wrong.filter((_, i) => !lines.includes(String(i + FIRST_LINE)));
  t.same(met, [], 'and none meets it with a value of another type, a field less or more');
  t.ok(wrong.length > 0.8 * stats.rows, `${wrong.length} of them`);
}

/** `meets` takes an answer as the type of a query has it: a literal, with nothing in it that the type does not know. */
const HEAD = `
  import { type Client } from '${join(ROOT, 'client/src/index.ts')}';
  import { type Schema } from './rowgate.types.ts';
  export async function meets(db: Client<Schema>): Promise<void> {
`;
const FIRST_LINE = HEAD.split('\n').length;

function fileOf(statements: string[]): string {
  return `${HEAD}${statements.join('\n')}\n}\n`;
}

/** On one line, whatever ends one for the compiler: complaints are counted by lines. */
function statementOf({ collection, method, id, query, through }: Call, answer: unknown, n: number): string {
  const path = through === undefined ? '' : `.related(${through.map(part => JSON.stringify(part)).join()})`;
  const from = `db.from(${JSON.stringify(collection)})${path}`;
  const call = `${from}.${method}(${id === undefined ? '' : `${JSON.stringify(id)}, `}${JSON.stringify(query)})`;
  const rows = method === 'list' ? '.data' : '';
  const type = `Awaited<ReturnType<typeof q${n}>>`;
  const statement = `{ const q${n} = async () => (await ${call})${rows}; const a${n}: ${type} = ${JSON.stringify(answer)}; void a${n}; }`;
  return statement.replaceAll('\u2028', '\\u2028');
}

type Row = Record<string, unknown>;

/** The rows of an answer, and those that they hold, each with its collection. */
function rowsIn(catalog: Collections, { collection: slug, through }: Call, answer: unknown): [Collection, Row][] {
  const collection = catalog.find(its => its.slug === slug) as Collection;
  const relation = collection.relations.find(({ name }) => name === through?.[1]);
  return within(relation === undefined ? collection : targetOf(catalog, relation), answer);

  function within(collection: Collection, value: unknown): [Collection, Row][] {
    if (Array.isArray(value)) return value.flatMap(each => within(collection, each));
    if (value === null || typeof value !== 'object') return [];
    const row = value as Row;
    return [[collection, row], ...collection.relations.flatMap(relation => within(targetOf(catalog, relation), row[relation.name]))];
  }
}

/**
 * Gives one row a value or an element of another type, a field less, or one more; false where no row has such a field. A column of JSON
 * may hold anything.
 */
function spoil(rows: [Collection, Row][]): boolean {
  const places = rows.flatMap(([{ properties }, row]) => [{ name: 'count', sqlType: 'bigint' }, ...properties.filter(isTold)]
    .filter(({ name }) => Object.hasOwn(row, name)).map(({ name, sqlType }) => ({ name, isBoolean: /^boolean/.test(sqlType), row })));
  if (places.length === 0) return false;
  const { name, isBoolean, row } = oneOf(places);
  const kind = random(4);
  const wrong = isBoolean ? 'true' : true;
  if (kind === 0) Object.defineProperty(row, name, { value: wrong });
  if (kind === 1) Reflect.deleteProperty(row, name);
  if (kind === 2) row['unheardOf'] = 1;
  if (kind === 3) Object.defineProperty(row, name, { value: Array.isArray(row[name]) ? [...row[name] as unknown[], wrong] : [wrong] });
  return true;
}

function isTold(property: Collection['properties'][number]): boolean {
  return property.readRoles === null && !/^Json/.test(valueType(property, 'read'));
}

function randomCall(catalog: Collections): Call {
  const collection = oneOf(catalog);
  const kind = random(10);
  if (kind === 0) return { collection: collection.slug, method: 'aggregate', query: aggregateOf(collection) };
  const query = queryOf(catalog, collection, 3);
  if (kind < 3) return { collection: collection.slug, method: 'get', id: 'first', query: only(query, ['fields', 'include']) };
  const many = collection.relations.filter(({ single }) => !single);
  if (kind === 3 && many.length > 0) {
    const relation = oneOf(many);
    const further = queryOf(catalog, targetOf(catalog, relation), 2);
    return { collection: collection.slug, method: 'list', query: further, through: ['first', relation.name] };
  }
  return { collection: collection.slug, method: 'list', query };
}

function targetOf(catalog: Collections, { target }: Collection['relations'][number]): Collection {
  return catalog.find(({ slug }) => slug === target) as Collection;
}

function only(query: Query, names: string[]): Query {
  return Object.fromEntries(Object.entries(query).filter(([name]) => names.includes(name)));
}

/** White space at the ends of a name is none of it for the API, so that the client refuses to send it. */
function sent(properties: readonly { name: string }[]): string[] {
  return properties.map(({ name }) => name).filter(name => name === name.trim());
}

function isSorted({ type, sqlType }: Collection['properties'][number]): boolean {
  return !['map', 'vector', 'binary'].includes(type) && sqlType !== 'xml';
}

/** Elsewhere than in a row a comma separates names, and a dot leads to a related row. */
function named<Named extends { name: string }>(list: readonly Named[]): Named[] {
  return list.filter(({ name }) => !/[,.]|^\s|\s$/.test(name));
}

function queryOf(catalog: Collections, collection: Collection, hops: number): Query {
  const names = sent(collection.properties).filter(name => !name.includes(','));
  const sortable = named(collection.properties).filter(isSorted).map(({ name }) => name);
  const included = includeOf(catalog, collection, hops);
  return {
    ...chance(50) && { fields: [oneOf(names), ...someOf(names)] },
    ...Object.keys(included).length > 0 && { include: included },
    ...chance(40) && { where: whereOf(collection) },
    ...chance(50) && { orderBy: [{ field: oneOf(sortable), ...chance(50) && { direction: oneOf(['asc', 'desc']) } }] },
    limit: 1 + random(AT_MOST),
  };
}

function includeOf(catalog: Collections, { relations }: Collection, hops: number): Query {
  if (hops === 0) return {};
  return Object.fromEntries(relations.filter(() => chance(40)).map(relation => {
    return [relation.name, chance(20) ? true : queryOf(catalog, targetOf(catalog, relation), hops - 1)];
  }));
}

/** Conditions that most rows meet, by type. */
const CONDITIONS: Record<string, unknown[]> = {
  string: [['!=', 'none'], ['is-not-null', null], [['!=', 'a'], ['not-like', 'b']], ['ilike', '%']],
  number: [['>', 0], [['>=', 0], ['<', 30_000]], ['not-in', [-1, -2]]],
  boolean: [['in', [true, false]], ['!=', false]],
  date: [['>', '1900-01-01'], ['<', '2100-01-01T00:00:00Z']],
  array: [['is-not-null', null], ['array-contains-any', ['cotton', 'steel', 'paper', 'stoneware', 'a', '']]],
  map: [['is-not-null', null]],
};
/** Types whose values are not those of the others of their kind: a uuid, an enum, a time. */
const PLAIN: Record<string, string[]> = {
  string: ['text', 'character varying', 'bpchar'], date: ['date', 'timestamp with time zone', 'timestamp without time zone'],
  array: ['text[]'],
};

function whereOf({ properties }: Collection): Query {
  const { name, type, sqlType } = oneOf(named(properties).filter(property => CONDITIONS[property.type] !== undefined));
  const isOfItsOwn = PLAIN[type]?.includes(sqlType) === false;
  return { [name]: isOfItsOwn ? ['is-not-null', null] : oneOf(CONDITIONS[type] ?? []) };
}

function aggregateOf({ properties }: Collection): Query {
  const plain = properties.filter(({ name }) => /^\w+$/.test(name)); // the names that `select` takes
  const numbers = plain.filter(({ type, sqlType }) => type === 'number' && sqlType !== 'money').map(({ name }) => name); // it has no avg
  const ordered = plain.filter(({ type, sqlType }) => ['number', 'date'].includes(type) || sqlType === 'text').map(({ name }) => name);
  const groups = plain.filter(property => isSorted(property) && property.type !== 'array').map(({ name }) => name)
    .filter(name => name !== 'count'); // what `count()` is called
  const select = [
    'count()', `count(${oneOf(plain.map(({ name }) => name))})`,
    ...numbers.length > 0 ? [`sum(${oneOf(numbers)})`, `avg(${oneOf(numbers)})`] : [],
    ...ordered.length > 0 ? [`min(${oneOf(ordered)})`, `max(${oneOf(ordered)})`] : [],
  ];
  const chosen = someOf(select);
  const grouped = chance(60) && groups.length > 0;
  return { select: chosen.length > 0 ? chosen : ['count()'], ...grouped && { groupBy: [oneOf(groups)], limit: AT_MOST } };
}

/** The answer; undefined where no row is there for a call that needs one. `first` stands for the id of a row. */
async function answered(db: Client<any>, call: Call, catalog: Collections): Promise<unknown> {
  const rows = db.from(call.collection) as Record<string, any>;
  const { key = [] } = catalog.find(({ slug }) => slug === call.collection) ?? {};
  const first = async (): Promise<unknown> => {
    const { data: [found] } = await rows['list']({ limit: 1, fields: key, offset: random(5) });
    const parts = key.map(name => found?.[name]);
    if (found === undefined || parts.includes('')) return undefined; // an empty text is no part of an address
    return parts.length > 1 ? parts : parts[0];
  };
  if (call.method === 'aggregate') return rows['aggregate'](call.query);
  if (call.method === 'get') {
    call.id = await first();
    return call.id === undefined ? undefined : rows['get'](call.id, call.query);
  }
  if (call.through === undefined) return (await rows['list'](call.query)).data;
  call.through[0] = await first();
  return call.through[0] === undefined ? undefined : (await rows['related'](...call.through).list(call.query)).data;
}
