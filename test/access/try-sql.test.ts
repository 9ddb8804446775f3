// service.try in psql: the answer of the API as far as the database decides it, and a session as it was.
import type postgres from 'postgres';
import { test } from 'tap';
import { createDatabase } from '../harness/database.ts';
import '../harness/service.ts';

type Tried = { status: number; body: any; statement: string | null; plan: unknown; why: string | null };

const SETUP = `
  create function app.loops() returns boolean language plpgsql as 'begin loop perform 1; end loop; end';
  create function app.late() returns trigger language plpgsql as $$ begin
    raise exception '% may not, as %', service.uid(), current_user;
  end $$;
  create constraint trigger late after insert on categories deferrable initially deferred for each row execute function app.late();
  create policy looping on bundles as restrictive for select using (app.loops());`;

const SLUG = { slug: 'a', name: 'A' };
const CASES: [request: object, claims: string, status: number, more: object][] = [
  [{ op: 'get', path: ['products', '1'] }, 'anonymous', 200, { body: { id: 1 }, plan: [{ Plan: {} }], why: null, statement: /products/ }],
  [{ op: 'get', path: ['orders', '1'] }, 'anonymous', 404, { body: { error: { code: 'NOT_FOUND' } }, why: /^hidden: .*own_orders/ }],
  [{ op: 'list', path: ['tags'], limit: 2, where: { name: ['!=', 'x'] } }, 'anonymous', 200, { body: { meta: { limit: 2 } }, why: null }],
  [{ op: 'count', path: ['tags'] }, 'anonymous', 200, {}],
  [{ op: 'aggregate', path: ['tags'], select: [{ fn: 'count' }] }, 'anonymous', 200, {}],
  [{ op: 'list', path: ['tags'], limt: 2 }, 'anonymous', 400, { body: { error: { code: 'INVALID_PARAM' } }, statement: null, plan: null }],
  [{ op: 'list', path: ['nothing'] }, 'anonymous', 404, { why: null }],
  [{ op: 'create', path: ['tags'], body: { name: 'fresh' } }, 'service', 201, { body: { name: 'fresh' }, plan: [{ Plan: {} }] }],
  [{ op: 'create', path: ['tags'], body: { name: 'rare' } }, 'service', 409, { body: { error: { code: 'PG_23505' } } }],
  [{ op: 'create', path: ['tags'], body: { name: 'fresh' } }, 'anonymous', 403,
    { body: { error: { code: 'WRITE_DENIED' } }, why: /insert/ }],
  [{ op: 'create', path: ['products', '1', 'tags'], body: { name: 'fresh' } }, 'service', 201, { body: { name: 'fresh' } }],
  [{ op: 'create', path: ['categories'], body: SLUG }, 'service', 400,
    { body: { error: { code: 'CALLBACK_REJECTED', message: 'service may not, as service_user' } } }],
  [{ op: 'update', path: ['tags', '1'], body: { nme: 1 } }, 'service', 400,
    { body: { error: { details: { fields: ['nme'] } } }, plan: null }],
  [{ op: 'delete', path: ['tags', '1'] }, 'service', 204, { body: null }],
  [{ op: 'create', bulk: true, path: ['tags'], body: { rows: [{ name: 'fresh' }] } }, 'service', 200,
    { body: { data: [{ name: 'fresh' }] } }],
  [{ op: 'batch', body: { operations: [{ op: 'delete', collection: 'tags', id: 1 }] } }, 'service', 200, { statement: null, why: null }],
  [{ op: 'batch', body: { operations: [{ op: 'delete', collection: 'tags', id: 1 }] } }, 'anonymous', 403, { why: null }],
  [{ op: 'revert', path: ['tags', '1'], entry: '5f1e2b1c-7d5c-4b0e-9d53-5a7f0d3c2b1a' }, 'service', 404, {}],
  [{ op: 'delete', path: ['products', '1'] }, 'service', 403,
    { body: { error: { code: 'CALLBACK_REJECTED' } }, why: /beforeDelete, app.product_before_delete/ }],
];

test('a request in psql has the status and the body of the API, and is undone', async t => {
  const { sql } = await createDatabase(t, { template: 'served_store' });
  await sql.unsafe(SETUP).simple();
  const attempt = async (own: postgres.Sql | postgres.TransactionSql, request: object, uid: string) => (await own<{ tried: Tried }[]>`
    select service.try(${own.json(request as never)}::json, service.account_claims(${uid})) as tried`)[0]?.tried;
  const count = async () => (await sql<{ n: string }[]>`
    select (select count(*) from tags) + (select count(*) from service.history) as n`)[0]?.n;
  const before = await count();

  for (const [request, uid, status, more] of CASES) {
    t.match(await attempt(sql, request, uid), { status, ...more }, `${JSON.stringify(request)} as ${uid}`);
  }
  t.equal(await count(), before, 'nothing is stored');
  for (const request of [{}, { op: 'drop', path: ['tags'] }, { op: 'get' }, { op: 'get', path: [] }, { op: 'get', path: 'tags' }]) {
    await t.rejects(attempt(sql, request, 'service'), /A request has an op/, JSON.stringify(request));
  }

  await sql.begin(async own => {
    await own`set local statement_timeout = '1s'`;
    t.match(await attempt(own, { op: 'list', path: ['bundles'] }, 'anonymous'),
      { status: 503, body: { error: { code: 'SERVICE_UNAVAILABLE' } } });
    const [session] = await own`select service.uid() as uid, current_user = session_user as own,
      (select count(*) from pg_prepared_statements where name like 'service%')::int as left`;
    t.same({ ...session }, { uid: null, own: true, left: 0 }, 'the session goes on as it was');
    await own`insert into tags (name) values ('kept')`;
    t.match(await attempt(own, { op: 'list', path: ['tags'], limit: 1 }, 'anonymous'), { status: 200, body: { data: [{ name: 'kept' }] } });
  });
  t.equal((await sql`select from tags where name = 'kept'`).length, 1, 'in a transaction of its caller, which goes on');
  await t.rejects(sql.begin(async own => {
    await own`set local role service_user`;
    await attempt(own, { op: 'list', path: ['tags'] }, 'service');
  }), /permission denied/, 'for operators alone');
});
