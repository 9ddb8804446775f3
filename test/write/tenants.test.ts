// Rows belong to tenants: whose a new row is, and that it stays so, is decided beneath every way of writing.
import { test } from 'tap';
import { tokenFor } from '../harness/service.ts';
import { byClaim, byMembership, createLandlord, members, orgs } from './tenants.ts';

const violation = (field: string, code: string, message: RegExp) =>
  ({ status: 400, body: { error: { code, message, details: { collection: 'orders', violations: [{ field, code, message }] } } } });

test('a claim: a new row gets the tenant of its writer, and keeps it', async t => {
  const { send, ann, bob, nobody } = await createLandlord(t, [byClaim]);
  t.match(await send('POST', 'orders', { code: 'x' }, { as: ann }), { status: 201, body: { id: 1, orgId: 'a' } });
  t.match(await send('POST', 'orders', { code: 'y', orgId: 'a' }, { as: ann }), { status: 201, body: { orgId: 'a' } });
  for (const orgId of [null, '']) {
    t.match(await send('POST', 'orders', { orgId }, { as: ann }), { status: 201, body: { orgId: 'a' } }, 'empty');
  }
  t.match(await send('POST', 'orders', { orgId: 'b' }, { as: ann }),
    violation('orgId', 'TENANT_MISMATCH', /orgId names a tenant that the caller is not in/));
  t.match(await send('POST', 'orders', { code: 'z' }, { as: nobody }),
    violation('orgId', 'TENANT_REQUIRED', /orgId must say which tenant/));
  t.match(await send('POST', 'orders', { orgId: 'a' }, { as: nobody }), violation('orgId', 'TENANT_MISMATCH', /not in/));
  for (const body of [{ note: '1' }, { note: '2', orgId: 'a' }, { note: '3', org_id: 'a' }, {}]) {
    t.match(await send('PATCH', 'orders/1', body, { as: ann }), { status: 200, body: { orgId: 'a' } });
  }
  for (const orgId of ['b', null, '']) t.match(await send('PATCH', 'orders/1', { note: '4', orgId }, { as: ann }),
    violation('orgId', 'TENANT_IMMUTABLE', /stays with its tenant/));
  t.match(await send('PATCH', 'orders/1', { note: '5' }, { as: bob }), { status: 404, body: { error: { code: 'NOT_FOUND' } } });
  t.match(await send('PATCH', 'orders/1', { orgId: 'b' }, { as: bob }), { status: 404 }, 'nor can it be taken');
  t.equal((await send('DELETE', 'orders/1', undefined, { as: bob })).status, 404);
  t.match((await send('GET', 'orders/1', undefined, { as: ann })).body, { note: '3', orgId: 'a' });
});

test('a claim that is no id is none', async t => {
  const numbered = { ...byClaim, history: false, properties: {
    id: { type: 'number', isId: 'increment' }, orgId: { type: 'number', columnType: 'integer' }, deletedAt: { type: 'date' },
  } };
  const { send, refused } = await createLandlord(t, [numbered]);
  const as = (org_id: unknown) => tokenFor('ann', [], { org_id });
  t.match(await send('POST', 'orders', {}, { as: await as(7) }), { status: 201, body: { orgId: 7 } });
  t.match(await send('POST', 'orders', {}, { as: await as('7') }), { status: 201, body: { orgId: 7 } });
  t.match(await send('POST', 'orders', { orgId: 7 }, { as: await as('7') }), { status: 201 });
  for (const claim of ['', [7], { id: 7 }, true, null, 'seven', '9'.repeat(30)]) {
    t.same(await refused('POST', 'orders', {}, await as(claim)), [400, 'TENANT_REQUIRED', 'orgId: TENANT_REQUIRED'], JSON.stringify(claim));
    t.same((await send('GET', 'orders', undefined, { as: await as(claim) })).body.data, []);
  }
  t.equal((await send('GET', 'orders/count', undefined, { as: await as(7) })).body.count, 3);
});

test('the service key and bypass roles are bound to no tenant; nothing is put there for them', async t => {
  const { send, refused, admin, ann } = await createLandlord(t, [byClaim]);
  const both = await tokenFor('chief', ['admin'], { org_id: 'a' });
  for (const as of [undefined, admin, both]) {
    const made = await send('POST', 'orders', { orgId: 'b' }, { ...(as !== undefined && { as }) });
    t.match(made, { status: 201, body: { orgId: 'b' } });
    t.match(await send('PATCH', `orders/${made.body.id}`, { orgId: 'a' }, { ...(as !== undefined && { as }) }),
      { status: 200, body: { orgId: 'a' } });
    t.same(await refused('POST', 'orders', { note: 'whose?' }, as), [400, 'PG_23502', 'orgId: required']);
  }
  t.equal((await send('GET', 'orders/count', undefined, { as: ann })).body.count, 3);
});

test('bypassRoles says who else is; with none, the service key alone is', async t => {
  const { send, refused, admin } = await createLandlord(t, [
    { ...byClaim, tenant: { ...byClaim.tenant, bypassRoles: ['auditor', 'it\'s'] } },
    { ...byClaim, slug: 'locked', tenant: { ...byClaim.tenant, bypassRoles: [] } },
  ]);
  t.equal((await send('POST', 'orders', { orgId: 'b' })).status, 201, 'the service key');
  t.equal((await send('POST', 'locked', { orgId: 'b' })).status, 201);
  t.same(await refused('POST', 'orders', { orgId: 'b' }, admin), [400, 'TENANT_MISMATCH', 'orgId: TENANT_MISMATCH']);
  t.equal((await send('GET', 'orders/count', undefined, { as: admin })).body.count, 0, 'nor does an admin see it');
  for (const role of ['auditor', 'it\'s']) {
    const auditor = await tokenFor('eve', ['x', role]);
    t.equal((await send('POST', 'orders', { orgId: 'c' }, { as: auditor })).status, 201);
    t.ok((await send('GET', 'orders/count', undefined, { as: auditor })).body.count > 1);
    t.same(await refused('POST', 'locked', { orgId: 'b' }, auditor), [400, 'TENANT_MISMATCH', 'orgId: TENANT_MISMATCH']);
  }
});

test('visitors are in no tenant', async t => {
  const { send, refused } = await createLandlord(t, [byClaim], { env: { AUTH_REQUIRE: 'false' } });
  await send('POST', 'orders', { orgId: 'a' });
  t.same(await refused('POST', 'orders', {}, null), [400, 'TENANT_REQUIRED', 'orgId: TENANT_REQUIRED']);
  t.same(await refused('POST', 'orders', { orgId: 'a' }, null), [400, 'TENANT_MISMATCH', 'orgId: TENANT_MISMATCH']);
  t.equal((await send('GET', 'orders/count', undefined, { as: null })).body.count, 0);
});

test('many rows, batches and upserts are judged row by row; which one it was is said, and nothing is left', async t => {
  const { send, sql, ann, bob } = await createLandlord(t, [byClaim]);
  const made = await send('POST', 'orders/bulk', { rows: [{ code: 'a1' }, { code: 'a2', orgId: 'a' }, { code: 'a3', orgId: null }] },
    { as: ann });
  t.match([made.status, made.body.data.map((row: any) => row.orgId)], [200, ['a', 'a', 'a']]);
  await send('POST', 'orders', { code: 'b1' }, { as: bob });
  const before = await sql`select * from orders order by id`;
  const refusals: [method: 'POST' | 'PATCH', path: string, body: object, status: number, code: string, index: number][] = [
    ['POST', 'orders/bulk', { rows: [{ code: 'n1' }, { code: 'n2', orgId: 'b' }] }, 400, 'TENANT_MISMATCH', 1],
    ['POST', 'orders/bulk', { rows: [{ orgId: 'a' }, { orgId: 'a' }, { orgId: 'b' }] }, 400, 'TENANT_MISMATCH', 2],
    [
      'PATCH', 'orders/bulk', { updates: [{ id: 1, data: { note: 'x' } }, { id: 2, data: { note: 'x', orgId: 'b' } }] }, 400,
      'TENANT_IMMUTABLE', 1,
    ],
    ['PATCH', 'orders/bulk', { updates: [{ id: 1, data: { orgId: 'a' } }, { id: 2, data: { orgId: 'b' } }] }, 400, 'TENANT_IMMUTABLE', 1],
    ['PATCH', 'orders/bulk', { updates: [{ id: 1, data: { note: 'x' } }, { id: 4, data: { note: 'x' } }] }, 404, 'NOT_FOUND', 1],
    ['POST', 'orders/bulk/delete', { ids: [1, 4] }, 404, 'NOT_FOUND', 1],
    ['POST', '_batch', { operations: [
      { op: 'update', collection: 'orders', id: 1, values: { note: 'x' } }, { op: 'create', collection: 'orders', values: { orgId: 'b' } },
    ] }, 400, 'TENANT_MISMATCH', 1],
    ['POST', '_batch', { operations: [{ op: 'update', collection: 'orders', id: 1, values: { orgId: 'b' } }] }, 400, 'TENANT_IMMUTABLE', 0],
    [
      'POST', 'orders/bulk', { rows: [{ code: 'a1', note: 'x' }, { code: 'a2', orgId: 'b' }], upsert: true, onConflict: ['code'] }, 400,
      'TENANT_MISMATCH', 1,
    ],
  ];
  for (const [method, path, body, status, code, index] of refusals) {
    const answer = await send(method, path, body, { as: ann });
    t.match([answer.status, answer.body.error], [status, { code, details: { index } }], `${path} ${JSON.stringify(body)}`);
  }
  t.same(await sql`select * from orders order by id`, before);
  t.match(await send('POST', 'orders?on_conflict=code', { code: 'a1', note: 'up' }, { as: ann }),
    { status: 201, body: { id: 1, note: 'up', orgId: 'a' } });
  t.match(await send('POST', 'orders?on_conflict=code', { code: 'a1', note: 'up', orgId: 'a' }, { as: ann }),
    { status: 201, body: { id: 1 } });
  t.match(await send('POST', 'orders?on_conflict=code', { code: 'new', note: 'up' }, { as: ann }), { status: 201, body: { orgId: 'a' } });
  t.match(await send('POST', 'orders?on_conflict=code', { code: 'b1', note: 'up' }, { as: ann }),
    { status: 403, body: { error: { code: 'WRITE_DENIED' } } }, 'the row of another');
  t.match(await send('POST', '_batch', { operations: [
    { op: 'create', collection: 'orders', values: { code: 'c1' }, ref: 'o' },
    { op: 'upsert', collection: 'orders', values: { code: 'c1', note: { $ref: 'o.orgId' } }, onConflict: ['code'] },
  ] }, { as: ann }), { status: 200, body: { data: [{ orgId: 'a' }, { orgId: 'a', note: 'a' }] } });
  t.match(await send('POST', 'orders/bulk', { rows: [{ code: 'd1' }], upsert: true, onConflict: ['code'] }, { as: bob }),
    { status: 200, body: { data: [{ orgId: 'b' }] } });
});

test('a deleted row, its restoring and the reverting of a row keep the tenant', async t => {
  const { send, refused, ann, bob, sql } = await createLandlord(t, [byClaim]);
  await send('POST', 'orders', { note: 'one' }, { as: ann });
  await send('PATCH', 'orders/1', { note: 'two' }, { as: ann });
  t.equal((await send('DELETE', 'orders/1', undefined, { as: bob })).status, 404);
  t.equal((await send('DELETE', 'orders/1', undefined, { as: ann })).status, 204);
  t.equal((await send('PATCH', 'orders/1', { deletedAt: null }, { as: bob })).status, 404);
  t.same(await refused('PATCH', 'orders/1', { deletedAt: null, orgId: 'b' }, ann), [400, 'TENANT_IMMUTABLE', 'orgId: TENANT_IMMUTABLE']);
  t.match(await send('PATCH', 'orders/1', { deletedAt: null }, { as: ann }), { status: 200, body: { orgId: 'a', deletedAt: null } });
  t.equal((await send('GET', 'orders/1/history', undefined, { as: bob })).status, 404);
  const first = (await send('GET', 'orders/1/history', undefined, { as: ann })).body.data.at(-1);
  t.match(await send('POST', `orders/1/history/${first.id}/revert`, undefined, { as: ann }),
    { status: 200, body: { data: { note: 'one', orgId: 'a' } } });
  await sql`update orders set org_id = 'b'`;
  t.match(await send('POST', `orders/1/history/${first.id}/revert`, undefined, { as: bob }),
    { status: 400, body: { error: { code: 'TENANT_IMMUTABLE', details: { violations: [{ field: 'orgId' }] } } } },
    'it was of another tenant then');
  t.match(await send('POST', `orders/1/history/${first.id}/revert`), { status: 200, body: { data: { orgId: 'a' } } },
    'the service key may');
  t.equal((await send('DELETE', 'orders/1?hard=true', undefined, { as: bob })).status, 404);
  t.equal((await send('DELETE', 'orders/1?hard=true', undefined, { as: ann })).status, 204);
});

test('values of a callback are validated too, and stamps come before', async t => {
  const setup = `create schema app;
    create function app.before_save(op text, old jsonb, new jsonb) returns jsonb language plpgsql as $$ begin
      return case when new ->> 'note' like 'to %' then jsonb_build_object('org_id', substr(new ->> 'note', 4)) end; end $$;`;
  const { send, refused, ann } = await createLandlord(t, [{ ...byClaim, callbacks: { beforeSave: 'app.before_save' } }], { setup });
  t.match(await send('POST', 'orders', { note: 'to a' }, { as: ann }), { status: 201, body: { orgId: 'a' } });
  t.match(await send('POST', 'orders', { orgId: 'b', note: 'to a' }, { as: ann }), { status: 201, body: { orgId: 'a' } });
  t.same(await refused('POST', 'orders', { note: 'to b' }, ann), [400, 'TENANT_MISMATCH', 'orgId: TENANT_MISMATCH']);
  t.same(await refused('PATCH', 'orders/1', { note: 'to b' }, ann), [400, 'TENANT_IMMUTABLE', 'orgId: TENANT_IMMUTABLE']);
  t.match(await send('POST', 'orders/bulk', { rows: [{ note: 'x' }, { note: 'to b' }] }, { as: ann }),
    { status: 400, body: { error: { code: 'TENANT_MISMATCH', details: { index: 1 } } } });
});

test('reads stay within the tenant: lists, counts, aggregates, includes, nested paths, searches', async t => {
  const { send, ann, bob, sql } = await createLandlord(t, [
    { ...byClaim, properties: {
      ...byClaim.properties, lines: { type: 'relation', relation: { kind: 'hasMany', target: 'lines' } },
      tags: { type: 'relation', relation: { kind: 'manyToMany', target: 'tags' } },
    } },
    { slug: 'lines', securityRules: [{ access: 'public' }], properties: {
      id: { type: 'number', isId: 'increment' }, order: { type: 'relation', relation: { kind: 'belongsTo', target: 'orders' } },
    } },
    { slug: 'tags', securityRules: [{ access: 'public' }], properties: {
      id: { type: 'number', isId: 'increment' }, orders: { type: 'relation', relation: { kind: 'manyToMany', target: 'orders' } },
    } },
  ]);
  await sql`insert into orders (code, note, total, org_id) values ('1', 'word', 1, 'a'), ('2', 'word', 10, 'b'), ('3', 'word', 100, 'a')`;
  await sql`insert into lines (order_id) values (1), (2), (3)`;
  await sql`insert into tags default values`;
  await sql`insert into orders_tags (order_id, tag_id) values (1, 1), (2, 1)`;
  const get = async (path: string, as: string) => (await send('GET', path, undefined, { as })).body;
  t.same((await get('orders?fields=id,orgId&orderBy=id', ann)).data, [{ id: 1, orgId: 'a' }, { id: 3, orgId: 'a' }]);
  t.equal((await get('orders', bob)).meta.total, 1);
  t.equal((await get('orders?orgId=a', bob)).meta.total, 0);
  t.same([await get('orders/count', ann), await get('orders/count', bob)], [{ count: 2 }, { count: 1 }]);
  t.same((await get('orders/aggregate?select=sum(total)', ann)).data, [{ sum_total: 101 }]);
  t.same((await get('orders?distinct=true&fields=orgId', ann)).data, [{ orgId: 'a' }]);
  t.equal((await get('orders?searchString=word', bob)).meta.total, 1);
  t.same((await get('lines?include=order&orderBy=id', bob)).data.map((row: any) => row.order?.id ?? null), [null, 2, null]);
  t.same((await get('tags/1?include=orders', ann)).orders.map((row: any) => row.id), [1]);
  t.equal((await get('lines?order.orgId=a', bob)).meta.total, 0);
  t.same([(await get('orders/1/lines', bob)).data, (await get('orders/1/lines', ann)).data.length], [[], 1]);
  t.equal((await send('GET', 'orders/1', undefined, { as: bob })).status, 404);
  t.same([(await get('lines/1/order', bob)).data, (await get('lines/1/order', ann)).data.length], [[], 1]);
});

test('with one membership a row is put there, with several it must name the tenant', async t => {
  const { send, refused, sql, nobody, admin } = await createLandlord(t, [orgs, members, byMembership]);
  await sql`insert into orgs (name) values ('one'), ('two'), ('three')`;
  await sql`insert into members (uid, org_id) values ('single', 1), ('single', 1), ('double', 1), ('double', 2), ('gone', 1), ('gone', 3)`;
  await sql`update members set deleted_at = now() where uid = 'gone' and org_id = 3`;
  const [single, double, gone] = await Promise.all([tokenFor('single'), tokenFor('double'), tokenFor('gone')]);
  t.match(await send('POST', 'jobs', { title: 'x' }, { as: single }), { status: 201, body: { orgId: 1 } });
  t.match(await send('POST', 'jobs', { org: { id: 1 } }, { as: single }), { status: 201, body: { orgId: 1 } });
  t.match(await send('POST', 'jobs', { title: 'x' }, { as: gone }), { status: 201, body: { orgId: 1 } }, 'who was taken out softly is out');
  t.same(await refused('POST', 'jobs', { org: 3 }, gone), [400, 'TENANT_MISMATCH', 'org: TENANT_MISMATCH']);
  t.same(await refused('POST', 'jobs', { title: 'x' }, double), [400, 'TENANT_REQUIRED', 'org: TENANT_REQUIRED']);
  t.same(await refused('POST', 'jobs', { title: 'x' }, nobody), [400, 'TENANT_REQUIRED', 'org: TENANT_REQUIRED']);
  t.same(await refused('POST', 'jobs', { org: 2 }, single), [400, 'TENANT_MISMATCH', 'org: TENANT_MISMATCH']);
  const made = await send('POST', 'jobs', { org: 2 }, { as: double });
  t.match(made, { status: 201, body: { orgId: 2 } });
  t.same(await refused('PATCH', `jobs/${made.body.id}`, { orgId: 1 }, double), [400, 'TENANT_IMMUTABLE', 'org: TENANT_IMMUTABLE'],
    'not even to another of one\'s own');
  t.equal((await send('PATCH', `jobs/${made.body.id}`, { orgId: 2, title: 'y' }, { as: double })).status, 200);
  t.match(await send('PATCH', `jobs/${made.body.id}`, { title: 'y' }, { as: single }), { status: 404 });
  const counts =
    await Promise.all([single, double, nobody, admin].map(async as => (await send('GET', 'jobs/count', undefined, { as })).body.count));
  t.same(counts, [3, 4, 0, 4]);
  await sql`delete from members where uid = 'double'`;
  t.equal((await send('GET', 'jobs/count', undefined, { as: double })).body.count, 0, 'from the next request on');
});

test('with more than a hundred tenants the policy decides', async t => {
  const { send, refused, sql } = await createLandlord(t, [orgs, members, byMembership]);
  await sql`insert into orgs (name) select n::text from generate_series(1, 150) n`;
  await sql`insert into members (uid, org_id) select 'many', n from generate_series(1, 120) n
    union all select 'hundred', n from generate_series(1, 100) n`;
  const [many, hundred] = [await tokenFor('many'), await tokenFor('hundred')];
  for (const org of [1, 120]) t.match(await send('POST', 'jobs', { org }, { as: many }), { status: 201, body: { orgId: org } });
  t.match(await send('POST', 'jobs', { org: 121 }, { as: many }), { status: 403, body: { error: { code: 'WRITE_DENIED' } } });
  t.same(await refused('POST', 'jobs', { org: 101 }, hundred), [400, 'TENANT_MISMATCH', 'org: TENANT_MISMATCH']);
  t.equal((await send('POST', 'jobs', { org: 100 }, { as: hundred })).status, 201);
  t.same(await refused('POST', 'jobs', {}, many), [400, 'TENANT_REQUIRED', 'org: TENANT_REQUIRED']);
});

test('memberships are read as the caller sees them', async t => {
  const closed = { ...members, securityRules: [] };
  const { send, refused, sql } = await createLandlord(t, [orgs, closed, byMembership]);
  await sql`insert into orgs (name) values ('one')`;
  await sql`insert into members (uid, org_id) values ('single', 1)`;
  t.same(await refused('POST', 'jobs', { org: 1 }, await tokenFor('single')), [400, 'TENANT_MISMATCH', 'org: TENANT_MISMATCH']);
  await sql`create policy own on members for select using (uid = (select service.uid()))`;
  t.equal((await send('POST', 'jobs', {}, { as: await tokenFor('single') })).status, 201);
});

test('psql behaves the same; the owner of the table has no tenant', async t => {
  const { sql } = await createLandlord(t, [byClaim]);
  const ann = { uid: 'ann', roles: '', isAnonymous: false, jwt: { org_id: 'a' } };
  const call = async (statement: string, ...parameters: unknown[]) => {
    try {
      const [row] = await sql.unsafe<{ body: unknown }[]>(statement,
        parameters.map(value => typeof value === 'string' ? value : JSON.stringify(value)));
      return row?.body;
    } catch (error) {
      const { code, hint, detail, message } = error as { code: string; hint: string; detail?: string; message: string };
      return [code, hint, detail === undefined ? message : JSON.parse(detail).violations[0].code];
    }
  };
  const create = 'select service.create($1, $2::text::jsonb, $3::text::jsonb) as body';
  t.match(await call(create, 'orders', { note: 'x' }, ann), { id: 1, orgId: 'a' });
  t.same(await call(create, 'orders', { orgId: 'b' }, ann), ['GW400', 'TENANT_MISMATCH', 'TENANT_MISMATCH']);
  t.same(await call(create, 'orders', {}, { ...ann, jwt: {} }), ['GW400', 'TENANT_REQUIRED', 'TENANT_REQUIRED']);
  t.same(await call('select service.update($1, $2, $3::text::jsonb, $4::text::jsonb) as body', 'orders', '1', { orgId: 'b' }, ann),
    ['GW400', 'TENANT_IMMUTABLE', 'TENANT_IMMUTABLE']);
  t.match(await call('select service.list($1, $2::text::json, $3::text::jsonb) as body', 'orders', {}, { ...ann, jwt: { org_id: 'b' } }),
    { data: [] });
  await t.rejects(sql`insert into orders (note) values ('whose?')`, { code: '23502' });
  await sql`insert into orders (org_id) values ('c')`;
  await sql`update orders set org_id = 'd' where org_id = 'c'`;
  await t.rejects(sql.begin(async transaction => {
    await transaction`set local role service_user`;
    await transaction`insert into orders (org_id) values ('a')`;
  }), { code: 'GW400', hint: 'TENANT_MISMATCH' }, 'where nobody has entered there is no tenant');
});

test('rows that are written with others, or through a path, are judged as well', async t => {
  const company = {
    ...orgs, properties: { ...orgs['properties'] as object, jobs: { type: 'relation', relation: { kind: 'hasMany', target: 'jobs' } } },
  };
  const { send, refused, sql } = await createLandlord(t, [company, members, byMembership]);
  await sql`insert into orgs (name) values ('one'), ('two')`;
  await sql`insert into members (uid, org_id) values ('single', 1), ('double', 1), ('double', 2)`;
  const [single, double] = await Promise.all([tokenFor('single'), tokenFor('double')]);
  t.match(await send('POST', 'orgs/1/jobs', { title: 'x' }, { as: single }), { status: 201, body: { orgId: 1 } });
  t.match(await send('POST', 'orgs/2/jobs', { title: 'y' }, { as: double }), { status: 201, body: { orgId: 2 } });
  t.same(await refused('POST', 'orgs/2/jobs', { title: 'x' }, single), [400, 'TENANT_MISMATCH', 'org: TENANT_MISMATCH']);
  t.match(await send('PATCH', 'orgs/1/jobs/1', { title: 'z' }, { as: single }), { status: 200, body: { title: 'z' } });
  t.equal((await send('PATCH', 'orgs/2/jobs/2', { title: 'z' }, { as: single })).status, 404);
  t.same((await refused('PATCH', 'orgs/2', { jobs: [1, 2] }, double)).slice(0, 2), [400, 'TENANT_IMMUTABLE'],
    'nor does a list of the other side move it');
  t.same(await sql`select org_id from jobs order by id`, [{ org_id: 1 }, { org_id: 2 }]);
});

test('actions of a foreign key are no caller\'s write', async t => {
  const { send, sql } = await createLandlord(t, [orgs, members, byMembership]);
  await sql`insert into orgs (name) values ('one')`;
  await sql`insert into members (uid, org_id) values ('single', 1)`;
  await sql`alter table jobs drop constraint jobs_org_id_fkey,
    add constraint jobs_org_id_fkey foreign key (org_id) references orgs on update cascade`;
  await sql`alter table members drop constraint members_org_id_fkey,
    add constraint members_org_id_fkey foreign key (org_id) references orgs on update cascade`;
  const single = await tokenFor('single');
  await send('POST', 'jobs', {}, { as: single });
  await sql.begin(async transaction => {
    await transaction`set local role service_user`;
    await transaction`select service.enter('single')`;
    await transaction`update orgs set id = 9`;
  });
  t.match((await send('GET', 'jobs', undefined, { as: single })).body.data, [{ orgId: 9 }]);
});
