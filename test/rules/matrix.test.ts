// Every form of rule, for every kind of caller: as a rule that widens, as one that narrows, on links, and beside the policy that a
// DBA would have written by hand.
import type postgres from 'postgres';
import { test } from 'tap';
import { some } from '../harness/effort.ts';
import { planOf, ruled, type Caller } from './client.ts';
import {
  ANN, CALLERS, expected, FORMS, has, indexes, isAdmin, NAMES, operations, properties, ROWS, text, type Form, type Operation, type RowName,
} from './forms.ts';

const entries = some(Object.entries(FORMS));
const FORM_NAMES = entries.map(([name]) => name);
const isSql = ({ rule }: Form) => /"using"|"raw"/.test(JSON.stringify(rule));
/** Roles cannot stand in a rule that narrows. */
const narrowing = FORM_NAMES.filter(name => !name.startsWith('roles'));
const EVERYTHING = { operation: 'all', access: 'public' };

const linked = { ...properties, tags: { type: 'relation', relation: { kind: 'manyToMany', target: 'tag' } } };
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
