// In development a refusal says why, in the line of service.access; in production never.
import { test } from 'tap';
import { createService, openService, storeFiles, tokenFor, type TestService } from '../harness/service.ts';
import { createLandlord, byClaim } from '../write/tenants.ts';

/** A policy that fails, and one that takes longer than the line may: of tables that the example does not have. */
const ODD = `
  create function public.raises() returns boolean language plpgsql as $$ begin raise exception 'the secret is %', 42; end $$;
  create function public.sleeps() returns boolean language plpgsql as $$ begin perform pg_sleep(1.5); return false; end $$;
  create table raising (id int primary key, secret text); insert into raising values (1, 'hush');
  create table sleeping (id int primary key); insert into sleeping values (1);
  alter table raising enable row level security; alter table sleeping enable row level security;
  create policy reads on raising for select using (true);
  create policy changes on raising for update using (secret = 'hush') with check (secret <> 'hush' and id > 5);
  create policy sleepy on sleeping using (sleeps());
  grant all on raising, sleeping to service_user`;

type Request = Pick<TestService, 'request'>['request'];

async function whyOf(asked: ReturnType<Request>): Promise<[status: number, code: string, why: unknown]> {
  const { status, body } = await asked;
  return [status, body?.error?.code, body?.error?.details?.why];
}
const send = (request: Request, method: string, path: string, body: object | undefined, as: string | null) =>
  whyOf(request(`/data/${path}`, { method, as, ...(body && { body: JSON.stringify(body) }) }));

test('refusals of the example store say why', async t => {
  const { request } = await createService(t);
  const aiko = await tokenFor('aiko.tanaka');

  t.same(await send(request, 'PATCH', 'products/1', { price: 3 }, aiko), [403, 'WRITE_DENIED',
    'refused: no permissive policy for update is true (2 tried); nearest: staff_update, the caller has no role of staff']);
  const product = { name: 'x', description: 'x', sku: 'XX-100', price: 1, origin: 'DE', category: 1 };
  t.match(await send(request, 'POST', 'products', product, aiko),
    [403, 'WRITE_DENIED', /^refused: no permissive policy for insert is true .*staff_insert, the caller has no role of staff$/]);
  t.match(await send(request, 'GET', 'products?fields=cost', undefined, aiko),
    [400, 'FIELD_NOT_READABLE', 'hidden: FIELD_NOT_READABLE: cost is for staff']);
  t.match(await send(request, 'GET', 'products/999?fields=cost', undefined, aiko),
    [400, 'FIELD_NOT_READABLE', 'hidden: FIELD_NOT_READABLE: cost is for staff'], 'the same for a row that is not there');
  t.match(await send(request, 'PATCH', 'products/999', { cost: 1 }, aiko),
    [400, 'FIELD_NOT_WRITABLE', 'refused: FIELD_NOT_WRITABLE: cost is for staff']);
  for (const id of [1, 100_000]) {
    t.same(await send(request, 'GET', `orders/${id}`, undefined, await tokenFor('eve')), [404, 'NOT_FOUND', undefined],
      'whether a row is there is not for all');
  }
  t.same(await send(request, 'GET', 'orders/100000', undefined, await tokenFor('root', ['admin'])),
    [404, 'NOT_FOUND', 'hidden: There is no such row.'], 'for callers with database:read');
  const operations = [{ op: 'delete', collection: 'orders', id: 100_000 }, { op: 'delete', collection: 'orders', id: 1 }];
  t.match(await send(request, 'POST', '_batch', { operations: operations.toReversed() }, await tokenFor('root', ['admin'])),
    [404, 'NOT_FOUND', 'refused: There is no such row.'], 'the refused operation of a batch');
  t.match(await send(request, 'POST', 'tags/bulk', { rows: [{ name: 'sweet', color: '#f0a0a0' }] }, aiko),
    [403, 'WRITE_DENIED', /^refused: no permissive policy for insert is true/], 'the refused row of many');
  t.same((await request('/data/products?limit=1', { as: aiko })).status, 200);
});

test('a line holds no values of rows, and no messages of policies; a refusal does not wait for it', async t => {
  const { request, sql } = await createService(t, { template: 'served', env: { SERVICE_SOURCE: 'tables' }, setup: ODD });
  const ann = await tokenFor('ann');
  t.same(await send(request, 'PATCH', 'raising/1', { id: 1, secret: 'loud' }, ann), [403, 'WRITE_DENIED',
    'refused: no permissive policy for update is true (1 tried); nearest: changes, (id > 5) is false']);
  await sql`alter policy changes on raising with check (raises())`;
  const [status, code, why] = await send(request, 'PATCH', 'raising/1', { secret: 'loud' }, ann);
  t.same([status, code], [400, 'CALLBACK_REJECTED']);
  t.equal(why, undefined);
  await sql`alter policy changes on raising with check (case when secret = 'loud' then id > 5 else raises() end)`;
  t.match(await send(request, 'PATCH', 'raising/1', { secret: 'loud' }, ann), [403, 'WRITE_DENIED', /^refused: .*nearest: changes, /]);
  await sql`drop policy changes on raising`;
  await sql`create policy changes on raising for update using (true) with check (false)`;
  await sql`create policy changes_too on raising for update using (true) with check (id > 5 and raises())`;
  const [, , both] = await send(request, 'PATCH', 'raising/1', { secret: 'loud' }, ann);
  t.match(both, /2 tried/);
  t.notMatch(String(both), /42|hush|loud/);

  const root = await tokenFor('root', ['admin']);
  t.match(await send(request, 'GET', 'sleeping/1', undefined, root),
    [404, 'NOT_FOUND', 'hidden: sleepy took longer than statement_timeout'], 'bounded');
});

test('tenants say why', async t => {
  const { request, ann, bob, nobody } = await createLandlord(t, [byClaim]);
  const { body: { id } } = await request('/data/orders', { method: 'POST', as: ann, body: '{"code": "one"}' });
  t.match(await send(request, 'POST', 'orders', { code: 'two' }, nobody), [400, 'TENANT_REQUIRED', /^refused: orgId: the tenant/]);
  t.match(await send(request, 'POST', 'orders', { code: 'two', orgId: 'b' }, ann), [400, 'TENANT_MISMATCH', /^refused: orgId: the tenant/]);
  t.match(await send(request, 'PATCH', `orders/${id}`, { orgId: 'b' }, ann), [400, 'TENANT_IMMUTABLE', /^refused: orgId: the tenant/]);
  t.same(await send(request, 'PATCH', `orders/${id}`, { note: 'b' }, bob), [404, 'NOT_FOUND', undefined]);
});

test('production says nothing', async t => {
  const { url } = await createService(t);
  const { request, close } = await openService(url, {
    ...storeFiles, NODE_ENV: 'production', DATABASE_URL: url, CORS_ORIGINS: 'https://app.example.com',
  });
  t.teardown(close);
  const aiko = await tokenFor('aiko.tanaka');
  t.same(await send(request, 'GET', 'products?fields=cost', undefined, aiko), [400, 'FIELD_NOT_READABLE', undefined]);
  t.same(await send(request, 'POST', 'tags', { name: 'sweet', color: '#f0a0a0' }, aiko), [403, 'WRITE_DENIED', undefined]);
  t.same(await send(request, 'GET', 'orders/100000', undefined, await tokenFor('root', ['admin'])), [404, 'NOT_FOUND', undefined]);
});
