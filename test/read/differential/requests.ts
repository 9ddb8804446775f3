import fc from 'fast-check';
import type { Group, Key, Leaf, Node } from './model.ts';
import { data, FIELDS, keyOf, related, RELATIONS, relationOf, type Row, type World } from './world.ts';

export type Step = { collection: string; id: number; relation: string };
export type Aggregate = { fn: string; field: string | undefined };
export type Probe =
  | { kind: 'walk'; restate: boolean }
  | { kind: 'window'; page: boolean; at: number }
  | { kind: 'count' }
  | { kind: 'get'; at: number }
  | { kind: 'distinct'; fields: string[] }
  | {
    kind: 'aggregate'; select: Aggregate[]; groupBy: string[];
    sort: { at: number; direction: 'asc' | 'desc'; nulls: 'first' | 'last' | undefined }[]; limit: number; offset: number;
  };
export type Ask = { asReader: boolean; path: Step[]; collection: string; node: Node; search: string[] | undefined; probe: Probe };

const maybe = <T>(arbitrary: fc.Arbitrary<T>, freq = 1): fc.Arbitrary<T | undefined> => fc.option(arbitrary, { nil: undefined, freq });
const direction = fc.constantFrom('asc' as const, 'desc' as const);
const nulls = fc.constantFrom(undefined, 'first' as const, 'last' as const);
const spelling = fc.nat(59);

/** Requests whose values come from the rows themselves, hidden ones too, so that they find something. */
export function asks(world: World): fc.Arbitrary<Ask> {
  return paths(world).chain(({ path, collection }) => fc.record({
    asReader: fc.boolean(), path: fc.constant(path), collection: fc.constant(collection), node: node(world, collection, 3),
    search: maybe(words(world, collection), 6),
    probe: fc.oneof(
      { weight: 4, arbitrary: fc.record({ kind: fc.constant('walk' as const), restate: fc.boolean() }) },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant('window' as const), page: fc.boolean(), at: fc.nat(60) }) },
      fc.record({ kind: fc.constant('count' as const) }),
      fc.record({ kind: fc.constant('get' as const), at: fc.nat() }),
      fc.record({ kind: fc.constant('distinct' as const), fields: fc.uniqueArray(fc.constantFrom(...FIELDS[collection] ?? []),
        { minLength: 1, maxLength: 3 }) }),
      { weight: 2, arbitrary: aggregates(collection) },
    ),
  }));
}

function aggregates(collection: string): fc.Arbitrary<Probe> {
  const fields = FIELDS[collection] ?? [];
  const numbers = fields.filter(field => data.numbers.includes(field));
  const any = fc.record({ fn: fc.constantFrom('count', 'min', 'max'), field: fc.constantFrom(...fields) });
  const one: fc.Arbitrary<Aggregate> = numbers.length === 0
    ? any
    : fc.oneof(any, fc.record({ fn: fc.constantFrom('sum', 'avg', 'min', 'max'), field: fc.constantFrom(...numbers) }));
  return fc.record({
    kind: fc.constant('aggregate' as const),
    select: fc.uniqueArray(fc.oneof(one, fc.constant({ fn: 'count', field: undefined })),
      { minLength: 1, maxLength: 4, selector: ({ fn, field }) => `${fn} ${field}` }),
    groupBy: fc.uniqueArray(fc.constantFrom(...fields), { maxLength: 2 }),
    sort: fc.array(fc.record({ at: fc.nat(5), direction, nulls }), { maxLength: 2 }), limit: fc.integer({ min: 1, max: 60 }),
    offset: fc.nat(10),
  });
}

/** A list at the root or below one or two rows, by links that mostly hold. */
function paths(world: World): fc.Arbitrary<{ path: Step[]; collection: string }> {
  const step = (collection: string, from: Row[]): fc.Arbitrary<{ step: Step; target: string; rows: Row[] }> =>
    fc.tuple(fc.nat(), fc.nat(9), fc.constantFrom(...Object.keys(RELATIONS[collection] ?? {})))
    .map(([at, stray, relation]) => {
      const rows = stray === 0 || from.length === 0 ? world.rows[collection] ?? [] : from;
      const row = rows[at % rows.length] ?? {};
      return { step: { collection, id: row[keyOf(collection)] as number, relation }, target: relationOf(collection, relation)?.target
        ?? '', rows: related(world, collection, row, relation) };
    });
  return fc.tuple(fc.constantFrom(...Object.keys(FIELDS)), fc.constantFrom(0, 0, 0, 1, 2)).chain(([collection, hops]) => {
    if (hops === 0) return fc.constant({ path: [], collection });
    return step(collection, []).chain(first => hops === 1 ? fc.constant({ path: [first.step], collection: first.target })
      : step(first.target, first.rows).map(second => ({ path: [first.step, second.step], collection: second.target })));
  });
}

/** A list, or a relation that one includes. `hops`: how many may still follow. */
function node(world: World, collection: string, hops: number): fc.Arbitrary<Node> {
  const names = Object.keys(RELATIONS[collection] ?? {});
  const leaf = leaves(world, collection);
  const pair = fc.constantFrom(...FIELDS[collection]
    ?? []).chain(field => fc.array(conditions(world, collection, field).map(leaf => ({ ...leaf, field })), { minLength: 2, maxLength: 2 }));
  const within = hops === 3;
  const include = hops === 0 ? fc.constant<Record<string, Node>>({}) : fc.oneof(
    { weight: within ? 2 : 1, arbitrary: fc.constant<Record<string, Node>>({}) },
    { weight: 1, arbitrary: fc.subarray(names, { minLength: 1, maxLength: Math.min(names.length, within ? 2 : 1) }).chain(named =>
      fc.record(Object.fromEntries(named.map(name => [name, node(world, relationOf(collection, name)?.target ?? '', hops - 1)])))) },
  );
  return fc.record({
    leaves: fc.oneof({ weight: 3, arbitrary: fc.array(leaf, { maxLength: within ? 3 : 1 }) }, { weight: 1, arbitrary: pair }),
    group: maybe(groups(leaf), within ? 1 : 3), keys: fc.uniqueArray(keys(collection), { maxLength: 3, selector: ({ field }) => field }),
    // Below the first rows every relation has a limit: a genre has 1,300 tracks, and each of these a list of its own.
    limit: within ? fc.integer({ min: 1, max: 40 })
      : hops === 2 ? maybe(fc.integer({ min: 1, max: 5 }), 5)
      : fc.integer({ min: 1, max: 4 }),
    fields: maybe(fc.uniqueArray(fc.constantFrom(...FIELDS[collection] ?? []), { minLength: 1, maxLength: 3 }).map(fields =>
      fields.filter(field => field !== keyOf(collection))).filter(fields => fields.length > 0)),
    include, all: within ? fc.nat(11).map(n => n === 11) : fc.constant(false), spelling,
  });
}

/** Pieces of a row's texts, in any case, blanks within them. */
function words(world: World, collection: string): fc.Arbitrary<string[]> {
  const texts = (world.rows[collection] ?? []).flatMap(row =>
    Object.entries(row).filter(([name, value]) => typeof value === 'string' && !name.endsWith('Date')).map(([, value]) => value as string))
    .map(text => text.replaceAll(/[^A-Za-z0-9%_ ]+/g, ' ').trim()).filter(text => text !== '');
  const word = fc.tuple(fc.constantFrom(...texts, 'word'), fc.nat(8), fc.integer({ min: 1, max: 4 }), fc.boolean())
    .map(([text, from, length, upper]) => {
      const piece = text.slice(from, from + length).trim() || text;
      return upper ? piece.toUpperCase() : piece;
    });
  return fc.array(word, { minLength: 1, maxLength: 2 });
}

function groups(leaf: fc.Arbitrary<Leaf>): fc.Arbitrary<Group> {
  return fc.letrec<{ group: Group; node: Group | Leaf }>(tie => ({
    group: fc.record({
      type: fc.constantFrom('and' as const, 'or' as const, 'not' as const), parts: fc.array(tie('node'), { minLength: 1, maxLength: 3 }),
    }),
    node: fc.oneof({ maxDepth: 3 }, leaf, tie('group')),
  })).group;
}

/** No avg: PostgreSQL divides to a number of digits that depends on the operands, so that equal quotients may differ. */
function keys(collection: string): fc.Arbitrary<Key> {
  const relations = Object.entries(RELATIONS[collection] ?? {});
  const columns = [...FIELDS[collection] ?? [], ...relations.filter(([, { kind }]) => kind === 'belongsTo').map(([name]) => name)];
  const overRelation = fc.constantFrom(...relations).chain(([name, { target }]) => fc.oneof(
    fc.constant(`count(${name})`),
    fc.tuple(fc.constantFrom('count', 'min',
      'max'), fc.constantFrom(...FIELDS[target] ?? [])).map(([fn, field]) => `${fn}(${name}.${field})`),
    fc.constantFrom(...FIELDS[target]
      ?? []).map(field => data.numbers.includes(field) ? `sum(${name}.${field})` : `count(${name}.${field})`),
  ));
  return fc.record({
    field: fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...columns) }, { weight: 1, arbitrary: overRelation }), direction, nulls,
  })
    .map(({ nulls, ...key }) => ({ ...key, ...(nulls && { nulls }) }));
}

function leaves(world: World, collection: string): fc.Arbitrary<Leaf> {
  const own = fc.constantFrom(...FIELDS[collection]
    ?? []).chain(name => conditions(world, collection, name).map(leaf => ({ ...leaf, field: name })));
  const relation = fc.constantFrom(...Object.entries(RELATIONS[collection] ?? {}));
  const member = relation.chain(([field, { target, kind }]) => conditions(world, target, keyOf(target))
    .filter(({ op }) => kind === 'belongsTo' || !/^[gl]te?$/.test(op))
    .map(({ op, ...leaf }) =>
      ({ ...leaf, field, op: kind === 'belongsTo' || leaf.spelling % 4 !== 0 ? op : op === 'eq' ? 'cs' : op === 'in' ? 'csa' : op })));
  const across = relation.chain(([name, { target }]) => fc.constantFrom(...FIELDS[target]
    ?? []).chain(column => conditions(world, target, column).map(leaf => ({ ...leaf, field: `${name}.${column}` }))));
  return fc.oneof({ weight: 5, arbitrary: own }, { weight: 1, arbitrary: member }, { weight: 2, arbitrary: across });
}

/** A condition that suits the values of a column. */
function conditions(world: World, collection: string, column: string): fc.Arbitrary<Omit<Leaf, 'field'>> {
  const values = [...new Set((world.rows[collection] ?? []).map(row => row[column]).filter(value => value !== null))];
  const value = fc.nat(Math.max(values.length - 1, 0)).map(i => values[i] ?? 'nothing');
  const leaf = (op: fc.Arbitrary<string>, operand: fc.Arbitrary<any>) => fc.record({ op, value: operand, spelling });
  const scalar = leaf(fc.constantFrom('eq', 'neq', 'gt', 'gte', 'lt', 'lte'), value);
  const list = leaf(fc.constantFrom('in', 'nin'), fc.array(value, { maxLength: 4 }));
  const empty = leaf(fc.constantFrom('isnull', 'notnull'), fc.constant(null));
  if (typeof values[0] === 'number' || column.endsWith('Date')) {
    return fc.oneof({ weight: 3, arbitrary: scalar }, { weight: 2, arbitrary: list }, { weight: 1, arbitrary: empty });
  }
  return fc.oneof({ weight: 3, arbitrary: scalar }, { weight: 2, arbitrary: list }, { weight: 1, arbitrary: empty },
    { weight: 2, arbitrary: leaf(fc.constantFrom('like', 'ilike', 'nlike', 'nilike'), patterns(value)) });
}

/** A piece of a value: its wildcards escaped, turned into wildcards, or as they are. Only ASCII changes its case. */
function patterns(value: fc.Arbitrary<any>): fc.Arbitrary<string> {
  return fc.tuple(value, fc.nat(4), fc.constantFrom(2, 3, 8), fc.nat(11)).map(([whole, from, length, how]) => {
    const piece = Array.from(String(whole)).slice(how % 2 === 0 ? 0 : from, from + length).join('');
    const escaped = how % 3 === 0 ? piece.replaceAll(/[\\%_]/g, '_')
      : how % 3 === 1 ? piece.replaceAll(/[\\%_]/g, '\\$&')
      : piece.replaceAll('\\', '\\\\');
    const cased = how % 4 === 0 ? escaped.replaceAll(/[a-z]/g, letter => letter.toUpperCase()) : escaped;
    return `${how % 2 === 0 ? '' : '%'}${cased}${how < 10 ? '%' : ''}`;
  });
}
