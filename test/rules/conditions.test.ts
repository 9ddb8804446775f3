import { test } from 'tap';
import { asCaller, planOf, ruled, seenIds, type Caller } from './client.ts';

const UUID = '5a1e4bd8-7d0c-4a5f-8d55-0d5f3d1e7a01';
const CALLERS: Record<string, Caller | null> = {
  nobody: null,
  visitor: { uid: 'anonymous' },
  guest: { uid: 'g1', guest: true },
  ann: {
    uid: 'ann', roles: ['writer'],
    claims: { org: 'o1', level: 5, plan: 'gold', verified: true, day: '2026-02-01', at: '2026-02-01T09:30:00Z', late: '10:00' },
  },
  two: {
    uid: '2', roles: ['editor', 'writer'],
    claims: { org: 'o2', level: '50', plan: ['gold'], verified: 'no', day: '2026-02-31', at: 'soon', late: '25:00' },
  },
  uuid: { uid: UUID, roles: ['live'], claims: { plan: 'live', level: 1e300, org: '' } },
};

const field = (name: string) => ({ kind: 'field', name });
const outerField = (name: string) => ({ kind: 'outerField', name });
const literal = (value: unknown) => ({ kind: 'literal', value });
const claim = (name: string) => ({ kind: 'authClaim', name });
const uid = { kind: 'authUid' };
const roles = { kind: 'authRoles' };
const compare = (left: object, op: string, right: object) => ({ kind: 'compare', op, left, right });
const and = (...operands: object[]) => ({ kind: 'and', operands });
const or = (...operands: object[]) => ({ kind: 'or', operands });
const not = (operand: object) => ({ kind: 'not', operand });
const plain = (kind: string) => ({ kind });
const existsIn = (collection: string, where: object) => ({ kind: 'existsIn', collection, where });

const properties = {
  id: { type: 'number', isId: 'manual' }, owner: { type: 'string' },
  code: { type: 'string', columnType: 'char', validation: { length: 4 } }, n: { type: 'number', validation: { integer: true } },
  small: { type: 'number', columnType: 'smallint' }, big: { type: 'number', columnType: 'bigint' }, price: { type: 'number' },
  ratio: { type: 'number', columnType: 'real' }, u: { type: 'string', columnType: 'uuid' }, open: { type: 'boolean' },
  day: { type: 'date', mode: 'date' }, at: { type: 'date' }, late: { type: 'date', columnType: 'time' },
  status: { type: 'string', enum: ['draft', 'live'] }, tags: { type: 'array', of: { type: 'string' } },
  'order': { type: 'string', columnName: 'or"der' }, team: { type: 'relation', relation: { kind: 'belongsTo', target: 'teams' } },
};
const ROWS = `
  (1, 'ann', 'ann', 2, 2, 2, 5, 5, '${UUID}', true, '2026-02-01', '2026-02-01 09:30Z', '10:00', 'draft', '{writer}', 'it''s', 'o1'),
  (2, '2', '2', 7, 7, 7, 50, 50, null, false, '2026-03-01', '2026-03-01 09:30Z', '11:00', 'live', '{editor,writer}', 'b', 'o2'),
  (3, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null)`;

const member = existsIn('members', and(compare(field('team'), 'eq', outerField('team')), compare(field('uid'), 'eq', uid)));

/** For each condition the rows that a caller sees, in the order of the callers. */
const CASES: [condition: object, expected: string][] = [
  // no one visitor guest ann two uuid
  [plain('true'), '123 123 123 123 123 123'],
  [plain('false'), '- - - - - -'],
  [not(plain('false')), '123 123 123 123 123 123'],
  [plain('serverContext'), '- - - - - -'],
  [plain('authenticated'), '- - 123 123 123 123'],
  [not(plain('authenticated')), '- 123 - - - -'],
  [plain('registered'), '- - - 123 123 123'],
  [not(plain('registered')), '- 123 123 - - -'],
  [{ kind: 'rolesOverlap', roles: ['editor', 'live'] }, '- - - - 123 123'],
  [{ kind: 'rolesContain', roles: ['editor', 'writer'] }, '- - - - 123 -'],
  [{ kind: 'rolesOverlap', roles: ['it\'s', '{"a"}', '\\'] }, '- - - - - -'],
  [compare(field('owner'), 'eq', uid), '- - - 1 2 -'],
  [compare(uid, 'neq', field('owner')), '- 12 12 2 1 12'],
  [not(compare(field('owner'), 'eq', uid)), '- 12 12 2 1 12'],
  [compare(field('code'), 'eq', uid), '- - - 1 2 -'],
  [compare(field('n'), 'eq', uid), '- - - - 1 -'],
  [compare(field('small'), 'eq', uid), '- - - - 1 -'],
  [compare(field('big'), 'eq', uid), '- - - - 1 -'],
  [compare(field('u'), 'eq', uid), '- - - - - 1'],
  [compare(field('price'), 'lte', claim('level')), '- - - 1 12 -'],
  [compare(field('ratio'), 'lte', claim('level')), '- - - 1 12 -'],
  [compare(field('n'), 'lt', claim('level')), '- - - 1 12 -'],
  [compare(field('open'), 'eq', claim('verified')), '- - - 1 - -'],
  [compare(field('day'), 'eq', claim('day')), '- - - 1 - -'],
  [compare(field('at'), 'gte', claim('at')), '- - - 12 - -'],
  [compare(field('late'), 'gt', claim('late')), '- - - 2 - -'],
  [compare(field('status'), 'eq', claim('plan')), '- - - - - 2'],
  [compare(field('tags'), 'eq', roles), '- - - 1 2 -'],
  [compare(roles, 'eq', literal(['editor', 'writer'])), '- - - - 123 -'],
  [compare(field('tags'), 'eq', literal(['editor', 'writer'])), '2 2 2 2 2 2'],
  [compare(uid, 'eq', literal('ann')), '- - - 123 - -'],
  [compare(claim('sub'), 'eq', uid), '- 123 123 123 123 123'],
  [compare(claim('level'), 'gte', literal(6)), '- - - - 123 -'],
  [compare(claim('verified'), 'eq', literal(true)), '- - - 123 - -'],
  [compare(claim('plan'), 'eq', literal('gold')), '- - - 123 - -'],
  [compare(claim('plan'), 'neq', literal(null)), '- - - 123 123 123'],
  [compare(claim('plan'), 'eq', field('team')), '- - - - - -'],
  [compare(claim('org'), 'eq', field('team')), '- - - 1 2 -'],
  [compare(field('open'), 'eq', literal(true)), '1 1 1 1 1 1'],
  [compare(field('owner'), 'eq', literal(null)), '3 3 3 3 3 3'],
  [compare(literal(null), 'neq', field('owner')), '12 12 12 12 12 12'],
  [compare(field('order'), 'eq', literal('it\'s')), '1 1 1 1 1 1'],
  [compare(field('owner'), 'eq', literal('\' or true --')), '- - - - - -'],
  [compare(field('status'), 'eq', literal('live')), '2 2 2 2 2 2'],
  [compare(field('price'), 'gt', literal(5.5)), '2 2 2 2 2 2'],
  [compare(literal('2026-02-15'), 'gte', field('day')), '1 1 1 1 1 1'],
  [compare(field('at'), 'lt', literal('2026-02-01T12:00:00+02:00')), '1 1 1 1 1 1'],
  [compare(field('n'), 'lt', field('price')), '12 12 12 12 12 12'],
  [compare(field('n'), 'eq', field('big')), '12 12 12 12 12 12'],
  [compare(field('owner'), 'eq', field('code')), '12 12 12 12 12 12'],
  [compare(field('day'), 'lte', field('at')), '12 12 12 12 12 12'],
  [and(plain('true'), compare(field('owner'), 'eq', uid), compare(field('open'), 'eq', literal(true))), '- - - 1 - -'],
  [or(plain('false'), compare(field('owner'), 'eq', uid), compare(field('open'), 'eq', literal(true))), '1 1 1 1 12 1'],
  [and(or(compare(field('id'), 'eq', literal(1)), compare(field('id'), 'eq', literal(2))),
    not(compare(field('id'), 'eq', literal(1)))), '2 2 2 2 2 2'],
  [or(and(plain('registered'), compare(field('id'), 'eq', literal(1))), compare(field('id'), 'eq', literal(3))), '3 3 3 13 13 13'],
  [and(plain('true')), '123 123 123 123 123 123'],
  [or(plain('false')), '- - - - - -'],
  [{ kind: 'raw', sql: '{id} = 1 or {order} = \'b\'' }, '12 12 12 12 12 12'],
  [and({ kind: 'raw', sql: '{id} = 1 or {id} = 2' }, compare(field('owner'), 'eq', uid)), '- - - 1 2 -'],
  [member, '- - 1 12 - -'],
  [not(member), '123 123 23 3 123 123'],
  [existsIn('members', compare(field('uid'), 'eq', uid)), '- - 123 123 - -'],
  [existsIn('members',
    and(compare(field('team'), 'eq', outerField('team')), { kind: 'raw', sql: '{uid} = (select auth.uid())' })), '- - 1 12 - -'],
  [existsIn('teams', and(
    compare(field('id'), 'eq', outerField('team')),
    existsIn('members', and(compare(field('team'), 'eq', outerField('team')), compare(field('uid'), 'eq', uid))))), '- - 1 12 - -'],
];

const collectionOf = (condition: object) =>
  ({ properties, disableDefaultPolicies: true, securityRules: [{ operation: 'select', condition }] });
const files = {
  teams: {
    properties: { id: { type: 'string', isId: 'manual' }, name: { type: 'string' } },
    securityRules: [{ operation: 'select', access: 'public' }],
  },
  members: {
    softDelete: true,
    properties: {
      id: { type: 'number', isId: 'manual' }, uid: { type: 'string' },
      team: { type: 'relation', relation: { kind: 'belongsTo', target: 'teams' } }, deletedAt: { type: 'date' },
    },
    securityRules: [{ operation: 'select', access: 'public' }],
  },
};

test('each condition shows each caller the rows that the table says', async t => {
  const sql = await ruled(t, { ...files, ...Object.fromEntries(CASES.map(([condition], i) => [`c${i}`, collectionOf(condition)])) });
  await sql`insert into teams values ('o1'), ('o2')`;
  await sql`insert into members values (1, 'ann', 'o1', null), (2, 'ann', 'o2', null), (3, 'g1', 'o1', null), (4, '2', 'o1', now())`;
  for (const [i, [condition, expected]] of CASES.entries()) {
    await sql.unsafe(`insert into c${i} values ${ROWS}`);
    const seen: string[] = [];
    for (const caller of Object.values(CALLERS)) seen.push((await seenIds(sql, caller, `c${i}`)).join('') || '-');
    t.equal(seen.join(' '), expected, JSON.stringify(condition));
  }
});

test('condition judges what is stored, check what is written; without a check the condition judges both', async t => {
  const mine = compare(field('owner'), 'eq', uid);
  const isOpen = compare(field('open'), 'eq', literal(true));
  const small = { id: { type: 'number', isId: 'manual' }, owner: { type: 'string' }, open: { type: 'boolean' } };
  const rule = (rule: object) =>
    ({ properties: small, disableDefaultPolicies: true, securityRules: [{ operation: 'select', access: 'public' }, rule] });
  const sql = await ruled(t, {
    alike: rule({ operations: ['insert', 'update', 'delete'], condition: mine }),
    apart: rule({ operations: ['insert', 'update', 'delete'], condition: mine, check: isOpen }),
    limited: rule({ operation: 'update', condition: mine, roles: ['writer'] }),
  });
  const outcome = (table: string, statement: string) => asCaller(sql, CALLERS['ann'] ?? null, async transaction => {
    await transaction`set local role none`;
    await transaction.unsafe(`insert into ${table} values (1, 'ann', false), (2, 'bob', false)`);
    await transaction`set local role service_user`;
    return (await transaction.unsafe(statement)).count;
  }).catch(codeOf);
  const ofRow = async (table: string) => [
    await outcome(table, `insert into ${table} values (3, 'ann', false)`),
    await outcome(table, `insert into ${table} values (3, 'bob', true)`), await outcome(table, `update ${table} set open = true`),
    await outcome(table, `update ${table} set owner = 'bob', open = true`), await outcome(table, `update ${table} set id = 3 where id = 1`),
    await outcome(table, `delete from ${table}`),
  ];
  t.same(await ofRow('alike'), [1, '42501', 1, '42501', 1, 1]);
  t.same(await ofRow('apart'), ['42501', 1, 1, 1, '42501', 1]);
  t.same(await ofRow('limited'), ['42501', '42501', 1, '42501', 1, 0]);
});

test('an index serves a comparison with the caller, for any type of the column', async t => {
  const types = ['owner', 'code', 'n', 'small', 'big', 'price', 'u', 'day', 'at', 'status'];
  const sql = await ruled(t, { teams: files.teams, ...Object.fromEntries(types.map(name => [`by_${name}`, {
    ...collectionOf(compare(field(name), 'eq', uid)), properties, indexes: [{ on: [name], reason: 'the rule' }],
  }])) });
  for (const name of types) {
    await sql.unsafe(`insert into by_${name} (id, ${name}) select n, null from generate_series(1, 5000) n; analyze by_${name}`).simple();
    t.match(await planOf(sql, { uid: '2' }, `select * from by_${name}`), new RegExp(`Index Cond: \\(${name} = (\\(InitPlan|\\$0)`), name);
  }
});

test('links take the conditions of the side that declares them, but for SQL', async t => {
  const link = (rules: object[]) => ({
    posts: {
      properties: {
        id: { type: 'number', isId: 'manual' }, owner: { type: 'string' },
        tags: { type: 'relation', relation: { kind: 'manyToMany', target: 'tags' } },
      },
      securityRules: [{ operation: 'select', access: 'public' }, ...rules],
    },
    tags: { properties: { id: { type: 'number', isId: 'manual' } }, securityRules: [{ operation: 'select', access: 'public' }] },
    members: { properties: {
      id: { type: 'number', isId: 'manual' }, uid: { type: 'string' }, post: { type: 'number', validation: { integer: true } },
    }, securityRules: [{ operation: 'select', access: 'public' }] },
  });
  const invited = existsIn('members', and(compare(field('post'), 'eq', outerField('id')), compare(field('uid'), 'eq', uid)));
  const writes = async (rules: object[]) => {
    const sql = await ruled(t, link(rules));
    await sql.unsafe(`insert into posts values (1, 'ann'), (2, 'bob'); insert into tags values (1);
      insert into members values (1, 'two', 1)`).simple();
    const may = (uid: string, post: number, roles: string[] = []) => asCaller(sql, { uid, roles }, async transaction =>
      (await transaction.unsafe(`insert into posts_tags values (${post}, 1)`)).count).catch(codeOf);
    return [await may('ann', 1), await may('ann', 2), await may('two', 1), await may('two', 2), await may('root', 2, ['admin'])];
  };
  const denied = '42501';
  t.same(await writes([{ operation: 'update', condition: or(compare(field('owner'), 'eq', uid), invited) }]), [1, denied, 1, denied, 1]);
  t.same(await writes([{ operation: 'update', condition: or(compare(field('owner'), 'eq', uid), { kind: 'raw', sql: 'true' }) }]),
    [denied, denied, denied, denied, 1], 'SQL stays where it is');
  t.same(await writes([{ operation: 'update', access: 'public' }, { operation: 'update', mode: 'restrictive', condition: not(invited) }]),
    [1, 1, denied, 1, 1]);
  t.same(await writes([
    { operation: 'update', access: 'public' }, { operation: 'update', mode: 'restrictive', condition: { kind: 'raw', sql: 'true' } },
  ]),
    [denied, denied, denied, denied, 1], 'and as a restriction leaves links to admin');
});

function codeOf(error: unknown): string {
  return (error as { code: string }).code;
}

test('existing policies stay: a second start with the same conditions changes nothing', async t => {
  const sql = await ruled(t, { ...files, c: collectionOf(and(member, compare(field('price'), 'lt', claim('level')))) });
  t.same(await sql`select * from service.provision_plan()`, []);
});
