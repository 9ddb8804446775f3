// Odd policies, tables and questions have an answer, never hang, and leave nothing behind.
import { test } from 'tap';
import { runCommand } from '../boot/gateway.ts';
import { createService, type TestService } from '../harness/service.ts';

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
