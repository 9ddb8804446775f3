// Odd policies, tables and questions have an answer, never hang, and leave nothing behind.
import { test } from 'tap';
import { runCommand } from '../boot/gateway.ts';
import { createService, type TestService } from '../harness/service.ts';
import { ruled } from '../rules/client.ts';
import { byMembership, createLandlord, members, orgs } from '../write/tenants.ts';

const SETUP = `
  create table marks (n int);
  create function writes() returns boolean language sql volatile security definer as 'insert into public.marks values (1) returning true';
  create function loops() returns boolean language plpgsql as 'begin loop perform 1; end loop; end';
  create function raises() returns boolean language plpgsql as 'begin raise exception ''the secret is %'', 42; end';
  create function lost() returns boolean language plpgsql as 'begin return (select true from gone); end';
  create table things (id int primary key, owner text, big text);
  insert into things values (1, 'ann', repeat('x', 5000000)), (2, 'bob', null);
  alter table things enable row level security;
  create policy first on things using (owner = (select service.uid()));
  create policy of_others on things to pg_monitor using (true);
  create table parts (id int, at date, primary key (id, at)) partition by range (at);
  create table parts_1 partition of parts for values from ('2026-01-01') to ('2027-01-01');
  insert into parts values (1, '2026-05-05');
  alter table parts enable row level security; create policy all_parts on parts using (extract(month from at) = 5);
  create table locked (id int primary key); insert into locked values (1); alter table locked enable row level security;
  create policy inserts on locked for insert with check (true);
  create view seen with (security_invoker) as select * from things;
  create table "of.dots" ("select" int primary key, "a b" text); insert into "of.dots" values (1, 'x');
  alter table "of.dots" enable row level security; create policy "p ""q"" " on "of.dots" using ("a b" = 'x' and "select" > 0);`;

type Line = { part: string; name: string; verdict: string; message: string };

async function ask(service: TestService, args: string, timeout = '0'): Promise<Line[]> {
  return await service.sql.begin(async sql => {
    await sql.unsafe(`set local statement_timeout = '${timeout}'`);
    return await sql.unsafe<Line[]>(`select * from service.access(${args})`);
  });
}
const answerOf = async (...args: Parameters<typeof ask>) => (await ask(...args)).at(-1)?.message;

test('odd policies, tables and questions', async t => {
  const service = await createService(t, { template: 'served', env: { SERVICE_SOURCE: 'tables' }, setup: SETUP });
  const ann = `'read', service.account_claims('ann')`;
  const add = (name: string, using: string, as = 'permissive') =>
    service.sql.unsafe(`create policy ${name} on things as ${as} for select using (${using})`);

  t.equal(await answerOf(service, `'things', '1', ${ann}`), 'allowed by first', 'a row of 5 MB');
  t.equal(await answerOf(service, `'things', '2', ${ann}`),
    'hidden: no permissive policy for select is true (1 tried); nearest: first, owner is someone else\'s');
  t.equal((await ask(service, `'things', '1', ${ann}`)).some(({ name }) => name === 'of_others'), false, 'a policy of another role');
  t.equal(await answerOf(service, `'parts', '1:::2026-05-05', ${ann}`), 'allowed by all_parts', 'a partitioned table');
  t.equal(await answerOf(service, `'locked', '1', ${ann}`), 'hidden: no policy lets the role of requests select');
  t.match(await answerOf(service, `'locked', null, 'create', service.account_claims('ann'), '{"id": 2}'`),
    /^refused: no policy lets the role of requests select/, 'a row that its writer would not see');
  t.equal(await answerOf(service, `'of.dots', '1', ${ann}`), 'allowed by p "q" ', 'names that need quotes');
  t.equal(await answerOf(service, `'things', 'x', ${ann}`), 'hidden: There is no such row.', 'an id of another type');
  t.equal(await answerOf(service, `'things', null, ${ann}`), 'hidden: There is no such row.');
  t.match(await answerOf(service, `'things', '1', 'update', service.account_claims('ann'), '{"nothing": 1}'`),
    /^refused: VALIDATION_UNKNOWN_FIELDS/);
  t.match(await answerOf(service, `'things', '1', 'update', service.account_claims('ann'), '{"owner": "bob"}'`),
    /^refused: no permissive policy for update is true .*first, owner is someone else's/, 'a row that is given away');
  const key = '{"uid": "api-key:1", "roles": "admin", "jwt": {"scopes": ["data:read:parts"]}}';
  t.match(await answerOf(service, `'things', '1', 'read', '${key}'`), /^hidden: data:read:things is not among the scopes/);
  for (const [args, hint] of [
    [`'nothing', '1'`, 'NOT_FOUND'], [`'things', '1', 'drop'`, 'INVALID_PARAM'], [`'things', '1', null`, 'INVALID_PARAM'],
  ] as const) {
    const refused = await ask(service, args).catch((error: unknown) => error);
    t.match(refused, { hint }, args);
  }

  await add('writing', 'writes() is null');
  await add('raising', 'raises()');
  await add('losing', 'lost()');
  const lines = await ask(service, `'things', '2', ${ann}`);
  t.same(lines.filter(({ part }) => part === 'policy').map(({ name, verdict }) => [name, verdict]),
    [['first', 'false'], ['losing', 'error 42P01'], ['raising', 'error P0001'], ['writing', 'false']]);
  t.equal(lines.find(({ name }) => name === 'raising')?.message, 'the secret is 42');
  t.same(await service.sql`select * from marks`, [], 'what a policy writes is undone');
  await service.sql.unsafe('drop policy losing on things; drop policy raising on things; drop policy writing on things').simple();

  await add('aaa_looping', 'loops()');
  const late = await ask(service, `'things', '2', ${ann}`, '500ms');
  t.same(late.filter(({ part }) => part === 'policy').map(({ name, verdict }) => [name, verdict]),
    [['aaa_looping', 'error 57014'], ['first', 'not tried']], 'the timeout of the statement is an answer');
  await service.sql`drop policy aaa_looping on things`;

  for (let n = 0; n < 200; n++) await add(`many_${n}`, `owner = 'nobody ${n}' and (select service.uid()) = 'ann'`);
  t.match(await answerOf(service, `'things', '2', ${ann}`), /\(201 tried\); nearest: many_0, \(owner = 'nobody 0'::text\) is false/);
  await t.rejects(service.sql.begin(async sql => {
    await sql`set local role pg_read_all_data`;
    await sql.unsafe(`select * from service.access('things', '1')`);
  }), /permission denied/, 'for operators alone');
});

test('the matrix says what each kind of caller may do, by policies of your own too', async t => {
  const service = await createService(t);
  const cell = async (collection: string, operation: string, caller: string) =>
    (await service.sql`select verdict, policies from service.policy_matrix()
      where (collection, operation, caller) = (${collection}, ${operation}, ${caller})`).map(row => ({ ...row }))[0];
  const staff = `'{"uid": "ben", "roles": "staff", "jwt": {"sub": "ben", "roles": ["staff"]}}'`;
  t.equal(await answerOf(service, `'products', '1', 'update', ${staff}, '{"stock": {"$inc": 1}}'`),
    'allowed by everybody, staff_select, staff_update');
  t.same(await cell('orders', 'read', 'visitor'), { verdict: 'closed', policies: [] });
  t.same(await cell('orders', 'read', 'signed in'), { verdict: 'by row', policies: ['own_orders'] });
  t.same(await cell('orders', 'read', 'owner'), { verdict: 'open', policies: ['own_orders'] });
  t.same(await cell('products', 'read', 'role staff'), { verdict: 'open', policies: ['staff_select'] });
  await service.sql`create policy everybody_too on orders for select using (true)`;
  t.same(await cell('orders', 'read', 'visitor'), { verdict: 'open', policies: ['everybody_too'] });
  await service.sql`create policy only_staff on orders as restrictive for select
    using ('staff' = any (string_to_array(service.roles(), ',')))`;
  t.same(await cell('orders', 'read', 'visitor'), { verdict: 'closed', policies: [] });
  t.same(await cell('orders', 'read', 'role staff'), { verdict: 'open', policies: ['everybody_too'] });
  await service.sql`alter table orders disable row level security`;
  t.same(await cell('orders', 'delete', 'visitor'), { verdict: 'open', policies: [] });

  const { code, output } = await runCommand(t, ['policies', '--matrix'], { DATABASE_URL: service.url });
  t.equal(code, 0);
  t.match(output, /^ +visitor +guest +signed in +owner +role admin +role staff +service key\n/);
  t.match(output, /^products: read +by row +by row +by row +by row +open +open +open$/m);
  const json = await runCommand(t, ['policies', '--matrix', '--json'], { DATABASE_URL: service.url });
  t.same(JSON.parse(json.output).length % 4, 0);
});

const MORE = `
  create table base (id int primary key, owner text); insert into base values (1, 'ann'), (2, 'bob');
  alter table base enable row level security; create policy own on base using (owner = (select service.uid()));
  create view as_caller with (security_invoker) as select * from base;
  create table elders (id int primary key, owner text);
  create table youths (age int, primary key (id)) inherits (elders);
  alter table elders enable row level security; alter table youths enable row level security;
  create function owns(name text) returns boolean language sql stable security definer set search_path = public
    as 'select name = service.uid()';
  create table defined (id int primary key, owner text); insert into defined values (1, 'ann');
  alter table defined enable row level security; create policy by_definer on defined using (owns(owner))`;

test('views, inherited tables and functions of the owner in policies', async t => {
  const service = await createService(t, { template: 'served', env: { SERVICE_SOURCE: 'tables' }, setup: MORE });
  const of = (name: string) => `service.account_claims('${name}')`;
  const answer = (args: string) => answerOf(service, args);
  t.equal(await answer(`'as_caller', '1', 'read', ${of('ann')}`), 'allowed');
  t.equal(await answer(`'as_caller', '2', 'read', ${of('ann')}`),
    'hidden: a view: it reads public.base as the caller, whose policies there decide, or its query leaves the row out');
  t.equal(await answer(`'as_caller', '3', 'read', ${of('ann')}`),
    'hidden: a view: it reads public.base as the caller, whose policies there decide, or its query leaves the row out');
  t.equal(await answer(`'as_caller', '1', 'update', ${of('ann')}, '{"owner": "bob"}'`), 'refused: The collection is read-only.');
  t.equal(await answer(`'defined', '1', 'read', ${of('ann')}`), 'allowed by by_definer');
  t.equal(await answer(`'defined', '1', 'read', ${of('bob')}`),
    'hidden: no permissive policy for select is true (1 tried); nearest: by_definer, public.owns(owner) is false');
  const refused = await ask(service, `'elders', '1'`).catch((error: unknown) => error);
  t.match(refused, { hint: 'NOT_FOUND' }, 'a table with others below it is not served');
});

test('grants on columns: those that a request touches, as the request itself finds them', async t => {
  const text = { type: 'string' };
  const sql = await ruled(t, { people: {
    properties: { id: { type: 'string', isId: 'manual' }, name: text, salary: text }, securityRules: [{ name: 'all', access: 'public' }],
  } });
  await sql.unsafe(`insert into people values ('1', 'ann', '5'); revoke all on people from service_user;
    grant select (id, name), update (name), insert (id, name) on people to service_user`).simple();
  const answer = async (args: string) => {
    const lines = await sql.unsafe<Line[]>(`select * from service.access('people', ${args})`);
    const [request, said] = [lines.find(({ part }) => part === 'request'), lines.at(-1)];
    t.equal(said?.verdict, request?.verdict, `${args}, as the request`);
    return said?.message;
  };
  t.equal(await answer(`'1'`), 'hidden: service_user has no SELECT on the columns salary.');
  await sql`grant select (salary) on people to service_user`;
  t.equal(await answer(`'1'`), 'hidden: service_user has no SELECT on the table.', 'the tag of a row is no column of its own');
  await sql`grant select on people to service_user`;
  t.match(await answer(`'1'`), /^allowed/);
  t.match(await answer(`'1', 'update', proposed => '{"name": "x"}'`), /^allowed/);
  t.equal(await answer(`'1', 'update', proposed => '{"salary": "6"}'`), 'refused: service_user has no UPDATE on the columns salary.');
  t.equal(await answer(`null, 'create', proposed => '{"id": "2", "salary": "6"}'`),
    'refused: service_user has no INSERT on the columns salary.');
  t.equal(await answer(`'1', 'delete'`), 'refused: service_user has no DELETE on the table.');
});

test('tenants: the field, the tenants of the caller, and whether the row is of one', async t => {
  const { sql } = await createLandlord(t, [orgs, members, byMembership]);
  await sql.unsafe(`insert into orgs (name) values ('one'), ('two'), ('three');
    insert into members (id, uid, org_id) values (1, 'ann', 1), (2, 'ann', 2), (3, 'bob', 3);
    insert into jobs (id, title, org_id) values (1, 'mine', 1), (2, 'other', 3)`).simple();
  const tenant = async (args: string) =>
    (await sql.unsafe<Line[]>(`select * from service.access(${args})`)).filter(({ part }) => ['tenant', 'answer'].includes(part))
      .map(({ name, verdict, message }) => [name, verdict, message]);
  const ann = `service.account_claims('ann')`;
  const mine = ['org', 'true', 'The caller is in 1, 2.'];
  t.same((await tenant(`'jobs', '1', 'read', ${ann}`))[0], mine);
  t.same(await tenant(`'jobs', '2', 'read', ${ann}`),
    [['org', 'false', 'The caller is in 1, 2.'], [null, 'false', 'hidden: org: the tenant of the row is not one of the caller']]);
  t.same((await tenant(`'jobs', '1', 'update', ${ann}, '{"org": 2}'`))[0], ['org', 'false', 'A row stays with its tenant.']);
  t.same((await tenant(`'jobs', null, 'create', ${ann}, '{"id": 9, "title": "x"}'`))[0], ['org', 'false', 'The caller is in 1, 2.']);
  t.same((await tenant(`'jobs', null, 'create', ${ann}, '{"id": 9, "org": 2}'`))[0], mine);
  t.same((await tenant(`'jobs', null, 'create', service.account_claims('bob'), '{"id": 9}'`))[0], ['org', 'true', 'The caller is in 3.']);
  t.same((await tenant(`'jobs', '1', 'read', service.account_claims('eve')`))[0], ['org', 'false', 'The caller is in no tenant.']);
  t.same((await tenant(`'jobs', '2'`))[0], ['org', 'true', 'The caller is bound to no tenant.']);
});
