import { test } from 'tap';
import { createDatabase } from '../harness/database.ts';
import { defineFiles, type Files } from './client.ts';

const properties = {
  id: { type: 'number', isId: 'manual' }, owner: { type: 'string' }, n: { type: 'number', columnType: 'smallint' },
  u: { type: 'string', columnType: 'uuid' }, open: { type: 'boolean' }, day: { type: 'date', mode: 'date' },
  late: { type: 'date', columnType: 'time' }, status: { type: 'string', enum: ['draft', 'live'] },
  tags: { type: 'array', of: { type: 'string' } }, extra: { type: 'map' }, place: { type: 'geopoint' }, bytes: { type: 'binary' },
};
const field = (name: string) => ({ kind: 'field', name });
const outerField = (name: string) => ({ kind: 'outerField', name });
const literal = (value: unknown) => ({ kind: 'literal', value });
const uid = { kind: 'authUid' };
const roles = { kind: 'authRoles' };
const compare = (left: object, right: object, op = 'eq') => ({ kind: 'compare', op, left, right });
const not = (operand: object) => ({ kind: 'not', operand });
const deep = (depth: number): object => depth === 0 ? { kind: 'true' } : not(deep(depth - 1));
const wide = (count: number): object => ({ kind: 'or', operands: Array.from({ length: count }, () => ({ kind: 'true' })) });

/** A condition, and what is said of it after `x.securityRules[0].condition`. */
const BAD: [condition: object, ...expected: string[]][] = [
  [compare(field('nope'), uid), '.left: x has no property nope with a column'],
  [
    not({ kind: 'and', operands: [{ kind: 'true' }, compare(field('nope'), field('gone'))] }),
    '.operand.operands[1].left: x has no property nope with a column', '.operand.operands[1].right: x has no property gone with a column',
  ],
  [compare(outerField('owner'), uid), '.left: stands inside of existsIn only, for the row that the rule judges; field is that row here'],
  [
    { kind: 'existsIn', collection: 'teams', where: compare(field('name'), outerField('name')) },
    '.where.right: x has no property name with a column',
  ],
  [
    { kind: 'existsIn', collection: 'teams', where: compare(field('owner'), uid) },
    '.where.left: teams has no property owner with a column',
  ],
  [{ kind: 'existsIn', collection: 'nope', where: compare(field('owner'), uid) }, '.collection: there is no collection "nope"'],
  [
    { kind: 'existsIn', collection: 'nope', where: compare(field('id'), outerField('nope')) }, '.collection: there is no collection "nope"',
    '.where.right: x has no property nope with a column',
  ],
  [compare(field('n'), literal('two')), ': invalid input syntax for type smallint: "two"'],
  [compare(literal(70_000), field('n')), ': value "70000" is out of range for type smallint'],
  [compare(field('n'), literal('1; drop table x')), ': invalid input syntax for type smallint: "1; drop table x"'],
  [compare(field('u'), literal('me')), ': invalid input syntax for type uuid: "me"'],
  [compare(field('open'), literal('perhaps')), ': invalid input syntax for type boolean: "perhaps"'],
  [compare(field('day'), literal('2026-02-30')), ': date/time field value out of range: "2026-02-30"'],
  [compare(field('day'), literal('Now')), ': would be the moment at which the policy is made; say it in raw'],
  [compare(field('status'), literal('gone')), ': must be one of draft, live'],
  [compare(field('owner'), literal(['a'])), ': a list is compared with a list, one value with one value'],
  [compare(field('tags'), literal('a')), ': a list is compared with a list, one value with one value'],
  [compare(field('tags'), uid), ': a list is compared with a list, one value with one value'],
  [compare(roles, uid), ': a list is compared with a list, one value with one value'],
  [compare(field('owner'), roles), ': compares text with text[]'],
  [compare(field('owner'), field('n')), ': compares text with smallint'],
  [compare(field('u'), field('owner')), ': compares uuid with text'],
  [compare(field('day'), field('late')), ': compares date with time without time zone'],
  [compare(field('extra'), literal('a')), ': a jsonb cannot be compared; say it in raw'],
  [compare(uid, field('bytes')), ': a bytea cannot be compared; say it in raw'],
  [compare(literal(1), literal(1)), ': compares two literals'],
  [compare(field('owner'), literal(null), 'lt'), ': null is compared by eq or neq'],
  [compare(uid, literal(null)), ': authUid is never null'],
  [compare(literal(null), roles, 'neq'), ': authRoles is never null'],
  [{ kind: 'raw', sql: '{id} = 1) or (true' }, '.sql: must be one SQL expression: syntax error at or near ")"'],
  [
    { kind: 'raw', sql: '{id} = {nope}' },
    '.sql: {nope} is no field of x; it has id, owner, n, u, open, day, late, status, tags, extra, place, bytes',
  ],
  [
    { kind: 'existsIn', collection: 'teams', where: { kind: 'raw', sql: '{owner} = 1' } },
    '.where.sql: {owner} is no field of teams; it has id, name',
  ],
  [deep(32), `${'.operand'.repeat(32)}: is nested deeper than 32 conditions`],
  [wide(1000), ': has 1001 conditions and operands; 1000 are the most'],
];

const rule = (rule: object): Files => ({
  x: { properties, securityRules: [rule] }, teams: { properties: { id: { type: 'number', isId: 'manual' }, name: { type: 'string' } } },
});

test('a condition without a meaning is named with its place, and the catalog stays', async t => {
  const { sql } = await createDatabase(t, { template: 'served' });
  const problems = async (files: Files): Promise<string[]> => {
    const error = await defineFiles(t, sql, files).then(() => undefined, (error: unknown) => error as { hint: string; message: string });
    if (error !== undefined) t.equal(error.hint, 'SCHEMA_CHANGE_FAILED', error.message);
    return error?.message.split('\n') ?? [];
  };
  for (const [condition, ...expected] of BAD) {
    t.same(await problems(rule({ condition })), expected.map(problem => `x.securityRules[0].condition${problem}`),
      JSON.stringify(condition).slice(0, 200));
  }
  const at = 'x.securityRules[0].check: ';
  t.same(await problems(rule({ access: 'public', check: { kind: 'true' } })), [`${at}stands without condition`]);
  t.same(await problems(rule({ operations: ['select', 'delete'], condition: { kind: 'true' }, check: { kind: 'true' } })),
    [`${at}select and delete writes no row that could be checked`]);
  t.same(await problems(rule({ condition: { kind: 'true' }, check: compare(field('n'), literal('x')) })),
    ['x.securityRules[0].check: invalid input syntax for type smallint: "x"']);
  t.same(await problems({
    ex: { table: '_ex0', properties, securityRules: [{ condition: { kind: 'existsIn', collection: 'ex', where: { kind: 'true' } } }] },
  }), ['ex.securityRules[0].condition: _ex0 is a name that existsIn gives to rows; give the table another one']);
  t.same(await problems({
    ...rule({ condition: compare(field('a'), uid) }), y: { securityRules: [{ using: '{b}' }, { condition: compare(field('c'), uid) }] },
  }), [
    'x.securityRules[0].condition.left: x has no property a with a column', 'y.securityRules[0].using: {b} is no field of y; it has id',
    'y.securityRules[1].condition.left: y has no property c with a column',
  ], 'all at once');
  t.same(await sql`select slug from service.collections`, []);
  for (const condition of [
    deep(31), wide(999), compare(field('n'), literal('7')), compare(field('tags'), literal([])), compare(field('late'), literal('10:00')),
  ]) {
    t.same(await problems(rule({ condition })), [], JSON.stringify(condition).slice(0, 200));
  }
});

test('a condition that asks its own table is refused by a start, not by the first request', async t => {
  const { sql } = await createDatabase(t, { template: 'served' });
  await defineFiles(t, sql, rule({ condition: { kind: 'existsIn', collection: 'x', where: compare(field('id'), outerField('id')) } }));
  await t.rejects(sql`select * from service.provision()`,
    { code: 'GW400', hint: 'SCHEMA_CHANGE_FAILED', message: /infinite recursion detected in policy for relation "x"/ });
});
