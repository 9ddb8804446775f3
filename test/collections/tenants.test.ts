import type postgres from 'postgres';
import { test, type Test } from 'tap';
import { openService } from '../harness/service.ts';
import { createDatabase } from '../harness/database.ts';
import { collections } from '../write/client.ts';
import { PLANNERS } from '../identity/isolation-planners.ts';
import { planOf, ungatedScansOfWrite } from '../identity/isolation-plan-walk.ts';
import { byClaim, byMembership, members, orgs } from '../write/tenants.ts';
import { plan } from './declared.ts';

type File = { slug: string; [key: string]: unknown };

/** A database that has been started with these files, one list after the other. */
async function started(t: Test, ...starts: File[][]): Promise<postgres.Sql> {
  const { url, sql } = await createDatabase(t, { template: 'served' });
  for (const files of starts) await (await openService(url, { SERVICE_COLLECTIONS_DIR: collections(t, ...files) })).close();
  return sql;
}

async function policies(sql: postgres.Sql, table: string): Promise<Record<string, object>> {
  const rows = await sql<{ name: string }[]>`
    select polname as name, polpermissive as permissive, polcmd::text as command, polroles::text as roles,
      regexp_replace(pg_get_expr(polqual, polrelid), '[[:space:]]+', ' ', 'g') as using, polwithcheck is null as both
    from pg_policy where polrelid = ${table}::regclass`;
  return Object.fromEntries(rows.map(({ name, ...policy }) => [name, policy]));
}

const triggers = async (sql: postgres.Sql, table: string): Promise<unknown[]> =>
  (await sql`select pg_get_triggerdef(oid) as text from pg_trigger where tgrelid = ${table}::regclass and not tgisinternal and tgname < '_9'
    order by tgname`).map(row => row['text']);

test('a DBA finds a column that is never null, an index, a trigger, and one restrictive policy for everything', async t => {
  const sql = await started(t, [byClaim, orgs, members, byMembership]);
  t.same((await policies(sql, 'orders'))['orders_tenant'], {
    permissive: false, command: '*', roles: '{0}', both: true,
    using: `(( SELECT ((service.uid() = 'service'::text) OR (string_to_array(service.roles(), ','::text) && '{admin}'::text[]))) `
      + `OR (org_id = ( SELECT service.claim('org_id'::text) AS claim)))`,
  });
  t.match((await policies(sql, 'jobs'))['jobs_tenant'], {
    permissive: false, command: '*',
    using: new RegExp(String.raw` OR \(\(org_id\)::text = ANY \(ARRAY\( SELECT \(m\.org_id\)::text AS org_id FROM members m `
      + String.raw`WHERE \(\(m\.uid = \( SELECT service\.uid\(\) AS uid\)\) AND \(m\.deleted_at IS NULL\)\)\)\)\)\)$`),
  });
  t.same(await triggers(sql, 'jobs'),
    ['CREATE TRIGGER _400_tenant BEFORE INSERT OR UPDATE ON public.jobs FOR EACH ROW EXECUTE FUNCTION service_private.jobs__tenant()']);
  t.same(await sql`select attnotnull from pg_attribute where attrelid in ('orders'::regclass, 'jobs'::regclass) and attname = 'org_id'`,
    [{ attnotnull: true }, { attnotnull: true }]);
  t.same(await sql`select indexrelid::regclass::text as name from pg_index where indrelid in ('orders'::regclass, 'jobs'::regclass)
    and not indisunique order by 1`, [{ name: 'jobs_org_id_fk_idx' }, { name: 'orders_org_id_tenant_idx' }]);
  t.match(await sql`select confdeltype::text as on_delete from pg_constraint where conrelid = 'jobs'::regclass and contype = 'f'`,
    [{ on_delete: 'r' }], 'as of any foreign key that is required');
  t.equal((await sql`select obj_description('service_private.orders__tenant()'::regprocedure) as text`)[0]?.['text'],
    'Trigger: keeps the rows of public.orders with their tenants. Generated.');
  t.same(await plan(sql), [], 'nothing is left to do');
});

test('the caller\'s tenants are read once a statement, after it has entered, and writes stay one statement', async t => {
  const sql = await started(t, [byClaim, orgs, members, byMembership]);
  await sql`insert into orgs (name) values ('one'), ('two')`;
  await sql`insert into members (uid, org_id) values ('ann', 1)`;
  await sql`insert into jobs (org_id) select 1 + n % 2 from generate_series(1, 100) n`;
  const lines = (await sql`select service.explain('jobs', '{"limit": 100}', '{"uid": "ann", "roles": "", "isAnonymous": false, "jwt": {}}')
    as line`).map(row => row['line'] as string);
  const reads = lines.filter(line => /Scan.* on (public\.)?members/.test(line));
  t.ok(reads.length > 0);
  t.same(reads.filter(line => !/loops=1\)|never executed/.test(line)), [], lines.join('\n'));
  t.notOk(lines.some(line => /^\s*SubPlan/.test(line) && !/CTE/.test(line)), lines.join('\n'));
  const shapes = ['orders', 'jobs'].flatMap(collection => [
    { op: 'create', body: [collection === 'jobs' ? 'title' : 'note'] }, { op: 'update', body: [collection === 'jobs' ? 'title' : 'note'] },
    { op: 'delete', body: [] },
  ].map(shape => ({ ...shape, collection })));
  for (const shape of shapes) {
    const [row] = await sql<{ fast: string | null }[]>`select service_private.write_plan(${sql.json(shape)}, '{}') ->> 'fastPath' as fast`;
    t.ok(row?.fast, JSON.stringify(shape));
    if (shape.op === 'create') continue;
    for (const settings of PLANNERS) {
      const plan = await planOf(sql, row?.fast ?? '', ['ann', '', 'false', '{}', '{}', '{"body": {"title": "x", "note": "x"}}', '1'],
        settings);
      t.same(ungatedScansOfWrite(plan), [], `${JSON.stringify(shape)} ${JSON.stringify(settings)}`);
    }
  }
});

test('a list finds rows by an index that begins with the tenant, and shows what the policy alone would', async t => {
  const types: [slug: string, property: object, own: unknown[]][] = [
    ['texts', { type: 'string' }, ['a', 'A', ' a', '07', 'x\'y']],
    ['widths', { type: 'string', columnType: 'varchar', validation: { max: 8 } }, ['a', 'A']],
    ['smalls', { type: 'number', columnType: 'smallint' }, [7, -7]],
    ['whole', { type: 'number', columnType: 'integer' }, [7, 2_147_483_647]],
    ['bigs', { type: 'number', columnType: 'bigint' }, ['9223372036854775807', '1000000000000000001', '-9223372036854775808']],
    ['exact', { type: 'number', columnType: 'numeric' }, ['7', '7.50']],
    ['uuids', { type: 'string', columnType: 'uuid' }, ['6f1c2e0a-8a1b-4f6e-9d3b-0a1b2c3d4e5f']],
  ];
  const sql = await started(t, [orgs, members, byMembership, ...types.map(([slug, org]) => ({
    slug, tenant: { field: 'org', from: { claim: 'org' } }, securityRules: [{ access: 'public' }],
    properties: { id: { type: 'number', isId: 'increment' }, org },
  }))]);
  const claims = (org: unknown) => JSON.stringify({ uid: 'ann', roles: '', isAnonymous: false, jwt: { org } });
  for (const [slug, , own] of types) {
    for (const org of own) {
      await sql`insert into ${sql(slug)} (org) select ${String(org)}::text::${sql.unsafe((await sql`select format_type(atttypid,
        null) as type from pg_attribute where attrelid = ${slug}::regclass and attname = 'org'`)[0]?.['type'] as string)}`;
    }
    const asked = [
      ...own, ...own.map(String), ' 7', '7.5', '07', '+7', '7e0', '99999', '99999999999', '9223372036854775808', '9'.repeat(40), 'A',
      '6F1C2E0A-8A1B-4F6E-9D3B-0A1B2C3D4E5F', '{6f1c2e0a-8a1b-4f6e-9d3b-0a1b2c3d4e5f}', '\n7', '', null,
    ];
    for (const org of asked) {
      const listed =
        (await sql`select service.list(${slug}, '{}', ${claims(org)}::text::jsonb) as body`)[0]?.['body'].data.length as number;
      const allowed = await sql.begin(async transaction => {
        await transaction`set local role service_user`;
        await transaction`select service.enter('ann', '', 'false', ${JSON.stringify({ org })})`;
        return (await transaction`select from ${sql(slug)}`).length;
      });
      t.equal(listed, allowed, `${slug} ${JSON.stringify(org)}`);
      t.ok(!own.includes(org) || listed === 1, `${slug} ${JSON.stringify(org)} is seen`);
    }
  }
  await sql`insert into orgs select from generate_series(1, 50)`;
  await sql`insert into members (uid, org_id) values ('ann', 7)`;
  await sql`insert into jobs (org_id) select 1 + n % 50 from generate_series(1, 20000) n`;
  await sql`insert into whole (org) select n from generate_series(1, 20000) n`;
  await sql`analyze jobs, whole`;
  for (const slug of ['jobs', 'whole']) {
    const plan = (await sql`select service.explain(${slug}, '{"limit": 1000}', ${claims(7)}::text::jsonb) as line`).map(row =>
      row['line'] as string).join('\n');
    t.match(plan, /Index Cond: \(org(_id)? = /, slug);
    const free = (await sql`select service.explain(${slug}, '{"limit": 1000}',
      '{"uid": "root", "roles": "admin", "isAnonymous": false, "jwt": {}}') as line`).map(row => row['line'] as string);
    t.notOk(free.some(line => line.includes('q (id)')), 'who is bound to none is asked for none');
  }
});

test('rules removed from the files are dropped, and changed ones are made anew', async t => {
  const { tenant, ...free } = byClaim;
  const claimed = { ...byClaim, tenant: { ...tenant, from: { claim: 'it\'s "org"' } } };
  const sql = await started(t, [byClaim], [claimed]);
  t.match((await policies(sql, 'orders'))['orders_tenant'], { using: /service\.claim\('it''s "org"'::text\)/ });
  t.match((await sql`select prosrc from pg_proc where proname = 'orders__tenant'`)[0]?.['prosrc'], /service\.claim\('it''s "org"'\)/);
  const freed = await started(t, [byClaim], [free]);
  t.notOk((await policies(freed, 'orders'))['orders_tenant']);
  t.notOk((await triggers(freed, 'orders')).join().includes('_400_tenant'));
  t.match((await plan(freed)).filter(({ kind }) => kind === 'not null'), [], 'validation.required asks for it still');
});

test('names that need quotes, a key that is the tenant, and an index that is there already', async t => {
  const sql = await started(t, [
    {
      slug: 'odd', table: 'My "rows"',
      properties: { id: { type: 'number', isId: 'increment' }, by: { type: 'string', columnName: 'by "whom"' } },
      tenant: { field: 'by', from: { claim: 'org' } }, securityRules: [{ access: 'public' }],
    },
    { slug: 'keyed', properties: { id: { type: 'string', isId: 'manual' } }, tenant: { field: 'id', from: { claim: 'org' } } },
    {
      slug: 'indexed', properties: { id: { type: 'number', isId: 'increment' }, org: { type: 'string' }, at: { type: 'date' } },
      tenant: { field: 'org', from: { claim: 'org' } }, indexes: [{ on: ['org', 'at'], reason: 'lists' }],
    },
    {
      slug: 'lone', properties: { id: { type: 'number', isId: 'increment' }, org: { type: 'string', validation: { unique: true } } },
      tenant: { field: 'org', from: { claim: 'org' } },
    },
  ]);
  t.same((await sql`select indexrelid::regclass::text as name from pg_index where indrelid in ('"My ""rows"""'::regclass,
    'keyed'::regclass, 'indexed'::regclass, 'lone'::regclass) order by 1`).map(row => (row['name'] as string).replace(/_[0-9a-f]{7}$/, '')),
    [
      '"My ""rows""_by ""whom""_tenant_idx"', '"My ""rows""_pkey"', 'indexed_org_at_ix', 'indexed_pkey', 'keyed_pkey', 'lone_org_key',
      'lone_pkey',
    ]);
  const [row] = await sql`select service.create('odd', '{}', '{"uid": "ann", "roles": "", "isAnonymous": false, "jwt": {"org": "a"}}')
    as body`;
  t.match(row?.['body'], { by: 'a' });
  t.same(await plan(sql), []);
});

test('a table with rows keeps them, and their tenants are left to its owner', async t => {
  const { tenant, ...free } = byClaim;
  const { url, sql } = await createDatabase(t, { template: 'served' });
  const start = async (file: File) => (await openService(url, { SERVICE_COLLECTIONS_DIR: collections(t, file) })).close();
  await start({ ...free, properties: { ...byClaim.properties, orgId: { type: 'string' } } });
  await sql`insert into orders (note) values ('old')`;
  await start({ ...free, tenant });
  t.match((await plan(sql)).filter(({ kind }) => kind === 'not null'),
    [{ verdict: 'withheld', target: 'public.orders.org_id', remedy: /^update public\.orders set org_id = … where org_id is null;/ }]);
  const asked = async (roles: string, org: string) => (await sql`select service.list('orders', '{}', ${JSON.stringify({
    uid: 'ann', roles, isAnonymous: false, jwt: { org_id: org },
  })}::text::jsonb) as body`)[0]?.['body'].data.length as number;
  t.same([await asked('', 'a'), await asked('', ''), await asked('admin', '')], [0, 0, 1],
    'a row of no tenant is for nobody but who is bound to none');
});

test('for a view the tables beneath decide, and the start says so', async t => {
  const { url, sql } = await createDatabase(t, { template: 'served' });
  await sql`create view seen with (security_invoker) as select 'a'::text as id, 'a'::text as org`;
  await (await openService(url, { SERVICE_COLLECTIONS_DIR: collections(t, {
    slug: 'seen', readOnly: true, properties: { id: { type: 'string', isId: 'manual' }, org: { type: 'string' } },
    tenant: { field: 'org', from: { claim: 'org' } },
  }) })).close();
  t.match(await plan(sql), [{
    kind: 'trigger', verdict: 'report', target: 'public.seen',
    detail: 'It is no table, so no policy can keep its tenants apart: those of the tables beneath must.',
  }]);
});
