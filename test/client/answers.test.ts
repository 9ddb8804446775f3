// Random queries: each answer, written as a literal, satisfies the type that the compiler computes for its query.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { generator, runs, seed } from '../harness/effort.ts';
import { ROOT } from '../harness/server.ts';
import { lendService } from '../harness/lend.ts';
import { createClient, type Client } from '../../client/src/index.ts';
import { SERVICE_KEY, tokenFor } from '../harness/service.ts';
import { typesFile, type Contract } from '../../gateway/features/meta/types/file.ts';
import { checker } from './compiler.ts';
import { schema } from './store.types.ts';

type Query = Record<string, unknown>;
type Call = {
  collection: string; method: 'list' | 'get' | 'aggregate'; id?: unknown; query: Query; through?: [id: unknown, relation: string];
};
type Collections = Contract['catalog'];

const QUERIES = 1_000;
const AT_MOST = 3;
const random = generator(seed);
const oneOf = <T>(list: readonly T[]): T => list[random(list.length)] as T;
const chance = (percent: number): boolean => random(100) < percent;
const someOf = <T>(list: readonly T[]): T[] => list.filter(() => chance(40));

test('the answers of random queries have the types that are computed for them', async t => {
  console.log(`# RANDOM_SEED=${seed}`);
  const service = await lendService(t, {});
  const [row] = await service.sql<{ contract: Contract }[]>`select service.contract() as contract`;
  const contract = row?.contract as Contract;
  const staff = await tokenFor('ada', ['staff']);
  await service.account(staff);
  const clients = [SERVICE_KEY, SERVICE_KEY, staff].map(token =>
    createClient({ url: service.address, schema, token, warn: () => undefined }) as unknown as Client<any>);
  const statements: string[] = [];
  const stats = { rows: 0, empty: 0 };
  for (let n = 0; n < runs(QUERIES); n++) {
    const call = randomCall(contract.catalog);
    const answer = await answered(oneOf(clients), call);
    if (answer === undefined) continue;
    stats[JSON.stringify(answer) === '[]' ? 'empty' : 'rows']++;
    statements.push(statementOf(call, answer, n));
  }
  t.comment(`${statements.length} answers, ${stats.empty} of them without a row`);
  t.ok(statements.length > 0.9 * runs(QUERIES) && stats.rows > stats.empty);
  const folder = t.testdir({ 'rowgate.types.ts': typesFile(contract), 'answers.ts': `${HEAD}${statements.join('\n')}\n}\n` });
  t.same(checker([join(folder, 'answers.ts')]).complaints, []);

  writeFileSync(join(folder, 'wrong.ts'), `${HEAD}${statements.map(spoiled).filter(text => text !== undefined).join('\n')}\n}\n`);
  const wrong = checker([join(folder, 'wrong.ts')]).complaints;
  const lines = new Set(wrong.map(text => /wrong\.ts:(\d+)/.exec(text)?.[1]));
  const spoilt = statements.filter(text => spoiled(text) !== undefined).length;
  t.equal(lines.size, spoilt, 'and one with another value in it does not');
});

/** `meets` takes an answer as the type of a query has it: a literal, with nothing in it that the type does not know. */
const HEAD = `
  import { type Client } from '${join(ROOT, 'client/src/index.ts')}';
  import { type Schema } from './rowgate.types.ts';
  export async function meets(db: Client<Schema>): Promise<void> {
`;

/** On one line: complaints are counted by lines. */
function statementOf({ collection, method, id, query, through }: Call, answer: unknown, n: number): string {
  const path = through === undefined ? '' : `.related(${through.map(part => JSON.stringify(part)).join()})`;
  const from = `db.from(${JSON.stringify(collection)})${path}`;
  const call = `${from}.${method}(${id === undefined ? '' : `${JSON.stringify(id)}, `}${JSON.stringify(query)})`;
  const rows = method === 'list' ? '.data' : '';
  const type = `Awaited<ReturnType<typeof q${n}>>`;
  return `{ const q${n} = async () => (await ${call})${rows}; const a${n}: ${type} = ${JSON.stringify(answer)}; void a${n}; }`;
}

/** The same with a number where a text of digits stands, or a text where a number does. */
function spoiled(statement: string): string | undefined {
  const [query = '', answer = ''] = statement.split('>> = ');
  const wrong = answer.replace(/"(id|price|stock|shipping|unitPrice|rating|quantity|position|count)":(?:"[^"]*"|\d+)/,
    (_, name: string) => `"${name}":true`);
  return wrong === answer ? undefined : `${query}>> = ${wrong}`;
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
    const target = catalog.find(({ slug }) => slug === relation.target) as Collections[number];
    return { collection: collection.slug, method: 'list', query: queryOf(catalog, target, 2), through: ['first', relation.name] };
  }
  return { collection: collection.slug, method: 'list', query };
}

function only(query: Query, names: string[]): Query {
  return Object.fromEntries(Object.entries(query).filter(([name]) => names.includes(name)));
}

function queryOf(catalog: Collections, collection: Collections[number], hops: number): Query {
  const names = collection.properties.map(({ name }) => name);
  const sortable = collection.properties.filter(({ type }) => !['map', 'vector', 'binary'].includes(type)).map(({ name }) => name);
  const included = includeOf(catalog, collection, hops);
  return {
    ...chance(50) && { fields: [oneOf(names), ...someOf(names)] },
    ...Object.keys(included).length > 0 && { include: included },
    ...chance(40) && { where: whereOf(collection) },
    ...chance(50) && { orderBy: [{ field: oneOf(sortable), ...chance(50) && { direction: oneOf(['asc', 'desc']) } }] },
    limit: 1 + random(AT_MOST),
  };
}

function includeOf(catalog: Collections, { relations }: Collections[number], hops: number): Query {
  if (hops === 0) return {};
  return Object.fromEntries(relations.filter(() => chance(40)).map(({ name, target, single }) => {
    const reached = catalog.find(({ slug }) => slug === target) as Collections[number];
    const { where, ...node } = queryOf(catalog, reached, hops - 1);
    const narrowed = single ? only(node, ['fields', 'include']) : { ...node, ...where !== undefined && { where } };
    return [name, Object.keys(narrowed).length === 0 || chance(20) ? true : narrowed];
  }));
}

/** Conditions that most rows meet, by type. */
const CONDITIONS: Record<string, unknown[]> = {
  string: [['!=', 'none'], ['is-not-null', null], [['!=', 'a'], ['not-like', 'b']], ['ilike', '%']],
  number: [['>', 0], [['>=', 0], ['<', 30_000]], ['not-in', [-1, -2]]],
  boolean: [['in', [true, false]], ['!=', false]],
  date: [['>', '1900-01-01'], ['<', '2100-01-01T00:00:00Z']],
  array: [['is-not-null', null], ['array-contains-any', ['cotton', 'steel', 'paper', 'stoneware']]],
  map: [['is-not-null', null]],
};

function whereOf({ properties }: Collections[number]): Query {
  const { name, type, sqlType } = oneOf(properties.filter(property => CONDITIONS[property.type] !== undefined));
  const isOfItsOwn = type === 'string' && !['text', 'character varying', 'bpchar'].includes(sqlType); // a uuid, an enum
  return { [name]: isOfItsOwn ? ['is-not-null', null] : oneOf(CONDITIONS[type] ?? []) };
}

function aggregateOf({ properties }: Collections[number]): Query {
  const numbers = properties.filter(({ type }) => type === 'number').map(({ name }) => name);
  const ordered = properties.filter(({ type, sqlType }) => ['number', 'date'].includes(type) || sqlType === 'text').map(({ name }) => name);
  const groups = properties.filter(({ type }) => ['string', 'boolean', 'date', 'number'].includes(type)).map(({ name }) => name);
  const select = [
    'count()', `count(${oneOf(properties.map(({ name }) => name))})`,
    ...numbers.length > 0 ? [`sum(${oneOf(numbers)})`, `avg(${oneOf(numbers)})`] : [], `min(${oneOf(ordered)})`, `max(${oneOf(ordered)})`,
  ];
  const chosen = someOf(select);
  const grouped = chance(60);
  return { select: chosen.length > 0 ? chosen : ['count()'], ...grouped && { groupBy: [oneOf(groups)], limit: AT_MOST } };
}

/** The answer; undefined where no row is there for a call that needs one. `first` stands for the key of the first row. */
async function answered(db: Client<any>, call: Call): Promise<unknown> {
  const rows = db.from(call.collection) as Record<string, any>;
  const first = async () => {
    const { data: [found] } = await rows['list']({ limit: 1, fields: ['id'], offset: random(5) });
    return found?.id as unknown;
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
