import { test } from 'tap';
import { createDatabase } from '../harness/database.ts';
import { some } from '../harness/effort.ts';
import { createService } from '../harness/service.ts';
import { ruled } from '../rules/client.ts';
import { audited, briefly, type Audit } from './audited.ts';

const id = { type: 'number', isId: 'manual' };
const text = { type: 'string' };

const files = {
  posts: {
    properties: {
      id, owner: text, published: { type: 'boolean' }, tags: { type: 'relation', relation: { kind: 'manyToMany', target: 'tags' } },
    },
    securityRules: [
      { operation: 'select', access: 'public' },
      { operations: ['insert', 'update', 'delete'], ownerField: 'owner' },
      {
        operation: 'update', mode: 'restrictive', name: 'published is final',
        condition: { kind: 'compare', op: 'eq', left: { kind: 'field', name: 'published' }, right: { kind: 'literal', value: false } },
      },
    ],
  },
  tags: { properties: { id, name: text }, securityRules: [{ operation: 'select', roles: ['editor'] }] },
};

const above = (severities: string[]) =>
  ({ findings }: Audit) => findings.filter(({ severity }) => severities.includes(severity)).map(briefly);
const worse = above(['critical', 'high', 'medium']);

test('the example and other files have no finding above low, and a public collection is reported', async t => {
  const { sql } = await createService(t);
  const found = await audited(sql);
  t.same(worse(found), []);
  t.match(found, {
    scannedAt: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/, database: { host: String, name: /^rowgate_test_/ }, serverVersion: /^\d+/,
    platform: 'postgresql', scannerIsPrivileged: true, exposedRoles: ['PUBLIC', 'service_user'],
    stats: { schemas: 1, tables: Number, policies: Number, tablesWithoutRls: 0, checksRun: Number },
    diagnostics: { degraded: [], tlsVerificationDisabled: false, unrecognizedGrantees: [], scanningAsExposedRole: null },
  });
  t.match(found.diagnostics.excludedSchemas.find(({ schema }) => schema === 'service'), { reason: 'the service\'s own' });
  t.ok((found.stats['tables'] ?? 0) > 2);
  const own = await audited(await ruled(t, files));
  t.same(worse(own), []);
  t.match(own.findings.filter(({ severity }) => severity === 'info'),
    [{ id: 'policy-always-true', fix: null, detail: /So says posts\.securityRules, which is the place/ }]);
});

test('policies that differ from those of the files are classified, and mended', async t => {
  const sql = await ruled(t, files);
  const before = (await audited(sql)).findings.map(briefly);
  const [named] = await sql<{ name: string }[]>`select polname as name from pg_policy where polrelid = 'posts'::regclass and polcmd = 'r'`;
  const name = named?.name ?? '';
  const admin = '\'admin\' = any (string_to_array((select service.roles()), \',\'))';
  const target = (table: string, policy: string) => JSON.stringify({ table, policy, schema: 'public' });
  const damages: [string, string[]][] = [
    [
      `drop policy "published is final" on posts; create policy "published is final" on posts for update using (published = (${admin}))`,
      [`high policy-mode-mismatch ${target('posts', 'published is final')}`],
    ],
    [`alter policy "${name}" on posts using (${admin})`, [`high policy-drift ${target('posts', name)}`]],
    [`drop policy "${name}" on posts`, [`high policy-drift ${JSON.stringify({ policy: `public.posts.${name}` })}`]],
    [`create policy other on posts for delete using (${admin})`, [`medium policy-unexpected ${target('posts', 'other')}`]],
    ['alter table posts disable row level security', ['critical rls-disabled {"table":"posts","schema":"public"}']],
    ['alter table posts_tags disable row level security', [
      'critical rls-disabled {"table":"posts_tags","schema":"public"}',
      'high junction-table-unprotected {"table":"posts_tags","schema":"public"}',
    ]],
    [`alter policy posts_default_admin on posts using (true)`, [
      `critical policy-always-true ${target('posts', 'posts_default_admin')}`,
      `high policy-drift ${target('posts', 'posts_default_admin')}`,
    ]],
  ];
  for (const [damage, expected] of some(damages)) {
    await sql.unsafe(damage).simple();
    const found = await audited(sql);
    t.same(worse(found), expected, damage);
    const [last] = found.findings.filter(({ severity }) => severity !== 'low' && severity !== 'info').map(({ fix }) => fix).slice(-1);
    await sql.unsafe(last ?? 'no fix').simple();
    t.same((await audited(sql)).findings.map(briefly), before, `after ${last}`);
  }
});

test('a check that cannot read the catalog is degraded and not clean, and the others go on', async t => {
  const { sql } = await createDatabase(t, { template: 'served' });
  await sql`create table t (id int primary key)`;
  await sql`grant select on t to service_user`;
  const role = `${(await audited(sql)).database.name}_reader`;
  await sql.unsafe(`create role ${role}; grant usage on schema service, service_private to ${role};
    grant execute on all functions in schema service, service_private to ${role};
    grant select on all tables in schema service to ${role}; revoke select on pg_catalog.pg_policy from public;`).simple();
  const found = await sql.begin(async transaction => {
    await transaction.unsafe(`set local role ${role}`);
    const [row] = await transaction<{ audit: Audit }[]>`select service.audit() as audit`;
    return row?.audit;
  });
  const degraded = found?.diagnostics.degraded.map(({ what }) => what) ?? [];
  for (const id of ['policy-always-true', 'rls-disabled', 'policy-drift', 'stats']) t.ok(degraded.includes(id), id);
  t.match(found?.diagnostics.degraded.find(({ what }) => what === 'rls-disabled')?.error, /permission denied .*pg_policy/);
  t.notOk(degraded.includes('duplicate-index'));
  const [counted] = await sql<{ checks: number }[]>`select count(*)::int as checks from service.audit_checks()`;
  t.equal(found?.stats['checksRun'], (counted?.checks ?? 0) - degraded.length + 1);
  t.equal(found?.scannerIsPrivileged, false);
});

test('every check says what it is, and every family is a function', async t => {
  const { sql } = await createDatabase(t, { template: 'served' });
  const checks = await sql<Record<string, string>[]>`select c.*,
    to_regprocedure(format('service.audit_%s()', family)) is not null as is_there from service.audit_checks() c`;
  t.equal(new Set(checks.map(({ id }) => id)).size, checks.length);
  for (const check of checks) {
    t.match(check, {
      id: /^[a-z-]+$/, severity: /^(info|low|medium|high|critical)$/, confidence: /^(certain|heuristic)$/, title: /^[A-Z].*[^.]$/,
      impact: /\.$/, is_there: true,
    });
  }
});

test('other grantees are named, and roles that service_user inherits are exposed too', async t => {
  const { sql } = await createDatabase(t, { template: 'served' });
  const reporter = `${(await audited(sql)).database.name}_writer`;
  await sql.unsafe(`create role ${reporter}; create table t (id int primary key); alter table t enable row level security;
    grant select on t to ${reporter};`).simple();
  t.same((await audited(sql)).diagnostics.unrecognizedGrantees, [reporter]);
});

test('two thousand tables are looked at whole', async t => {
  const { sql } = await createDatabase(t, { template: 'served' });
  await sql.unsafe(`
    do $$ begin
      for n in 1 .. 2000 loop
        execute format('create table t%s (id int primary key, owner text, parent int %s)',
          n, case when n > 1 then 'references t' || n - 1 end);
        execute format('alter table t%s enable row level security', n);
        execute format('create policy own on t%s using (owner = (select service.uid()))', n);
        execute format('create policy open on t%s for select using (id > 0 or owner = (select service.uid()))', n);
        execute format('grant select, insert on t%s to service_user', n);
        if n % 500 = 0 then commit; end if;
      end loop;
    end $$`).simple();
  const { stats, findings } = await audited(sql);
  t.match(stats, { tables: 2000, policies: 4000 });
  t.equal(findings.filter(({ id }) => id === 'foreign-key-unindexed').length, 1999);
  t.equal(findings.filter(({ id }) => id === 'policy-column-unindexed').length, 2000);
});
