import { test } from 'tap';
import { createDatabase } from '../harness/database.ts';
import '../harness/service.ts';

/** Functions with the owner's rights that the end-user role may call, with their purpose. */
const WITH_THE_OWNERS_RIGHTS: Record<string, string> = {
  cursor_seal: 'lists', cursor_open: 'lists',
  write_shape: 'writes', write_plan: 'writes', check_body: 'writes', constraint_violations: 'writes', refuse_unaffected: 'writes',
  refuse_stamp: 'writes', require_found: 'writes', bulk_requests: 'bulk writes', batch_requests: 'batches',
  many_answer: 'bulk writes and batches', answered: 'idempotency keys', keep_answer: 'idempotency keys', take_request: 'rate limits',
  enqueue: 'jobs', allows_unruled: 'files', file_rules: 'files', file_user: 'files', file_row: 'files', file_triggers: 'files',
  require_file_fits: 'files', put_release: 'files', released_files: 'files', history_page: 'history', history_entry: 'history',
  revert_plan: 'history',
};

/** With its own rights: the gate, and what policies ask. */
const OF_POLICIES = ['enter', 'uid', 'roles', 'jwt', 'is_anonymous'];

test('the end-user role has no attribute, no member role and no object of its own', async t => {
  const { sql } = await createDatabase(t, { template: 'served' });
  const [role] = await sql`select rolcanlogin, rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolreplication, rolinherit
    from pg_roles where rolname = 'service_user'`;
  t.same(role, {
    rolcanlogin: false, rolsuper: false, rolbypassrls: false, rolcreaterole: false, rolcreatedb: false, rolreplication: false,
    rolinherit: false,
  });
  t.same(await sql`select g.rolname from pg_auth_members m join pg_roles g on g.oid = m.roleid where m.member = 'service_user'::regrole`,
    []);
  t.same(await sql`select classid::regclass, objid from pg_shdepend where refobjid = 'service_user'::regrole
    and deptype = 'o' and dbid = (select oid from pg_database where datname = current_database())`, []);
});

test('the end-user role reaches no table, view or sequence of the service, not even one column', async t => {
  const { sql } = await createDatabase(t, { template: 'served' });
  const reached = await sql`
    select c.relname, p.privilege from pg_class c, unnest('{select,insert,update,delete,truncate,references,trigger}'::text[]) p (privilege)
    where c.relnamespace = 'service'::regnamespace and case when c.relkind in ('r', 'p', 'v', 'm', 'f') then
      has_table_privilege('service_user', c.oid, p.privilege)
      or (p.privilege in ('select', 'insert', 'update', 'references') and has_any_column_privilege('service_user', c.oid, p.privilege)) end
    union all
    select c.relname, 'usage' from pg_class c
    where c.relnamespace = 'service'::regnamespace and case when c.relkind = 'S' then has_sequence_privilege('service_user',
      c.oid, case when c.relname = 'changes_asked' then 'usage,update' else 'usage,select,update' end) end`;
  t.same(reached, []); // the existence of leases is no secret: the triggers of tables read it as the writer
  const [count] = await sql`select count(*)::int as tables from pg_class where relnamespace = 'service'::regnamespace and relkind = 'r'`;
  t.ok(Number(count?.['tables']) > 5, 'there are tables that could have been reached');
});

test('the end-user role may call only functions that are granted to it', async t => {
  const { sql } = await createDatabase(t, { template: 'served' });
  const callable = await sql<{ name: string; definer: boolean }[]>`
    select distinct proname as name, prosecdef as definer from pg_proc where pronamespace in ('service'::regnamespace,
      'service_private'::regnamespace) and has_function_privilege('service_user', oid, 'execute')`;
  const named = (definer: boolean) => callable.filter(one => one.definer === definer).map(({ name }) => name);
  t.same(named(true).filter(name => !(name in WITH_THE_OWNERS_RIGHTS)), [], 'functions with the owner\'s rights beyond those');
  t.same(OF_POLICIES.filter(name => !named(false).includes(name)), []);
  t.same(await sql`
    select p.oid::regprocedure::text as name from pg_proc p, aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a
    where p.pronamespace in ('service'::regnamespace, 'service_private'::regnamespace)
    and a.grantee = 0`, [], 'functions that PUBLIC may call');
});

test('functions with the owner\'s rights look names up only in system schemas', async t => {
  const { sql } = await createDatabase(t, { template: 'served' });
  const definers = await sql<{ name: string; safe: boolean }[]>`
    select p.oid::regprocedure::text as name, coalesce('search_path=pg_catalog, pg_temp' = any (p.proconfig), false) as safe
    from pg_proc p where p.pronamespace in ('service'::regnamespace, 'service_private'::regnamespace) and p.prosecdef`;
  t.ok(definers.some(({ name }) => name.startsWith('service_private.cursor_seal')));
  t.same(definers.filter(({ safe }) => !safe), []);
});

test('functions with the owner\'s rights never run text of the end-user role', async t => {
  const { sql } = await createDatabase(t, { template: 'served' });
  t.same(await sql`
    select p.oid::regprocedure::text as name from pg_proc p
    where p.pronamespace in ('service'::regnamespace, 'service_private'::regnamespace) and p.prosecdef
    and has_function_privilege('service_user', p.oid, 'execute') and p.prosrc ~* '\\mexecute\\M'`, []);
});

test('functions of the end-user role find nothing through the search path', async t => {
  const { sql } = await createDatabase(t, { template: 'served' });
  const rows = await sql<{ name: string }[]>`
    select p.proname as name from pg_proc p join pg_language l on l.oid = p.prolang
    where p.pronamespace in ('service'::regnamespace, 'service_private'::regnamespace)
    and p.proname in ('uid', 'roles', 'jwt', 'is_anonymous') and not (l.lanname = 'sql' and p.prosqlbody is not null)`;
  t.same(rows, [], 'bodies that are looked up when they run');
});

test('it can create nothing that lasts, in no schema it sees', async t => {
  const { sql } = await createDatabase(t, { template: 'served_store' });
  t.same(await sql`select nspname from pg_namespace where has_schema_privilege('service_user', oid, 'create')`, []);
  const [row] = await sql`select has_database_privilege('service_user', current_database(), 'create') as creates`;
  t.equal(row?.['creates'], false);
});

test('row security on a table means for the end-user role what it says', async t => {
  const { sql } = await createDatabase(t, { template: 'served_store' });
  const rows = await sql<{ table: string; active: boolean }[]>`
    select c.relname as table, row_security_active(c.oid) as active
    from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and not c.relrowsecurity`;
  t.same(rows, [], 'tables of the example without row security');
});
