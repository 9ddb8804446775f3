import fc from 'fast-check';
import t from 'tap';
import { ApiError } from '../../gateway/error.ts';
import { parseRead } from '../../gateway/grammar/read/request.ts';
import type { ParsedRead } from '../../gateway/grammar/read/shape.ts';
import { random } from '../harness/effort.ts';
import { reserved } from './reserved.ts';

const options = { defaultLimit: 50, maxLimit: 1000, maxIncludeLimit: Number.MAX_SAFE_INTEGER };
const runs = random(2000);

/** A mark that no name contains, so that it reveals a value that stayed in the shape. */
const mark = '☃';

function parse(segments: string[], query: string): ParsedRead | undefined {
  try {
    return parseRead(segments, query, options);
  } catch (error) {
    if (error instanceof ApiError && (error.status === 400 || error.status === 404)) return undefined;
    throw error;
  }
}

/** Parameter numbers of a path inside JSON, in the name of a field. */
const pathNumbers = (field: string): number[] => Array.from(field.matchAll(/->[$#](\d+)/g), ([, number]) => Number(number));

/** Every number in a shape is a parameter, but for the bucket of a limit. */
function parameterNumbers(part: unknown): number[] {
  if (typeof part === 'number') return [part];
  if (typeof part !== 'object' || part === null) return [];
  return Object.entries(part).flatMap(([key, value]) => key === 'bucket'
    ? []
    : [...pathNumbers(key), ...key === 'column' && typeof value === 'string' ? pathNumbers(value) : parameterNumbers(value)]);
}

function checkNumbering({ shape, values, sources }: ParsedRead): void {
  // The numbers of a clause that is only checked have no meaning.
  const numbers = parameterNumbers(JSON.parse(JSON.stringify({ ...shape, checked: undefined }))).sort((a, b) => a - b);
  const expected = values.map((_, i) => i + 6);
  if (numbers.join() !== expected.join()) throw new Error(`${values.length} values, parameters ${numbers.join()}`);
  if (sources.length !== values.length) throw new Error(`${values.length} values, ${sources.length} sources`);
}

const name = fc.constantFrom('a', 'b', 'rel', 'rel.a', 'meta->>x', '__proto__', 'constructor', 'toString', 'hasOwnProperty');
const operator = fc.constantFrom('==', '!=', '>', 'in', 'nin', 'not-in', 'csa', 'cs', 'like', 'is-null', 'notnull', 'eq', 'gte', '=',
  'contains');
const segments = fc.array(fc.oneof(fc.constantFrom('album', '1', 'count', 'aggregate', 'undefined', ''), fc.string({ unit: 'binary' })),
  { maxLength: 6 });

void t.test('no input is answered with anything but an ApiError', t => {
  const grammar = fc.string({ unit: fc.constantFrom(...Array.from('()\\.,:[]{}"*=&+-1 aené'), '%', '\0', 'and(', 'or(', 'not(', '.eq.',
    '.in.(', '(\\)', 'null', '":', '%00', '%ff') });
  const value = fc.oneof(fc.string({ unit: 'binary' }), grammar, fc.json(), fc.json().map(encodeURIComponent),
    fc.constantFrom('true', '1', '5', '-1', '*', 'a', 'only', 'l2', '[1]', 'count()', 'e30.bWFj'));
  const query = fc.array(fc.tuple(fc.oneof(fc.constantFrom(...reserved), name, fc.string({ unit: 'binary' })), value), { maxLength: 6 })
    .map(parts => parts.map(part => part.join('=')).join('&'));
  fc.assert(fc.property(segments, fc.oneof(query, fc.string({ unit: 'binary' }), grammar), (path, text) => {
    const parsed = parse(path, text);
    if (parsed) checkNumbering(parsed);
  }), runs);
  t.end();
});

void t.test('every value of a well-formed request is a parameter, once, and nowhere in the shape', t => {
  const marked = fc.string({ unit: 'grapheme', maxLength: 8 }).map(text => `${mark}${text.replaceAll('\0', '')}${mark}`);
  const scalar = fc.oneof(marked, fc.integer(), fc.boolean());
  const condition = fc.oneof(
    scalar, fc.constant(null), fc.tuple(fc.constantFrom('==', '!=', '>', 'like', 'cs', 'is-null'), scalar),
    fc.tuple(fc.constantFrom('in', 'not-in', 'csa'), fc.array(scalar)),
    fc.array(fc.tuple(fc.constantFrom('gte', 'lt'), scalar), { minLength: 1 }), fc.array(marked, { minLength: 3 }),
    marked.map(text => `ilike.${text}`),
  );
  const where = fc.dictionary(name, condition);
  const escaped = marked.map(text => text.replaceAll(/[\\,()]/g, '\\$&'));
  const { group } = fc.letrec<{ group: string }>(tie => ({
    group: fc.tuple(fc.constantFrom('and', 'or', 'not'), fc.array(fc.oneof({ maxDepth: 4 },
      fc.tuple(name, fc.constantFrom('eq', 'neq', '>=', 'nlike', 'notnull'), escaped).map(parts => parts.join('.')),
      fc.tuple(name, fc.constantFrom('in', 'nin',
        'csa'), fc.array(escaped, { minLength: 1 })).map(([column, code, items]) => `${column}.${code}.(${items.join()})`),
      tie('group')), { minLength: 1, maxLength: 4 })).map(([type, parts]) => `${type}(${parts.join()})`),
  }));
  const node = fc.record({
    where, limit: fc.integer({ min: 1 }), logical: group, fields: fc.array(name), orderBy: fc.constantFrom('a', 'a:desc'),
  }, { requiredKeys: [] });
  const include = fc.dictionary(fc.constantFrom('x', 'y',
    '__proto__'), fc.oneof(node, fc.constant(true), fc.tuple(node, fc.dictionary(fc.constant('z'), node))
    .map(([outer, inner]) => ({ ...outer, include: inner }))));
  const parameters = fc.record({
    a: fc.oneof(marked, marked.map(text => `gte.${text}`), fc.array(escaped, { minLength: 1 }).map(items => `in.(${items.join()})`)),
    where: where.map(value => JSON.stringify(value)), or: group.map(text => `(${text})`), not: group, searchString: marked,
    include: include.map(value => JSON.stringify(value)), limit: fc.integer({ min: 1, max: 1000 }).map(String),
    offset: fc.nat().map(String), orderBy: fc.constantFrom('a', '["a:desc","b"]'), fields: fc.constant('a,b'),
    select: fc.constant('count(),sum(a)'), groupBy: fc.constant('a'), vector_search: fc.constant('e'), vector: fc.constant('[1,2]'),
    deleted: fc.constant('only'),
  }, { requiredKeys: ['select', 'groupBy', 'vector'] });
  const paths = fc.constantFrom<string[]>(['album'], ['album', mark], ['album', 'count'], ['album', 'aggregate'],
    ['artist', mark, 'album', 'count'], ['a', mark, 'b', mark]);
  fc.assert(fc.property(paths, parameters, (path, query) => {
    const parsed = parseRead(path, new URLSearchParams(query).toString(), options);
    checkNumbering(parsed);
    if (JSON.stringify(parsed.shape).includes(mark)) throw new Error(`a value stayed in ${JSON.stringify(parsed.shape)}`);
  }), runs);
  t.end();
});

void t.test('an operator name that is none, or one in another’s place, never escapes as a crash', t => {
  const json: fc.Arbitrary<unknown> = fc.letrec(tie => ({
    json: fc.oneof({ maxDepth: 5 }, fc.constantFrom<unknown>(null, true, 1, 'x', 'gte.1', { __type: 'relation', id: 1 }), operator,
      fc.array(tie('json'), { maxLength: 4 }), fc.dictionary(fc.oneof(name,
        fc.constantFrom('type', 'conditions', 'column', 'operator', 'value', 'where', 'logical', 'include', 'limit')), tie('json'))),
  })).json;
  fc.assert(fc.property(fc.constantFrom('where', 'include', 'orderBy', 'vector'), json, (key, value) => {
    const parsed = parse(['album'], `${key}=${encodeURIComponent(JSON.stringify(value))}`);
    if (parsed) checkNumbering(parsed);
  }), runs);
  t.end();
});
