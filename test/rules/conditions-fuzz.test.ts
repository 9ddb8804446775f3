import assert from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'tap';
import { loadCollections } from '../../gateway/collections/load.ts';
import { provision } from '../collections/declared.ts';
import { createDatabase } from '../harness/database.ts';
import { random } from '../harness/effort.ts';
import { asCaller, ruled, type Caller } from './client.ts';
import { holds, type Condition, type Operand, type Operator, type Row, type Value, type World } from './model.ts';

// Random conditions, as policies and by a model of what they mean in memory.

const TEXTS = ['a', 'b', 'ab', '1', '2'];
const HOSTILE = [
  '', ' ', '\'', '"', '\\', '%', '{id}', '$1', '<table>', ')--', '\' or true --', '$$', '/*', '{"a"}', 'ünï', 'null', 'service.uid()',
];
const CLAIMS = ['sub', 'org', 'level', 'missing', 'it\'s'];
const ROLES = ['editor', 'writer', 'it\'s', '{}', '\\'];

const CALLERS: Caller[] = [
  { uid: 'anonymous', roles: ['anon'] }, { uid: 'a', roles: ['editor', 'it\'s'], claims: { org: 'b', level: 2, 'it\'s': 'ab' } },
  { uid: '2', guest: true, claims: { org: '1', level: 'many' } },
  { uid: '\' or true --', roles: ['writer', '{}', '\\'], claims: { org: '{id}', level: '1' } },
];
const keys = (ids: number[], values: (i: number) => Record<string, Value>): Row[] => ids.map(id => ({ id, ...values(id) }));
const ROWS = keys([1, 2, 3, 4, 5, 6],
  i => ({ a: [null, ...TEXTS][i % 6] ?? null, b: [...HOSTILE, null][(i * 5) % 18] ?? null, n1: [1, 2, null][i % 3] ?? null, n2: i - 3 }));
const OTHERS = keys([1, 2, 3], i => ({ a: TEXTS[i] ?? null, b: i === 3 ? null : 'a', n1: i, n2: i === 2 ? null : 2 }));
const WORLD: World = { others: OTHERS };

const texts = ['a', 'b'];
const numbers = ['n1', 'n2'];
const op = fc.constantFrom<Operator>('eq', 'neq', 'lt', 'lte', 'gt', 'gte');
const equality = fc.constantFrom<Operator>('eq', 'neq');
const literal = (values: Value[]): fc.Arbitrary<Operand> => fc.constantFrom(...values).map(value => ({ kind: 'literal', value }));
const caller: fc.Arbitrary<Operand> = fc.oneof(fc.constant<Operand>({ kind: 'authUid' }),
  fc.constantFrom(...CLAIMS).map((name): Operand => ({ kind: 'authClaim', name })));

function comparison(isInside: boolean): fc.Arbitrary<Condition> {
  const kinds = isInside ? ['field', 'outerField'] as const : ['field'] as const;
  const column = (names: string[]): fc.Arbitrary<Operand> =>
    fc.tuple(fc.constantFrom(...kinds), fc.constantFrom(...names)).map(([kind, name]) => ({ kind, name }));
  const sides = fc.oneof(
    fc.tuple(fc.constant(op), column(numbers), fc.oneof(column(numbers), literal([-1, 0, 1, 2, '2']), caller)),
    fc.tuple(fc.constant(equality), column(texts), fc.oneof(column(texts), literal([...TEXTS, ...HOSTILE, 1, true]), caller)),
    fc.tuple(fc.constant(op), column(['a']), literal(TEXTS)),
    fc.tuple(fc.constant(equality), fc.oneof(column([...texts, ...numbers]), caller.filter(({ kind }) => kind === 'authClaim')),
      literal([null])),
    fc.tuple(fc.constant(equality), caller, fc.oneof(caller, literal([...TEXTS, ...HOSTILE]))),
    fc.tuple(fc.constant(op), caller, literal([0, 1, 2])),
  );
  return sides.chain(([ops, left, right]) => fc.tuple(ops, fc.boolean()).map(([op, isTurned]): Condition =>
    ({ kind: 'compare', op, ...(isTurned ? { left: right, right: left } : { left, right }) })));
}

const roles = fc.tuple(fc.constantFrom('rolesOverlap' as const, 'rolesContain' as const),
  fc.uniqueArray(fc.constantFrom(...ROLES), { minLength: 1, maxLength: 2 }))
  .map(([kind, roles]): Condition => ({ kind, roles }));
const constant = fc.constantFrom<Condition>({ kind: 'true' }, { kind: 'false' }, { kind: 'authenticated' }, { kind: 'registered' },
  { kind: 'serverContext' });

/** Deeper inside of existsIn too. */
const { outside: condition } = fc.letrec<{ outside: Condition; inside: Condition }>(tie => {
  const node = (self: 'outside' | 'inside'): fc.Arbitrary<Condition> => fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    { weight: 4, arbitrary: comparison(self === 'inside') }, { weight: 1, arbitrary: roles }, { weight: 1, arbitrary: constant },
    { weight: 3, arbitrary: fc.tuple(fc.constantFrom('and' as const,
      'or' as const), fc.array(tie(self), { minLength: 1, maxLength: 3 })).map(([kind, operands]): Condition => ({ kind, operands })) },
    { weight: 2, arbitrary: tie(self).map((operand): Condition => ({ kind: 'not', operand })) },
    { weight: 1, arbitrary: tie('inside').map((where): Condition => ({ kind: 'existsIn', collection: 'others', where })) },
  );
  return { outside: node('outside'), inside: node('inside') };
});

const properties = {
  id: { type: 'number', isId: 'manual' }, a: { type: 'string' }, b: { type: 'string' },
  n1: { type: 'number', validation: { integer: true } }, n2: { type: 'number', columnType: 'bigint' },
};
const others = { properties, securityRules: [{ operation: 'select', access: 'public' }] };

test('conditions as policies and as a model in memory let the same callers see the same rows', async t => {
  const { numRuns, seed } = random(1_200); // fewer than 120 may by chance hardly tell callers apart (60: three times in 400)
  const conditions = fc.sample(condition, { numRuns, seed });
  const sql = await ruled(t, { others, ...Object.fromEntries(conditions.map((condition, i) =>
    [`c${i}`, { properties, disableDefaultPolicies: true, securityRules: [{ operation: 'select', condition }] }])) });
  await sql`insert into others ${sql(OTHERS)}`;
  for (const i of conditions.keys()) await sql`insert into ${sql(`c${i}`)} ${sql(ROWS)}`;
  let [some, all] = [0, 0];
  for (const caller of CALLERS) {
    await asCaller(sql, caller, async transaction => {
      for (const [i, condition] of conditions.entries()) {
        const expected = ROWS.filter(row => holds(condition, { world: WORLD, caller, row, checked: row }) === true).map(({ id }) => id);
        const seen = await transaction<{ id: number }[]>`select id from ${transaction(`c${i}`)} order by id`;
        if (expected.length > 0 && expected.length < ROWS.length) some++;
        all++;
        if (seen.map(({ id }) => id).join() !== expected.join()) {
          t.same(seen.map(({ id }) => id), expected, `${caller.uid}: ${JSON.stringify(condition)}`);
        }
      }
    });
  }
  t.ok(some > all / 10, `${some} of ${all} answers were neither none nor all`);
});

test('any condition is refused as a bad file is, or served: nothing else happens', async t => {
  const text = fc.oneof(fc.constantFrom(...HOSTILE, 'id', 'a', 'n1', 'others', 'x'), fc.string({ unit: 'binary' }));
  const value = fc.oneof(text, fc.integer(), fc.double(), fc.boolean(), fc.constant(null), fc.array(text, { maxLength: 2 }));
  const kind = fc.constantFrom('true', 'and', 'or', 'not', 'compare', 'rolesOverlap', 'rolesContain', 'authenticated', 'existsIn', 'raw');
  const operand = fc.record({
    kind: fc.constantFrom('field', 'outerField', 'literal', 'authUid', 'authRoles', 'authClaim'), name: text, value,
  }).map(({ kind, name, value }) =>
    ({ kind, ...(kind === 'literal' ? { value } : kind.startsWith('auth') && kind !== 'authClaim' ? {} : { name }) }));
  const { node } = fc.letrec<{ node: object }>(tie => ({
    node: fc.record({
      kind, op, left: operand, right: operand, roles: fc.array(text, { minLength: 1, maxLength: 2 }), collection: text, sql: text,
      operands: fc.array(tie('node'), { minLength: 1, maxLength: 2, depthIdentifier: 'n' }),
      operand: fc.oneof({ maxDepth: 3, depthIdentifier: 'n' }, fc.constant({ kind: 'true' }), tie('node')),
    }, { requiredKeys: ['kind'] })
      .map(({ kind, ...rest }) => ({
        kind, ...Object.fromEntries(Object.entries({ ...rest, where: rest.operand }).filter(([key]) => (KEYS[kind] ?? []).includes(key))),
      })),
  }));
  const { sql } = await createDatabase(t, { template: 'served' });
  let served = 0;
  await fc.assert(fc.asyncProperty(fc.oneof(node, fc.jsonValue()), async condition => {
    const folder = t.testdir({
      'x.json': JSON.stringify({ slug: 'x', properties, securityRules: [{ condition }] }),
      'others.json': JSON.stringify({ slug: 'others', ...others }),
    });
    const loaded = loadCollections(folder, 'error');
    if (loaded === undefined || loaded.problems.length > 0) return;
    const made = await sql`select service_private.define_collections(${JSON.stringify(loaded.project)}::text::jsonb)`.then(() => true,
      refused);
    if (made) await provision(sql).then(async () => { served++; await sql`select * from x`; }, refused);
  }), random(400));
  t.ok(served > 0, `${served} were served`);
  t.same((await sql<{ relname: string }[]>`select relname from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
    order by 1`).map(({ relname }) => relname), ['others', 'x']);
});

const KEYS: Record<string, string[]> = {
  and: ['operands'], or: ['operands'], not: ['operand'], compare: ['op', 'left', 'right'], rolesOverlap: ['roles'], rolesContain: ['roles'],
  existsIn: ['collection', 'where'], raw: ['sql'],
};

function refused(error: unknown): false {
  if ((error as { code?: string }).code === 'GW400') return false;
  throw error;
}

test('service.try_cast reads what fits the type, and raises for nothing', async t => {
  const { sql } = await createDatabase(t, { template: 'served' });
  const types = [
    'text', 'varchar', 'uuid', 'smallint', 'integer', 'bigint', 'numeric', 'real', 'double precision', 'boolean', 'date', 'timestamp',
    'timestamptz', 'time', 'jsonb', 'pg_lsn',
  ];
  const digits = fc.string({ unit: fc.constantFrom(...'0 1 2 3 4 5 6 7 8 9 - + . : T Z e E'.split(' '), ' '), maxLength: 40 });
  const day = fc.tuple(fc.integer({ min: 0, max: 10_001 }), fc.integer({ min: 0, max: 13 }), fc.integer({ min: 0, max: 32 }),
    fc.constantFrom('', 'T23:59:59Z', ' 24:00', 'T10:00+15:00', 'T10:00-14:59', ' 10:00:60'))
    .map(([y, m, d, rest]) => `${String(y).padStart(4, '0')}-${String(m).padStart(2, '0')}-${String(d).padStart(2, '0')}${rest}`);
  const edge = fc.constantFrom('32767', '32768', '-32768', '-32769', '2147483647', '2147483648', '-2147483648', '-2147483649',
    '9223372036854775807', '9223372036854775808', '-9223372036854775808', '-9223372036854775809', '2024-02-29', '2023-02-29', '0001-01-01',
    '9999-12-31', '-0', '007', 'infinity', 'NaN');
  for (const type of types) {
    await fc.assert(fc.asyncProperty(fc.oneof(
      digits, day, edge, fc.uuid(), fc.string({ unit: 'binary' }).map(text => text.replaceAll(/\0|[\ud800-\udfff]/g, '')),
    ), async text => {
      const [row] = await sql.unsafe<{ read: string | null }[]>(`select service.try_cast($1, null::${type})::text as read`, [text]);
      if (row?.read != null && /uuid|int/.test(type)) assert.equal(row.read, text, type);
    }), random(300));
  }
  const read = async (text: string, type: string) =>
    (await sql.unsafe<{ read: string | null }[]>(`select service.try_cast($1, null::${type})::text as read`, [text]))[0]?.read;
  t.same(await Promise.all([
    read('32767', 'smallint'), read('32768', 'smallint'), read('-9223372036854775808', 'bigint'), read('9223372036854775808', 'bigint'),
    read('2024-02-29', 'date'), read('2023-02-29', 'date'), read('1.50', 'numeric'), read('true', 'boolean'), read('{}', 'jsonb'),
  ]),
    ['32767', null, '-9223372036854775808', null, '2024-02-29', null, '1.50', 'true', null]);
});
