/** Exact numbers as text, wherever they stand in an answer. */
import { isDeepStrictEqual } from 'node:util';
import { test } from 'tap';
import { changesOf } from '../../client/src/changes.ts';
import { readJson, shapeOf, writeJson, type Shape } from '../../client/src/json.ts';
import { generator, runs, seed } from '../harness/effort.ts';

test('JSON of every kind keeps its digits, wherever the names of exact numbers stand', t => {
  const shapes = [['n', 'l'], ['n', 'l', '1']].map(digits =>
    shapeOf({ version: '', collections: { a: { digits, relations: { b: 'b' } }, b: { digits: ['m'] } } }, 'a', { b: true }));
  const cases: [text: string, value: unknown][] = [
    ['{"n":1.50,"m":1.50}', { n: '1.50', m: 1.5 }],
    ['{"n":-0.0,"b":{"m":1e400,"n":2.0}}', { n: '-0.0', b: { m: '1e400', n: 2 } }],
    ['{"b":[{"m":1},{"m":2.0}],"n": 3.00}', { b: [{ m: '1' }, { m: '2.0' }], n: '3.00' }],
    ['{"n":null,"m":null,"l":[1.0,[2.50,null]]}', { n: null, m: null, l: ['1.0', ['2.50', null]] }],
    ['[{"l":[1.0],"n":1.50},{"l":2.50},{"l":[]}]', [{ l: ['1.0'], n: '1.50' }, { l: '2.50' }, { l: [] }]],
    ['{"n" : 1.50,"x":{"n":2.00}}', { n: '1.50', x: { n: 2 } }],
    ['{"n": 1.50,"x":{"n":2.00}}', { n: '1.50', x: { n: 2 } }],
    ['{"n":1.50 ,"x":{"n": 2.00}}', { n: '1.50', x: { n: 2 } }],
    ['{"x":"\\"n\\":1.50","n":1.50}', { x: '"n":1.50', n: '1.50' }],
    ['{"x":{"n":[1.50,{"n":2.0}]},"n":1.50}', { x: { n: [1.5, { n: 2 }] }, n: '1.50' }],
    ['{"n":"NaN","1":7.0}', { n: 'NaN', 1: '7.0' }],
    ['{"x":{"n":2.0},"n":2.00}', { x: { n: 2 }, n: '2.00' }],
    ['{"x":{"n":2.0,"n":2},"b":[{"m":1.0,"n":2.000}],"n":2.00}', { x: { n: 2 }, b: [{ m: '1.0', n: 2 }], n: '2.00' }],
    ['{"x":{"a\\"n":3.0,"\\"n":4.0},"n" : 2.00 }', { x: { 'a"n': 3, '"n': 4 }, n: '2.00' }],
    ['{"b":{"1":1.0,"m":2.0},"1":1.00}', { b: { 1: 1, m: '2.0' }, 1: '1.00' }],
    ['{"n":"1.50","b":{"m":null,"n":5},"l":[]}', { n: '1.50', b: { m: null, n: 5 }, l: [] }],
    ['[{"n":1.0},null,{"n":2.0}]', [{ n: '1.0' }, null, { n: '2.0' }]],
    ['{"n":1E2,"l":1.5e+1}', { n: '1E2', l: '1.5e+1' }],
  ];
  for (const [text, value] of cases) {
    for (const shape of shapes.slice(text.includes('"1":') ? 1 : 0)) t.strictSame(readJson(text, shape), value, text);
  }
  t.equal(writeJson({ a: 12345678901234567890n, b: { $inc: '1.10' }, c: '1.10', d: '"\\u00001"' }),
    '{"a":12345678901234567890,"b":{"$inc":"1.10"},"c":"1.10","d":"\\"\\\\u00001\\""}');
  const changes = { a: { $inc: '1.10' }, b: { c: { $inc: '1.10' } }, d: { $inc: 'x' }, e: { $inc: ['1'] }, f: { $inc: '1', g: 1 } };
  t.equal(writeJson(changesOf(changes)),
    '{"a":{"$inc":1.10},"b":{"c":{"$inc":"1.10"}},"d":{"$inc":"x"},"e":{"$inc":["1"]},"f":{"$inc":1,"g":1}}');
  t.end();
});

test('lists of rows keep their digits, whatever stands where a row should', t => {
  const shape = shapeOf({ version: '', collections: { a: { digits: ['n', 'length'] } } }, 'a', undefined);
  const cases: [text: string, value: unknown][] = [
    ['[{"n":1.50,"length":2.0},{"n":null,"length":3.00}]', [{ n: '1.50', length: '2.0' }, { n: null, length: '3.00' }]],
    ['[{"unit_n":1.0,"n":2.0},{"n":3.0,"unit_n":4.0}]', [{ 'unit_n': 1, 'n': '2.0' }, { 'n': '3.0', 'unit_n': 4 }]],
    ['["abc",[1.0],7.0,null,true,{"n":1.0,"length":0.0}]', ['abc', [1], 7, null, true, { n: '1.0', length: '0.0' }]],
    ['"abc"', 'abc'],
    ['null', null],
  ];
  for (const [text, value] of cases) t.strictSame(readJson(text, shape), value, text);
  t.throws(() => readJson('[{"n":1.0', shape), SyntaxError);
  t.end();
});

/** A number as it stands in a text. */
class Digits {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** The answer by the source text that a reviver is given. */
function expected(text: string, shape: Shape): unknown {
  const reviver = (_: string, value: unknown, { source }: { source?: string } = {}) =>
    typeof value === 'number' ? new Digits(source ?? '') : value;
  const read = (value: unknown, at: Shape | undefined, isExact = false): unknown => {
    if (value instanceof Digits) return isExact ? value.text : Number(value.text);
    if (Array.isArray(value)) return value.map(item => read(item, at, isExact));
    if (!value || typeof value !== 'object') return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => {
      const inner = at?.relations?.[name];
      return [name, read(member, inner, isExact || (!inner && at?.digits?.includes(name)))];
    }));
  };
  return read(JSON.parse(text, reviver), shape);
}

test('answers at random have the digits that stand in the text', t => {
  console.log(`# RANDOM_SEED=${seed}`);
  const below = generator(seed);
  const pick = <T>(values: readonly T[]): T => values[below(values.length)] as T;
  const some = (names: string[]) => names.filter(() => below(5) < 2);
  const SCALARS = ['n', 'm', 'x_n', 'a"n', '1', 'length'];
  const number = () => pick([`${below(100)}`, `-${below(9)}.${below(90)}0`, '0.0', '12345678901234567890', '1e2', '-0', '7.50E-1']);
  const scalar = () => below(2) ? number() : pick(['null', 'true', '"5"', '"n"', '"NaN"', '"\\"n\\":1.50"']);
  const written = (spaces: number) => {
    const space = () => below(100) < spaces ? pick([' ', '\n', '\t  ']) : '';
    const list = (item: () => string, length = below(4)): string =>
      `[${space()}${Array.from({ length }, item).join(`${space()},${space()}`)}${space()}]`;
    const row = (depth: number): string => `{${space()}${some([...SCALARS, 'b', 'c']).sort(() => below(3) - 1)
      .map(name => `${JSON.stringify(name)}${space()}:${space()}${member(name, depth - 1)}`).join(`${space()},`)}${space()}}`;
    const member = (name: string, depth: number): string =>
      !SCALARS.includes(name) ? related(depth) : below(9) ? scalar() : list(() => list(scalar));
    const related = (depth: number): string =>
      depth < 1 ? scalar() : pick([scalar, () => row(depth), () => list(() => below(4) ? row(depth - 1) : scalar())])();
    return below(2) ? row(4) : list(() => row(3));
  };
  for (let i = 0; i < runs(50_000); i += 1) {
    const collections = {
      a: { digits: some(SCALARS), relations: { b: 'b', c: 'a' } }, b: { digits: some(SCALARS), relations: { c: 'a' } },
    };
    const include = pick([undefined, { b: true }, { c: true, b: { include: { c: true } } }]);
    const shape = shapeOf({ version: '', collections }, 'a', include as never);
    const text = written(pick([0, 0, 5, 50]));
    const [read, wanted] = [readJson(text, shape), expected(text, shape)];
    if (isDeepStrictEqual(read, wanted)) continue;
    t.strictSame(read, wanted, `${i}: ${JSON.stringify(shape)} ${text}`);
    break;
  }
  t.pass('to the end');
  t.end();
});
