// A request that is tried as another caller is answered as the API answers that caller, and leaves nothing.
import type postgres from 'postgres';
import { test } from 'tap';
import { generator, runs, seed } from '../harness/effort.ts';
import { createService, tokenFor, type TestService } from '../harness/service.ts';
import { randomRequest, type Ids, type Sent } from './random-requests.ts';

type Asker = { as: object | 'visitor'; credential: string | null };

const NO_ACCOUNT = '00000000-0000-0000-0000-000000000000';
/** Those of an answer that its request decides. */
const HEADERS = ['Preference-Applied', 'Deprecation', 'Idempotency-Replayed', 'ETag', 'WWW-Authenticate'];
const GENERATED = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const NEW = 120_000;

/** Callers with rows and without, each with a credential of its own. */
async function askers({ request, sql }: TestService): Promise<Asker[]> {
  const [one, two] = await sql<{ uid: string }[]>`select uid from customers order by id limit 2`;
  const person = async (uid: string, roles: string[] = [], more = {}) => {
    const credential = await tokenFor(uid, roles, { aal: 'aal1', ...more });
    await request('/data/tags?limit=1', { as: credential }); // makes the account
    return { as: { uid }, credential };
  };
  const key = async (scopes: string[], roles: string[] = []) => {
    const { body } = await request('/admin/api-keys', { method: 'POST', body: JSON.stringify({ name: 'tried', scopes, roles }) });
    return { as: { key: body.key.id as string }, credential: body.key.key as string };
  };
  return [
    { as: 'visitor', credential: null },
    await person(one?.uid ?? ''), await person(two?.uid ?? ''), await person('nobody-buys'), await person('a-staff', ['staff']),
    await person('an-admin', ['admin']), await person('a-guest', [], { isAnonymous: true }),
    { ...await person(NO_ACCOUNT, ['staff']), as: { roles: ['staff'] } },
    await key(['data:read', 'data:write', 'data:delete'], ['admin']), await key(['data:read:tags', 'data:write:tags']),
    await key(['data:read']),
  ];
}

/** One of each kind of answer, of a caller by its place in askers(): random ones may be of a few kinds. */
const SURE: [status: number, asker: number, sent: Sent][] = [
  [200, 5, { method: 'GET', path: 'tags?limit=1' }], [201, 5, { method: 'POST', path: 'tags', body: { name: 'sure' } }],
  [400, 5, { method: 'PATCH', path: 'tags/1', body: { nothing: 1 } }], [403, 0, { method: 'POST', path: 'tags', body: { name: 'mine' } }],
  [404, 5, { method: 'GET', path: 'tags/987654' }],
];

/** Everything that is stored, but for the time at which a key was used, which is written later than its answer. */
async function contents(sql: postgres.Sql): Promise<object> {
  const tables = await sql`
    select r.name, query_to_xml(
      format('select md5(string_agg(%1$s, e''\\n'' order by %1$s)) as rows from %2$s t', r.shown, r.name), true, true, '')::text as rows
    from (
      select c.oid::regclass::text as name,
        case when c.oid = 'service.api_keys'::regclass then $$(to_jsonb(t) - 'last_used_at')::text$$ else 't::text' end as shown
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind in ('r', 'm') and n.nspname not in ('pg_catalog', 'information_schema') and n.nspname not like 'pg_toast%') r
    order by 1`;
  return tables.map(({ name, rows }) => `${name}: ${rows}`);
}

/** SQL that sets every sequence to where it is now. */
async function sequences(sql: postgres.Sql): Promise<string> {
  const [row] = await sql<{ text: string }[]>`
    select string_agg(format('select setval(%L, %s, %L)', s.name, coalesce(s.last, s.start), s.last is not null), '; ') as text
    from (
      select format('%I.%I', schemaname, sequencename) as name, last_value as last, start_value as start from pg_sequences) s`;
  return row?.text ?? '';
}

/** Equal but for what each of the two has generated: random ids, and the time of now. */
function isSame(one: unknown, other: unknown): boolean {
  if (typeof one === 'string' && typeof other === 'string' && one !== other) {
    const isNow = [one, other].every(text => Math.abs(Date.parse(text) - Date.now()) < NEW);
    return isNow || (GENERATED.test(one) && GENERATED.test(other));
  }
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return one === other;
  const [names, others] = [Object.keys(one), Object.keys(other)];
  return names.join() === others.join()
    && names.every(name => isSame((one as Record<string, unknown>)[name], (other as Record<string, unknown>)[name]));
}

async function ids(sql: postgres.Sql): Promise<Ids> {
  const found: Ids = {};
  for (const slug of ['products', 'orders', 'tags', 'categories', 'customers', 'bundles', 'reviews', 'shipments', 'order_items']) {
    const rows = await sql.unsafe<{ id: string | number }[]>(`select id from ${slug} order by id limit 12`);
    found[slug] = [...rows.map(({ id }) => id), 987654, 'x'];
  }
  found['history'] = [...(await sql<{ id: string }[]>`select id from service.history order by id limit 20`).map(({ id }) => id), 'x'];
  return found;
}

test('random requests are answered as the API answers their callers, and nothing is stored', async t => {
  console.log(`# RANDOM_SEED=${seed}`);
  const service = await createService(t, { env: { AUTH_REQUIRE: 'false', SERVICE_CRON_SCHEDULER: 'false', SERVICE_JOB_WORKERS: 'false' } });
  const { request, sql } = service;
  const all = await askers(service);
  const below = generator(seed);
  const statuses = new Map<number, number>();

  for (const [expected, asker, sent] of SURE) t.equal(await compare(all[asker] as Asker, sent), expected, JSON.stringify(sent));
  for (let n = 0; n < runs(1000); n++) {
    const status = await compare(all[below(all.length)] as Asker, randomRequest(below, await ids(sql)));
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
  console.log(`# ${JSON.stringify(Object.fromEntries([...statuses].sort()))}`);

  async function compare({ as, credential }: Asker, sent: Sent): Promise<number> {
    const what = `${JSON.stringify(as)} ${JSON.stringify(sent)}`;
    const [before, places] = [await contents(sql), await sequences(sql)];
    const tried = await tryAs(as, sent);
    t.same(await contents(sql), before, `${what} stored something`);
    await sql.unsafe(places).simple();
    const { status, headers, body } = await direct(sent, credential);
    t.equal(tried.status, status, what);
    t.ok(isSame(withoutIds(tried.body), withoutIds(body)), `${what}: ${JSON.stringify(tried.body)} is not ${JSON.stringify(body)}`);
    for (const name of HEADERS) if (status !== 201) t.equal(tried.headers[name] ?? null, headers.get(name), `${what}: ${name}`);
    return status;
  }

  async function tryAs(as: Asker['as'], { method, path, body, headers }: Sent) {
    const answer = await request('/admin/try', { method: 'POST',
      body: JSON.stringify({ as, method, path: `/api/data/${path}`, ...(body !== undefined && { body }), ...(headers && { headers }) }) });
    if (answer.status !== 200) t.fail(`${answer.status} ${answer.text}`);
    return answer.body as { status: number; headers: Record<string, string>; body: unknown };
  }

  function direct({ method, path, body, headers = {} }: Sent, as: string | null) {
    return request(`/data/${path}`, { method, as, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
  }
});

function withoutIds(body: any): unknown {
  if (body?.error === undefined) return body ?? '';
  return { ...body, error: { ...body.error, requestId: '' } };
}
