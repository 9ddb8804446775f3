import type postgres from 'postgres';
import { test } from 'tap';
import { createDatabase } from '../harness/database.ts';
import { tokenFor } from '../harness/service.ts';
import { createWriter, open } from './client.ts';

type Refusal = { code: string; message: string; detail: string; hint: string };

/** Status, code and details as service.fail raises them. */
async function raised(query: postgres.PendingQuery<postgres.Row[]>): Promise<unknown> {
  try {
    await query;
    return 'nothing';
  } catch (error) {
    const { code, message, detail, hint } = error as Refusal;
    // psql shows PostgreSQL's own words when a policy's check fails.
    if (code === '42501') return {
      status: 403, code: 'WRITE_DENIED', message: 'Row security does not let this caller write this row.', details: { collection: 'tags' },
    };
    return { status: Number(code.slice(2)), code: hint, message, details: detail ? JSON.parse(detail) as unknown : undefined };
  }
}

test('psql writes what the API writes, and is refused as the API is', async t => {
  const { send, sql } = await createWriter(t);
  const ann = { uid: 'ann', roles: '', isAnonymous: false, jwt: {} };
  const as = await tokenFor('ann');
  const cases: [method: 'POST' | 'PATCH' | 'DELETE', path: string, body: Record<string, unknown> | undefined, asAnn?: true][] = [
    ['POST', 'tags', { name: 'one' }],
    ['POST', 'tags', { name: 'two', id: null }],
    ['POST', 'tags', {}],
    ['POST', 'tags', { name: 5, color: true, x: 1 }],
    ['POST', 'tags', { name: ['a'], color: true }],
    ['POST', 'tags', { name: 'x'.repeat(41) }],
    ['POST', 'tags', { name: 'mine' }, true],
    ['POST', 'nothing', {}],
    ['POST', 'products', { tags: [1] }],
    ['PATCH', 'tags/1', { color: '#000000' }],
    ['PATCH', 'tags/1', { id: 2 }],
    ['PATCH', 'tags/1', { name: { $inc: 1 } }],
    ['PATCH', 'tags/x', {}],
    ['PATCH', 'tags/1', { name: 'mine' }, true],
    ['DELETE', 'tags/12', undefined],
    ['DELETE', 'tags/12', undefined],
    ['DELETE', 'tags/1', undefined, true],
  ];
  for (const [method, path, body, asAnn] of cases) {
    const answer = await send(method, path, body, asAnn ? { as } : {});
    const [collection = '', id = ''] = path.split('/');
    const claims = asAnn ? JSON.stringify(ann) : null;
    const json = JSON.stringify(body ?? {});
    const inside = async (run: (transaction: postgres.TransactionSql) => postgres.PendingQuery<postgres.Row[]>) => {
      let found: unknown;
      await sql.begin(async transaction => {
        // The API has done it already: what it made is taken away, what it deleted put back.
        if (answer.status === 201) await transaction`delete from tags where id = ${answer.body.id as number}`;
        if (answer.status === 204) await transaction`insert into tags (id, name) overriding system value values (12, 'winter')`;
        await transaction.savepoint(async savepoint => { found = answer.status < 300
          ? (await run(savepoint))[0]?.['row']
          : await raised(run(savepoint)); if (answer.status >= 300) throw new Error('undo'); })
          .catch((error: unknown) => { if ((error as Error).message !== 'undo') throw error; });
        throw new Error('done');
      }).catch((error: unknown) => { if ((error as Error).message !== 'done') throw error; });
      return found;
    };
    const found = await inside(transaction =>
      method === 'POST' ? transaction`select service.create(${collection}, ${json}::text::jsonb,
        coalesce(${claims}::text::jsonb, service_private.service_claims())) as row`
      : method === 'PATCH' ? transaction`select service.update(${collection}, ${id}, ${json}::text::jsonb,
        coalesce(${claims}::text::jsonb, service_private.service_claims())) as row`
      : transaction`select service.remove(${collection}, ${id}, coalesce(${claims}::text::jsonb, service_private.service_claims()))::text
        as row`);
    const title = `${method} ${path} ${json} ${answer.status}`;
    if (answer.status === 201) t.match(found, { ...answer.body, id: Number }, title);
    else if (answer.status === 200) t.same(found, answer.body, title);
    else if (answer.status === 204) t.equal(found, null, title);
    else {
      const { code, message, details: { why, ...details } = {} } = answer.body.error;
      if (['WRITE_DENIED', 'NOT_FOUND'].includes(code as string) && path !== 'nothing') t.match(why, /^refused: /, title);
      t.match(found, { status: answer.status, code, message, ...(answer.body.error.details && { details }) }, title);
    }
  }
});

test('a DBA\'s transaction goes on as it was: role, identity, and it can still write', async t => {
  const { sql } = await createDatabase(t, { template: 'served_store' });
  await sql`select service_private.introspect('public', 'skip')`;
  await sql`select service_private.grant_served()`;
  await sql.begin(async transaction => {
    const me = async () => (await transaction`select current_user::text as role, current_setting('app.uid', true) as uid,
      current_setting('transaction_read_only') as ro`)[0];
    await transaction`select set_config('app.uid', 'outer', true)`;
    const before = await me();
    const [made] = await transaction`select service.create('tags', '{"name": "psql"}') as row`;
    t.same(await me(), before);
    await transaction`select service.update('tags', ${String(made?.['row'].id)}, '{"name": "psql again"}')`;
    await transaction.savepoint(savepoint => savepoint`select service.update('tags', '1', '{"id": 7}')`).catch(() => undefined);
    t.same(await me(), before, 'after a refusal too');
    await transaction`insert into tags (name) values ('by hand')`;
    await transaction`select service.remove('tags', ${String(made?.['row'].id)})`;
    t.same(await transaction`select name from tags where id > 12`, [{ name: 'by hand' }]);
  });
});

test('service_private.write itself runs as the restricted role only', async t => {
  const { sql } = await createDatabase(t, { template: 'served_store' });
  await t.rejects(sql`select service_private.write('{}', '{"op":"delete","path":["tags","1"]}')`, { code: '42501' });
});

// A trigger after the row keeps these writes from being done directly.
test('a write with a trigger after it follows a change of its table', async t => {
  const { send, sql, database } = await createWriter(t, { template: 'served', env: { DB_POOL_MAX: '5' }, setup: `
    create table wide (id integer generated always as identity primary key, c0 integer); ${open('wide')}
    create function seen() returns trigger language plpgsql as $$ begin return null; end $$;
    create trigger seen after insert on wide for each row execute function seen();` });
  for (let i = 0; i < 3; i++) t.equal((await send('POST', 'wide', { c0: 1 })).body.c0, 1);
  await sql`alter table wide alter c0 type text`;
  await database.catalog.refresh();
  for (let i = 0; i < 3; i++) t.equal((await send('POST', 'wide', { c0: 'text' })).body.c0, 'text');
});

test('psql writes many rows as the API does', async t => {
  const { send, sql } = await createWriter(t);
  const json = async (query: postgres.PendingQuery<postgres.Row[]>): Promise<unknown> => (await query)[0]?.['body'];
  const rows = [{ name: 'one' }, { name: 'two', color: '#000000' }];
  const made = await json(sql`select service.create_many('tags', ${sql.json(rows)}) as body`) as { data: { id: number }[] };
  const ids = made.data.map(({ id }) => id);
  t.same(made,
    { data: [{ id: ids[0], name: 'one', color: '#8a8a8a' }, { id: ids[1], name: 'two', color: '#000000' }], meta: { written: 2 } });
  t.same(await json(sql`select service.create_many('tags', ${sql.json([{ name: 'one', color: '#111111' }])}, on_conflict => '["name"]')
    as body`), (await send('POST', 'tags/bulk', { rows: [{ name: 'one', color: '#111111' }], upsert: true, onConflict: ['name'] })).body);
  const updates = ids.map(id => ({ id, data: { color: '#222222' } }));
  t.same(await json(sql`select service.update_many('tags', ${sql.json(updates)}) as body`),
    (await send('PATCH', 'tags/bulk', { updates })).body);
  const operations = [
    { op: 'update', collection: 'tags', id: ids[0], values: { color: '#333333' }, ref: 'a' },
    { op: 'update', collection: 'tags', id: { $ref: 'a.id' }, values: {} },
  ];
  t.same(await json(sql`select service.batch(${sql.json(operations)}) as body`), (await send('POST', '_batch', { operations })).body);
  const problem = await sql`select service.remove_many('tags', ${sql.json([ids[0] ?? 0, 999_999])})`.catch((error: unknown) =>
    error as postgres.PostgresError);
  t.match(problem, { code: 'GW404', hint: 'NOT_FOUND', where: /\/\* write 1 \*\// }, 'which one it was stands in the context');
  t.same(await json(sql`select service.remove_many('tags', ${sql.json(ids)}) as body`), { meta: { deleted: 2 } });
});
