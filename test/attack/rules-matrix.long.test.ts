// Every form of rule, for every kind of caller, through HTTP: reads and writes agree with the table. And the table is sensitive: a loosened
// policy, role test or gate fails it.
import { test } from 'tap';
import { createService, SERVICE_KEY, tokenFor, type TestService } from '../harness/service.ts';
import { collections } from '../write/client.ts';

/** In the order of the table's columns, with the tokens that their clients sign. */
const CALLERS: Record<string, () => string | null | Promise<string>> = {
  nobody: () => null,
  guest: () => tokenFor('g1', [], { isAnonymous: true, org_id: 'o1' }),
  ann: () => tokenFor('ann', ['writer'], { org_id: 'o1' }),
  bob: () => tokenFor('bob', [], { org_id: 'o2' }),
  eve: () => tokenFor('eve', ['editor']),
  admin: () => tokenFor('root', ['admin']),
  key: () => SERVICE_KEY,
};

/** The rows that there are, and those that are created: a is Ann's, b is Bob's. */
const ROWS = { a: { owner: 'ann', org: 'o1', open: true }, b: { owner: 'bob', org: 'o2', open: false } };
type RowName = keyof typeof ROWS;
const NAMES = Object.keys(ROWS) as RowName[];

type Form = { securityRules: object[]; disableDefaultPolicies?: boolean; softDelete?: true; expected: Record<Operation, string> };
type Operation = 'select' | 'insert' | 'update' | 'delete';

const all = (rows: string): Form['expected'] => ({ select: rows, insert: rows, update: rows, delete: rows });
const ADMINS = '- - - - - ab ab';
const OWNERS = '- - a b - ab ab';
const ANYBODY = 'ab ab ab ab ab ab ab';
const OPEN = 'a a a a a ab ab';
const compare = (name: string, right: object) => ({ kind: 'compare', op: 'eq', left: { kind: 'field', name }, right });
const member = 'exists (select from member m where m.org = {org} and m.uid = (select service.uid()))';

/** A column a caller; the rows that each may see, create, change and delete. */
const FORMS: Record<string, Form> = {
  // no one guest ann bob eve admin key
  no_rule: { securityRules: [], expected: all(ADMINS) },
  no_default: { securityRules: [], disableDefaultPolicies: true, expected: all('- - - - - - -') },
  no_default_owner: { securityRules: [{ ownerField: 'owner' }], disableDefaultPolicies: true, expected: all('- - a b - - -') },
  empty_rule: { securityRules: [{ operation: 'select' }], expected: all(ADMINS) },
  open_to_all: { securityRules: [{ access: 'public' }], expected: all(ANYBODY) },
  open_to_read: { securityRules: [{ operation: 'select', access: 'public' }], expected: { ...all(ADMINS), select: ANYBODY } },
  of_the_database_role: {
    securityRules: [{ operation: 'select', access: 'public', pgRoles: ['service_user'] }], expected: { ...all(ADMINS), select: ANYBODY },
  },
  owner: { securityRules: [{ ownerField: 'owner' }], expected: all(OWNERS) },
  owner_in_part: {
    securityRules: [{ operations: ['select', 'update'], ownerField: 'owner' }],
    expected: { ...all(ADMINS), select: OWNERS, update: OWNERS },
  },
  role: { securityRules: [{ roles: ['editor'] }], expected: all('- - - - ab ab ab') },
  role_open: {
    securityRules: [{ operation: 'select', access: 'public', roles: ['editor', 'nobody_has'] }],
    expected: { ...all(ADMINS), select: '- - - - ab ab ab' },
  },
  role_owner: { securityRules: [{ ownerField: 'owner', roles: ['writer'] }], expected: all('- - a - - ab ab') },
  using: { securityRules: [{ using: '{open}' }], expected: all(OPEN) },
  using_role: { securityRules: [{ using: '{open}', roles: ['editor'] }], expected: all('- - - - a ab ab') },
  using_claim: { securityRules: [{ using: '{org} = (select service.jwt() ->> \'org_id\')' }], expected: all('- a a b - ab ab') },
  using_old_name: { securityRules: [{ using: '{owner} = (select auth.uid())' }], expected: all(OWNERS) },
  registered: {
    securityRules: [{ operation: 'select', using: '(select service.uid()) <> \'anonymous\' and not (select service.is_anonymous())' }],
    expected: { ...all(ADMINS), select: '- - ab ab ab ab ab' },
  },
  members: {
    securityRules: [{ operations: ['select', 'delete'], using: member }],
    expected: { ...all(ADMINS), select: '- a a - b ab ab', delete: '- a a - b ab ab' },
  },
  with_check: { securityRules: [{ operation: 'insert', withCheck: '{open}' }], expected: { ...all(ADMINS), insert: OPEN } },
  using_with_check: {
    securityRules: [{ operations: ['select', 'update'], using: '{open}', withCheck: '{owner} = (select service.uid())' }],
    expected: { ...all(ADMINS), select: OPEN, update: '- - a - - ab ab' },
  },
  condition: { securityRules: [
    { condition: { kind: 'or', operands: [compare('open', { kind: 'literal', value: true }), compare('owner', { kind: 'authUid' })] } },
  ], expected: all('a a a ab a ab ab') },
  condition_check: {
    securityRules: [{ operations: ['select', 'update'], condition: { kind: 'registered' }, check: compare('owner', { kind: 'authUid' }) }],
    expected: { ...all(ADMINS), select: '- - ab ab ab ab ab', update: '- - a b - ab ab' },
  },
  condition_members: {
    securityRules: [{ operation: 'select', condition: {
      kind: 'existsIn', collection: 'member',
      where: { kind: 'and', operands: [compare('org', { kind: 'outerField', name: 'org' }), compare('uid', { kind: 'authUid' })] },
    } }],
    expected: { ...all(ADMINS), select: '- a a - b ab ab' },
  },
  restricted: {
    securityRules: [{ access: 'public' }, { mode: 'restrictive', operations: ['select', 'update'], using: '{open}' }],
    expected: { ...all('a a a a a a a'), insert: ANYBODY },
  },
  restricted_to_owner: {
    securityRules: [{ access: 'public' }, { mode: 'restrictive', operation: 'delete', ownerField: 'owner' }],
    expected: { ...all(ANYBODY), delete: '- - a b - - -' },
  },
  soft_delete: {
    securityRules: [{ operation: 'select', access: 'public' }, { operation: 'delete', ownerField: 'owner' }], softDelete: true,
    expected: { ...all(ADMINS), select: ANYBODY, delete: OWNERS },
  },
};

const text = { type: 'string' };
const properties = { id: { type: 'string', isId: 'manual' }, owner: text, org: text, open: { type: 'boolean' }, note: text };
const FILES = [
  ...Object.entries(FORMS).map(([slug, { securityRules, disableDefaultPolicies = false, softDelete = false }]) =>
    ({
      slug, securityRules, disableDefaultPolicies, softDelete,
      properties: { ...properties, ...(softDelete && { deletedAt: { type: 'date' } }) },
    })),
  { slug: 'member', properties: { id: text, org: text, uid: text }, securityRules: [{ operation: 'select', access: 'public' }] },
];

type Matrix = Pick<TestService, 'sql' | 'request'> & { tokens: Record<string, string | null> };

/** Where an answer differs from the table: "form, caller, operation: found instead of expected". */
async function differences(matrix: Matrix, forms = Object.keys(FORMS)): Promise<string[]> {
  return (await Promise.all(forms.map(form => ofForm(form, matrix)))).flat();
}

async function ofForm(form: string, matrix: Matrix): Promise<string[]> {
  const found: string[] = [];
  await fill(form, matrix);
  for (const [i, [caller, as]] of Object.entries(matrix.tokens).entries()) {
    const may = (operation: Operation): string => FORMS[form]?.expected[operation].split(' ')[i]?.replace('-', '') ?? '';
    const tell = (operation: Operation, seen: unknown, expected: unknown) => {
      if (seen !== expected) found.push(`${form}, ${caller}, ${operation}: ${String(seen)} instead of ${String(expected)}`);
    };
    const ask = async (path: string, method = 'GET', body?: object) => matrix.request(`/data/${form}${path}`,
      { method, as, headers: { prefer: 'return=minimal' }, ...(body && { body: JSON.stringify(body) }) });
    const list = await ask('?orderBy=id&fields=id');
    tell('select', textOf(list.body?.data), may('select'));
    tell('select', (await ask('/count')).body?.count, may('select').length);
    tell('select', (await ask('/aggregate?select=max(id)')).body?.data?.[0]?.max_id, may('select').at(-1) ?? null);
    for (const name of NAMES) {
      const sees = may('select').includes(name);
      const written = async (operation: Operation, { status }: { status: number }) => {
        if (status < 300 && operation !== 'update') await fill(form, matrix);
        tell(operation, `${name} ${status}`,
          `${name} ${may(operation).includes(name) ? 204 : operation !== 'insert' && !sees ? 404 : 403}`);
      };
      tell('select', (await ask(`/${name}`)).status, sees ? 200 : 404);
      await written('insert', await ask('', 'POST', { id: `new ${name}`, ...ROWS[name] }));
      await written('update', await ask(`/${name}`, 'PATCH', { note: 'changed' }));
      await written('delete', await ask(`/${name}`, 'DELETE'));
    }
  }
  return found;
}

function textOf(rows: { id: string }[] | undefined): string {
  return rows?.map(({ id }) => id).join('') ?? 'refused';
}

async function fill(form: string, { sql }: Matrix): Promise<void> {
  const rows = NAMES.map(id => ({ id, ...ROWS[id] }));
  await sql.begin(async transaction => {
    await transaction`delete from ${transaction(form)}`;
    await transaction`insert into ${transaction(form)} ${transaction(rows)}`;
  });
}

/** Changes that a writer with the owner's rights, or a mistake, could make in the database, and the forms that must show them. */
const SABOTAGES: { what: string; statements: (policyOf: (form: string, operation: string) => string) => string; of: string[] }[] = [
  {
    what: 'a policy lets everybody in', of: ['owner'],
    statements: policyOf => `alter policy ${policyOf('owner', 'ALL')} on owner using (true)`,
  },
  {
    what: 'a policy lets everybody create', of: ['with_check'],
    statements: policyOf => `alter policy ${policyOf('with_check', 'INSERT')} on with_check with check (true)`,
  },
  {
    what: 'a policy checks nothing that is changed', of: ['using_with_check'],
    statements: policyOf => `alter policy ${policyOf('using_with_check', 'UPDATE')} on using_with_check with check (true)`,
  },
  {
    what: 'a restriction restricts nobody', of: ['restricted_to_owner'],
    statements: policyOf => `alter policy ${policyOf('restricted_to_owner', 'DELETE')} on restricted_to_owner using (true)`,
  },
  {
    what: 'a policy that is gone', of: ['owner_in_part'],
    statements: policyOf => `drop policy ${policyOf('owner_in_part', 'SELECT')} on owner_in_part`,
  },
  { what: 'the default is for everybody', of: ['no_rule'], statements: () => 'alter policy no_rule_default_admin on no_rule using (true)' },
  { what: 'row security is off', of: ['no_default'], statements: () => 'alter table no_default disable row level security' },
  { what: 'everybody has every role', of: ['role', 'role_owner'], statements: () =>
    'create or replace function service.roles() returns text language sql stable parallel safe return \'admin,editor,writer\'' },
  {
    what: 'nobody has any role', of: ['role'],
    statements: () => 'create or replace function service.roles() returns text language sql stable parallel safe return \'\'',
  },
  {
    what: 'everybody is Ann', of: ['owner'],
    statements: () => 'create or replace function service.uid() returns text language sql stable parallel safe return \'ann\'',
  },
  {
    what: 'no guest is one', of: ['registered'],
    statements: () => 'create or replace function service.is_anonymous() returns boolean language sql stable parallel safe return false',
  },
  { what: 'the gate is open, and nobody has entered', of: ['owner', 'role'], statements: () => `do $$ begin execute regexp_replace(
    pg_get_functiondef('service.enter(text, text, text, text, text)'::regprocedure), '(as [$]function[$]).*([$]function[$])',
    '\\1 begin return true; end \\2', 'i'); end $$` },
];

/** The statements that undo every sabotage. */
async function restoration({ sql }: Matrix): Promise<string> {
  const rows = await sql<{ statement: string }[]>`
    select format('drop policy if exists %1$I on %2$I; create policy %1$I on %2$I as %3$s for %4$s', policyname, tablename, permissive, cmd)
      || coalesce(' using (' || qual || ')', '') || coalesce(' with check (' || with_check || ')', '') as statement
    from pg_policies where schemaname = 'public'
    union all
    select format('alter table %I enable row level security', relname)
    from pg_class where relrowsecurity and relnamespace = 'public'::regnamespace
    union all
    select pg_get_functiondef(oid) from pg_proc where pronamespace in ('service'::regnamespace, 'service_private'::regnamespace)
    and proname in ('roles', 'uid', 'is_anonymous', 'enter')`;
  return rows.map(({ statement }) => statement).join(';\n');
}

/** The policy that a rule of the form has become for an operation. */
async function policies({ sql }: Matrix): Promise<(form: string, operation: string) => string> {
  const found = await sql<{ tablename: string; cmd: string; policyname: string }[]>`
    select tablename, cmd, policyname from pg_policies where policyname !~ '_default_admin$' order by permissive desc`;
  return (form, operation) => found.findLast(({ tablename, cmd }) => tablename === form && cmd === operation)?.policyname ?? 'none';
}

test('every form of rule gives each caller what the table says, and no sabotage goes unseen', async t => {
  const service = await createService(t,
    { template: 'served', env: { SERVICE_COLLECTIONS_DIR: collections(t, ...FILES), AUTH_REQUIRE: 'false' } });
  const { sql, request } = service;
  await sql`insert into member values ('1', 'o1', 'ann'), ('2', 'o1', 'g1'), ('3', 'o2', 'eve')`;
  const tokens =
    Object.fromEntries(await Promise.all(Object.entries(CALLERS).map(async ([name, token]) => [name, await token()] as const)));
  const matrix = { sql, request, tokens };
  t.same(await differences(matrix), []);
  const restored = await restoration(matrix);
  const policyOf = await policies(matrix);
  for (const { what, statements, of } of SABOTAGES) {
    await sql.unsafe(statements(policyOf)).simple();
    for (const form of of) {
      const found = await differences(matrix, [form]);
      t.ok(found.length > 0 && !found.some(difference => / 5\d\d /.test(difference)), `${what}: ${form}`);
    }
    await sql.unsafe(restored).simple();
  }
  t.same(await differences(matrix, SABOTAGES.flatMap(({ of }) => of).filter((form, i, forms) => forms.indexOf(form) === i)), [],
    'and what was restored holds again');
});
