// Every form of rule, for every kind of caller: as a rule that widens, as one that narrows, on links, and beside the policy that a
// DBA would have written by hand.
import type postgres from 'postgres';
import { test } from 'tap';
import { some } from '../harness/effort.ts';
import { planOf, ruled, type Caller } from './client.ts';

const [ANN, BOB] = ['a0000000-0000-4000-8000-00000000000a', 'b0000000-0000-4000-8000-00000000000b'];

/** In the order of the table's columns, as the gateway tells them to service.enter. */
const CALLERS: Record<string, Caller> = {
  visitor: { uid: 'anonymous', roles: ['anon'] },
  guest: { uid: 'g1', guest: true, claims: { org: 'o1' } },
  ann: { uid: ANN, claims: { org: 'o1', level: 5 } },
  bob: { uid: BOB, claims: { org: 'o2', level: 'all' } },
  eve: { uid: 'eve', roles: ['editor', 'writer'] },
  admin: { uid: 'root', roles: ['admin'] },
  apiKey: { uid: 'api-key:1', roles: ['service'] },
  adminKey: { uid: 'api-key:2', roles: ['service', 'admin'] },
  serviceKey: { uid: 'service', roles: ['admin'] },
};
const isAdmin = ({ roles = [] }: Caller) => roles.includes('admin');

/** a is Ann's, b is Bob's. */
const ROWS = { a: { owner: ANN, u: ANN, org: 'o1', open: true, level: 5 }, b: { owner: BOB, u: BOB, org: 'o2', open: false, level: 9 } };
type RowName = keyof typeof ROWS;
const NAMES = Object.keys(ROWS) as RowName[];

type Form = {
  rule: object;
  /** The rows that each caller passes with, stored and (unless it is the same) written. */
  stored: string;
  written?: string;
  /** The same by hand; t stands for the table. */
  using: string;
  check?: string;
};

const uid = { kind: 'authUid' };
const field = (name: string) => ({ kind: 'field', name });
const literal = (value: unknown) => ({ kind: 'literal', value });
const compare = (left: object, op: string, right: object) => ({ kind: 'compare', op, left, right });
const all = (...operands: object[]) => ({ kind: 'and', operands });
const any = (...operands: object[]) => ({ kind: 'or', operands });
const mine = compare(field('owner'), 'eq', uid);
const open = compare(field('open'), 'eq', literal(true));
const member = { kind: 'existsIn', collection: 'member', where: all(compare(field('org'), 'eq', { kind: 'outerField', name: 'org' }),
  compare(field('uid'), 'eq', uid)) };

const ALL_ACCOUNTS = 'ab ab ab ab ab ab ab ab ab';
const NOBODY = '- - - - - - - - -';
const OWNERS = '- - a b - - - - -';
const OPEN = 'a a a a a a a a a';
const EDITORS = '- - - - ab - - - -';
const ASKED = '(select service.uid())';
const has = (role: string) => `(select '${role}' = any (string_to_array(service.roles(), ',')))`;
const asUuid = `(select case when service.uid() ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then service.uid()::uuid end)`;

const FORMS: Record<string, Form> = {
  //                                                                visitor guest ann bob eve admin apiKey adminKey serviceKey
  nothing: { rule: {}, stored: NOBODY, using: 'false' },
  public: { rule: { access: 'public' }, stored: ALL_ACCOUNTS, using: 'true' },
  of_role: { rule: { access: 'public', pgRoles: ['service_user'] }, stored: ALL_ACCOUNTS, using: 'true' },
  owner: { rule: { ownerField: 'owner' }, stored: OWNERS, using: `owner = ${ASKED}` },
  owner_uuid: { rule: { ownerField: 'u' }, stored: OWNERS, using: `u = ${asUuid}` },
  roles: { rule: { roles: ['editor'] }, stored: EDITORS, using: has('editor') },
  roles_public: { rule: { access: 'public', roles: ['editor'] }, stored: EDITORS, using: has('editor') },
  roles_service: { rule: { roles: ['service'] }, stored: '- - - - - - ab ab -', using: has('service') },
  roles_owner: { rule: { ownerField: 'owner', roles: ['editor'] }, stored: NOBODY, using: `${has('editor')} and owner = ${ASKED}` },
  using: { rule: { using: '{open}' }, stored: OPEN, using: 'open' },
  using_claim: {
    rule: { using: '{org} = auth.jwt() ->> \'org\'' }, stored: '- a a b - - - - -', using: 'org = (select service.jwt()) ->> \'org\'',
  },
  using_check: {
    rule: { using: '{open}', withCheck: '{owner} = auth.uid()' }, stored: OPEN, written: OWNERS, using: 'open', check: `owner = ${ASKED}`,
  },
  true: { rule: { condition: { kind: 'true' } }, stored: ALL_ACCOUNTS, using: 'true' },
  false: { rule: { condition: { kind: 'false' } }, stored: NOBODY, using: 'false' },
  server: { rule: { condition: { kind: 'serverContext' } }, stored: NOBODY, using: 'false' },
  authenticated: {
    rule: { condition: { kind: 'authenticated' } }, stored: '- ab ab ab ab ab ab ab ab', using: '(select service.uid() <> \'anonymous\')',
  },
  registered: {
    rule: { condition: { kind: 'registered' } }, stored: '- - ab ab ab ab ab ab ab',
    using: '(select service.uid() <> \'anonymous\' and not service.is_anonymous())',
  },
  overlap: {
    rule: { condition: { kind: 'rolesOverlap', roles: ['writer', 'service'] } }, stored: '- - - - ab - ab ab -',
    using: '(select string_to_array(service.roles(), \',\') && \'{writer,service}\')',
  },
  contain: {
    rule: { condition: { kind: 'rolesContain', roles: ['service', 'admin'] } }, stored: '- - - - - - - ab -',
    using: '(select string_to_array(service.roles(), \',\') @> \'{service,admin}\')',
  },
  compare: { rule: { condition: open }, stored: OPEN, using: 'open = true' },
  compare_uid: { rule: { condition: mine }, stored: OWNERS, using: `owner = ${ASKED}` },
  compare_claim: {
    rule: { condition: compare(field('level'), 'lte', { kind: 'authClaim', name: 'level' }) }, stored: '- - a - - - - - -',
    using: 'level <= (select case when service.jwt() ->> \'level\' ~ \'^\\d+$\' then (service.jwt() ->> \'level\')::integer end)',
  },
  compare_roles: {
    rule: { condition: compare({ kind: 'authRoles' }, 'eq', literal(['editor', 'writer'])) }, stored: EDITORS,
    using: '(select string_to_array(service.roles(), \',\')) = \'{editor,writer}\'',
  },
  not: { rule: { condition: { kind: 'not', operand: open } }, stored: 'b b b b b b b b b', using: 'not open = true' },
  and: {
    rule: { condition: all({ kind: 'registered' }, open) }, stored: '- - a a a a a a a',
    using: '(select service.uid() <> \'anonymous\' and not service.is_anonymous()) and open = true',
  },
  or: { rule: { condition: any(open, mine) }, stored: 'a a a ab a a a a a', using: `open = true or owner = ${ASKED}` },
  exists: {
    rule: { condition: member }, stored: '- a a - b - - - -',
    using: `exists (select from member _ex0 where _ex0.org = t.org and _ex0.uid = ${ASKED})`,
  },
  raw: {
    rule: { condition: all({ kind: 'raw', sql: '{open}' }, { kind: 'registered' }) }, stored: '- - a a a a a a a',
    using: 'open and (select service.uid() <> \'anonymous\' and not service.is_anonymous())',
  },
  check: { rule: { condition: open, check: mine }, stored: OPEN, written: OWNERS, using: 'open = true', check: `owner = ${ASKED}` },
};
const entries = some(Object.entries(FORMS));
const FORM_NAMES = entries.map(([name]) => name);
const isSql = ({ rule }: Form) => /"using"|"raw"/.test(JSON.stringify(rule));
/** Roles cannot stand in a rule that narrows. */
const narrowing = FORM_NAMES.filter(name => !name.startsWith('roles'));
const EVERYTHING = { operation: 'all', access: 'public' };

const text = { type: 'string' };
const properties = {
  id: { type: 'string', isId: 'manual' }, owner: text, u: { type: 'string', columnType: 'uuid' }, org: text, open: { type: 'boolean' },
  level: { type: 'number', validation: { integer: true } }, note: text,
};
const indexes = ['owner', 'u', 'org', 'level'].map(name => ({ on: [name], reason: 'the rules' }));
const linked = { ...properties, tags: { type: 'relation', relation: { kind: 'manyToMany', target: 'tag' } } };
const operations = ['select', 'insert', 'update', 'delete'] as const;
type Operation = typeof operations[number];

const files = {
  member: {
    properties: { id: text, org: text, uid: text }, securityRules: [{ operation: 'select', access: 'public' }],
    indexes: [{ on: ['org', 'uid'], reason: 'the rules' }],
  },
  tag: { properties: { id: text }, securityRules: [{ operation: 'select', access: 'public' }] },
  ...Object.fromEntries(FORM_NAMES.map(name => [`wide_${name}`, { properties, indexes, securityRules: [FORMS[name]?.rule] }])),
  ...Object.fromEntries(narrowing.map(name =>
    [`narrow_${name}`, { properties, indexes, securityRules: [EVERYTHING, { ...FORMS[name]?.rule, mode: 'restrictive' }] }])),
  ...Object.fromEntries(['owner', 'check', 'using', 'roles'].flatMap(name => operations.map(operation =>
    [`${operation}_${name}`, { properties, securityRules: [{ ...only(operation, FORMS[name]?.rule), operation }] }]))),
  ...Object.fromEntries(FORM_NAMES.map(name => [
    `link_${name}`,
    { properties: linked, securityRules: [{ operation: 'select', access: 'public' }, { ...FORMS[name]?.rule, operation: 'update' }] },
  ])),
  ...Object.fromEntries(narrowing.map(name => [
    `bound_${name}`,
    { properties: linked, securityRules: [EVERYTHING, { ...FORMS[name]?.rule, operation: 'update', mode: 'restrictive' }] },
  ])),
};

/** Reads and deletes have nothing to check. */
function only(operation: Operation, rule: object = {}): object {
  return operation === 'select' || operation === 'delete'
    ? Object.fromEntries(Object.entries(rule).filter(([key]) => key !== 'check'))
    : rule;
}

/** Whether a statement that reads no column, of a caller, touches the one row that is there; nothing of it stays. */
const TRIED = `create function tried(setup text, statement text, uid text, roles text, guest text, jwt text) returns boolean
  language plpgsql as $$
declare
  touched bigint;
begin
  execute setup;
  perform set_config('role', 'service_user', true);
  perform service.enter(uid, roles, guest, jwt);
  execute statement;
  get diagnostics touched = row_count;
  raise exception using errcode = 'ZZ001', message = touched;
exception
  when sqlstate 'ZZ001' then return sqlerrm::bigint > 0;
  when insufficient_privilege then return false;
end $$`;

type Attempt = { setup: string; statement: string };

/** A column a caller: the names of those rows with which the attempt succeeds. */
async function outcomes(sql: postgres.Sql, attempt: (row: RowName) => Attempt): Promise<string> {
  const columns = Object.values(CALLERS).map(async ({ uid, roles = [], guest = false, claims = {} }) => {
    const found = await Promise.all(NAMES.map(async row => {
      const { setup, statement } = attempt(row);
      const [answer] = await sql<{ passed: boolean }[]>`
        select tried(${setup}, ${statement}, ${uid}, ${roles.join()}, ${String(guest)}, ${JSON.stringify(claims)}) as passed`;
      return answer?.passed === true ? row : '';
    }));
    return found.join('') || '-';
  });
  return (await Promise.all(columns)).join(' ');
}

const insertion = (table: string, row: RowName) => {
  const { owner, u, org, open, level } = ROWS[row];
  return `insert into ${table} (id, owner, u, org, open, level) values ('${row}', '${owner}', '${u}', '${org}', ${String(open)}, ${level})`;
};
const statements: Record<Operation, (table: string, row: RowName) => string> = {
  select: table => `select from ${table}`, insert: insertion, update: table => `update ${table} set note = 'changed'`,
  delete: table => `delete from ${table}`,
};
const onTable = (table: string, operation: Operation) => (row: RowName): Attempt =>
  ({ setup: operation === 'insert' ? 'select' : insertion(table, row), statement: statements[operation](table, row) });
const onLink = (table: string, operation: Exclude<Operation, 'select'>) => (row: RowName): Attempt => {
  const link = `insert into ${table}_tag values ('${row}', 'x')`;
  return {
    setup: `${insertion(table, row)}; ${operation === 'insert' ? 'select' : link}`,
    statement: { insert: link, update: `update ${table}_tag set tag_id = 'x'`, delete: `delete from ${table}_tag` }[operation],
  };
};

/** The rows with which a caller passes, by the form's columns and, unless there is none, by another way in. */
function expected({ stored, written = stored }: Form, operation: Operation, passes: (caller: Caller) => boolean = () => false): string {
  const by = (columns: string, i: number) => (row: RowName) => (columns.split(' ')[i] ?? '').includes(row);
  return Object.values(CALLERS).map((caller, i) => {
    const judged = { select: [stored], insert: [written], update: [stored, written], delete: [stored] }[operation];
    return NAMES.filter(row => passes(caller) || judged.every(columns => by(columns, i)(row))).join('') || '-';
  }).join(' ');
}

test('each form of rule gives each caller what the table says', async t => {
  const sql = await ruled(t, files);
  await sql.unsafe(`insert into member values ('1', 'o1', '${ANN}'), ('2', 'o1', 'g1'), ('3', 'o2', 'eve');
    insert into tag values ('x')`).simple();
  await sql.unsafe(TRIED);
  await t.test('as a rule that widens: beside it admin passes', async t => {
    for (const [name, form] of entries) {
      for (const operation of operations) {
        t.equal(await outcomes(sql, onTable(`wide_${name}`, operation)), expected(form, operation, isAdmin), `${name}: ${operation}`);
      }
    }
  });
  await t.test('as a rule that narrows: not even admin passes by it', async t => {
    for (const name of narrowing) {
      for (const operation of operations) t.equal(await outcomes(sql, onTable(`narrow_${name}`, operation)),
        expected(FORMS[name] as Form, operation), `${name}: ${operation}`);
    }
  });
  await t.test('for one operation: the others stay with admin', async t => {
    for (const name of ['owner', 'check', 'using', 'roles']) {
      for (const given of operations) {
        for (const operation of operations) {
          const form = operation === given ? FORMS[name] as Form : FORMS['nothing'] as Form;
          t.equal(await outcomes(sql, onTable(`${given}_${name}`, operation)), expected(form, operation, isAdmin),
            `${name} for ${given}: ${operation}`);
        }
      }
    }
  });
  await t.test('links: for callers that may update the row that declares them, except by SQL, which stays where it is', async t => {
    for (const operation of ['insert', 'update', 'delete'] as const) {
      for (const [name, form] of entries) {
        const widened = isSql(form) ? FORMS['nothing'] as Form : form;
        t.equal(await outcomes(sql, onLink(`link_${name}`, operation)), expected(widened, 'select', isAdmin), `${name}: ${operation}`);
      }
      for (const name of narrowing) {
        const form = FORMS[name] as Form;
        const narrowed = isSql(form) ? expected(FORMS['nothing'] as Form, 'select', isAdmin) : expected(form, 'select');
        t.equal(await outcomes(sql, onLink(`bound_${name}`, operation)), narrowed, `${name}, narrowing: ${operation}`);
      }
    }
  });
  await t.test('beside policies by hand: the same rows, and the same plan', async t => {
    for (const [name, form] of entries) await isTwin(`wide_${name}`,
      `create policy ${name}_default on hand for all using (${has('admin')}); create policy ${name}_all on hand ${byHand(form)}`, form,
      isAdmin);
    for (const name of narrowing) {
      const form = FORMS[name] as Form;
      await isTwin(`narrow_${name}`, `create policy ${name}_default on hand for all using (${has('admin')});
        create policy ${name}_all on hand using (true); create policy ${name}_only on hand as restrictive ${byHand(form)}`, form);
    }

    async function isTwin(table: string, policies: string, form: Form, passes?: (caller: Caller) => boolean): Promise<void> {
      await sql.unsafe(`create table hand (like ${table} including all); alter table hand enable row level security;
        ${policies}; grant select, insert, update, delete on hand to service_user`).simple();
      for (const operation of operations) {
        t.equal(await outcomes(sql, onTable('hand', operation)), expected(form, operation, passes), `${table}, by hand: ${operation}`);
      }
      for (const filled of [table, 'hand']) {
        await sql.unsafe(`insert into ${filled} (id, owner, u, org, level) select n, n, gen_random_uuid(), n, n
          from generate_series(1, 1500) n; analyze ${filled}`).simple();
      }
      for (const statement of [
        'select * from t', 'select * from t where id = \'7\'', 'select count(*) from t', 'update t set note = \'x\' where id = \'7\'',
        'delete from t', insertion('t', 'a'),
      ]) {
        const plans = await Promise.all([table, 'hand'].map(of =>
          planOf(sql, CALLERS['ann'] as Caller, statement.replace(/\bt\b/, of)).then(plan => comparable(plan, of))));
        t.equal(plans[0], plans[1], `${table}: ${statement}`);
      }
      await sql`drop table hand`;
    }
  });
});

/** Without the names, which differ. */
function comparable(plan: string, table: string): string {
  return plan.replaceAll(new RegExp(`\\b(?:${table}|hand)\\w*`, 'g'), 't');
}

function byHand({ using, check }: Form): string {
  const text = (expression: string) => expression.replaceAll(/\bt\./g, 'hand.');
  return `using (${text(using)})${check === undefined ? '' : ` with check (${text(check)})`}`;
}
