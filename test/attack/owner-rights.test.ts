// Functions that run with the owner's rights, called as a policy, a callback or a function of the project can call them: with arguments
// of the caller's choice. None of them runs SQL that its caller sent.
import type postgres from 'postgres';
import { test } from 'tap';
import { createDatabase } from '../harness/database.ts';
import { createService } from '../harness/service.ts';
import { collections } from '../write/client.ts';

const id = { type: 'number', isId: 'increment' };
const OPEN = [{ access: 'public' }];
/** With every kind of function that a start generates. */
const PROJECT = [
  { slug: 'people', auth: true, properties: { bio: { type: 'string' } } },
  {
    slug: 'posts', history: true, softDelete: true, securityRules: OPEN, search: { fields: ['title'] },
    callbacks: { beforeSave: 'public.keep_post' },
    properties: {
      id, title: { type: 'string' }, cover: { type: 'string', storage: { storagePath: 'covers', cleanup: true } },
      at: { type: 'date', autoValue: 'on_update' }, deletedAt: { type: 'date' },
      tags: { type: 'relation', relation: { kind: 'manyToMany', target: 'tags' } },
    },
  },
  { slug: 'tags', securityRules: OPEN, properties: { id, name: { type: 'string' } } },
];

/** Runs as the owner where it runs at all, and leaves the name of the role that ran it. */
const EXPRESSION = 'set_config(\'attack.ran_as\', current_user, false)';
const TYPES = [
  `text || ${EXPRESSION}`, `text, ${EXPRESSION}`, `text) || (${EXPRESSION}`, `date; select ${EXPRESSION}`,
  `text union select ${EXPRESSION}`, `text from (select ${EXPRESSION}) x`, `varchar((select length(${EXPRESSION})))`,
  `numeric(length(${EXPRESSION}))`, `text[length(${EXPRESSION})]`, `text -- \n || ${EXPRESSION}`, `text /* */ || ${EXPRESSION}`,
  `text collate "C" || ${EXPRESSION}`, `text::text || ${EXPRESSION}`,
];
const BODY = { at: '2026-01-01', tags: ['2026-01-01'], _pivot: { at: '2026-01-01' } };

/** Plans of a write with a type of the caller's choice at each place that has one. */
const PLANS: Record<string, (type: string) => { plan: object; doubtful?: object[]; request?: object }> = {
  'a date field': type => ({ plan: { fields: [{ field: 'at', type: 'date', sqlType: type }] } }),
  'a doubtful field': type => ({ plan: {}, doubtful: [{ field: 'at', type: 'date', sqlType: type }] }),
  'a link\'s key': type => ({ plan: { links: [{ field: 'tags', kind: 'manyToMany', key: ['id'], keyTypes: [type] }] } }),
  'a property of a link': type => ({ plan: { link: 'tags', field: 'tags', pivot: [{ field: 'at', type: 'date', sqlType: type }] } }),
};

const asUser = <T>(sql: postgres.Sql, work: (transaction: postgres.TransactionSql) => Promise<T>): Promise<T> =>
  sql.begin(async transaction => {
    await transaction`set local role service_user`;
    await transaction`select service.enter('u1')`;
    return work(transaction);
  }) as Promise<T>;

test('a type in a plan is a type, or nothing is run', async t => {
  const { sql } = await createDatabase(t, { template: 'served' });
  const judge = (type: string, place: keyof typeof PLANS) => asUser(sql, async transaction => {
    const { plan, doubtful = [], request = { op: 'create', path: ['posts'] } } = PLANS[place]?.(type) ?? { plan: {} };
    await transaction`select set_config('attack.ran_as', '', false)`;
    const failure = await transaction.savepoint(inside => inside`
      select service_private.check_body(${JSON.stringify(request)}::text::jsonb, ${JSON.stringify(BODY)}::text::jsonb,
        ${JSON.stringify(plan)}::text::jsonb,
        ${JSON.stringify(doubtful)}::text::jsonb, 'u1'), current_setting('attack.ran_as', true) as ran_as`).catch((error: unknown) =>
          error as Error);
    const [row] = await transaction`select nullif(current_setting('attack.ran_as', true), '') as ran_as`;
    return {
      ranAs: (row?.['ran_as'] as string | null) ?? (Array.isArray(failure) ? failure[0]?.['ran_as'] as string | null : null), failure,
    };
  });
  for (const place of Object.keys(PLANS)) {
    for (const type of TYPES) t.notOk((await judge(type, place)).ranAs, `${place}: ${type}`);
    for (const type of ['date', 'timestamp(3) with time zone']) {
      const { failure } = await judge(type, place);
      t.notOk(failure instanceof Error, `${place}: ${type} is judged`);
    }
  }
});

/**
 * Functions that run SQL from a text and that a caller can reach through functions with the owner's rights, at any depth. Each with the
 * reason why that text is none of the caller's.
 */
const RUN_TEXT: Record<string, string> = {
  is_readable_date: 'the value is a literal, the type goes through service_private.known_type',
  is_readable_id: 'the value is a literal, the type goes through service_private.is_composite, which reads it as the name of a type',
  unreadable_columns: 'columns and types are those of the catalog, the value is a parameter',
};

test('no text that a caller sends is run with the owner\'s rights, at any depth', async t => {
  const { sql } = await createDatabase(t, { template: 'served' });
  const reached = await sql<{ name: string }[]>`
    with recursive function as (
      -- Without comments and texts: a statement that a function writes runs as its caller.
      select p.oid, p.proname::text as name, p.prosecdef,
        regexp_replace(regexp_replace(regexp_replace(coalesce(pg_get_function_sqlbody(p.oid), p.prosrc),
          '--[^\\n]*', '', 'g'), '(\\$\\w*\\$).*?\\1', '', 'g'), '''([^'']|'''')*''', '', 'g') as body
      from pg_proc p where p.pronamespace in ('service'::regnamespace, 'service_private'::regnamespace)
    ), reached as (
      select f.name, f.body from function f where f.prosecdef and has_function_privilege('service_user', f.oid, 'execute')
      union
      select f.name, f.body
      from reached r
      cross join lateral regexp_matches(r.body, 'service(?:_private)?\\.(\\w+)\\(', 'g') called
      join function f on f.name = called[1]
    )
    select distinct name from reached where body ~* '\\mexecute\\M' order by 1`;
  t.same(reached.map(({ name }) => name), Object.keys(RUN_TEXT).sort());
});

/**
 * Each function with the owner's rights that service_user may execute, and why the worst argument does no harm: rules, callbacks and
 * defaults of a project can call it with any. A new one fails this test until it is written down here.
 */
const EXECUTABLE: Record<string, string> = {
  allows_unruled: 'answers yes or no',
  answered: 'reads the answers of the caller that has entered',
  batch_requests: 'reads names of collections, returns requests that run as their caller',
  bulk_requests: 'reads names of collections, returns requests that run as their caller',
  check_body: 'reads the catalog; a type in it goes through service_private.known_type',
  constraint_violations: 'reads the catalog; columns and types are those of the catalog',
  cursor_open: 'returns what the cursor holds, which anybody can decode',
  cursor_seal: 'signs a place in a list, whose rows are read as the caller',
  enqueue: 'refuses the names of the service\'s own tasks and keys',
  file_row: 'returns SQL text that runs as the caller',
  file_rules: 'returns rules of the project',
  file_triggers: 'returns names of functions, which run as the caller',
  file_user: 'reads the email of the caller that has entered',
  history_entry: 'reads the history for SQL of the project only: compiled statements name a row that the caller has seen',
  history_page: 'reads the history for SQL of the project only: compiled statements name a row that the caller has seen',
  keep_answer: 'writes an answer of the caller that has entered',
  many_answer: 'reads nothing but its arguments',
  posts__search: 'returns places of rows, which are read as the caller',
  put_release: 'works in triggers only, and the job removes only what no row names',
  refuse_stamp: 'raises an error',
  refuse_unaffected: 'raises an error that may name triggers',
  released_files: 'reads nothing but its arguments',
  require_file_fits: 'raises an error, or returns a bound of the project',
  require_found: 'raises an error',
  revert_plan: 'returns SQL text that runs as the caller',
  take_request: 'counts against a key, at the time of the server',
  write_plan: 'returns SQL text that runs as the caller',
  write_shape: 'reads the catalog, returns names',
};

/** The others: they are called by the owner, by triggers and by other functions. */
const NOT_EXECUTABLE = [
  'announce_change', 'broadcast', 'compile', 'enqueue_webhooks', 'finish_job', 'on_ddl', 'people__account_of_row',
  'people__row_of_account', 'posts__files_unasked', 'posts__history',
];

/** They set off the callbacks of the project, which find their tables as they do in a request. */
const PATH_OF_REQUESTS = ['people__account_of_row', 'people__row_of_account'];

test('functions with the owner\'s rights have a fixed search path and no public caller, and those of service_user are known', async t => {
  const setup = 'create function public.keep_post(jsonb, jsonb) returns jsonb language sql as \'select $1\'';
  const { sql } = await createService(t, { template: 'served', setup, env: { SERVICE_COLLECTIONS_DIR: collections(t, ...PROJECT) } });
  const found = await sql<{ name: string; path: string | null; executable: boolean; public: boolean }[]>`
    select p.proname as name, substr(c, length('search_path=') + 1) as path,
      has_function_privilege('service_user', p.oid, 'execute') as executable,
      exists (select from aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a where a.grantee = 0) as public
    from pg_proc p
    left join lateral (select c from unnest(p.proconfig) c where c like 'search_path=%') c on true
    where p.prosecdef and p.pronamespace <> 'pg_catalog'::regnamespace
      and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
    order by p.proname collate "C"`;
  for (const { name, path } of found) t.equal(path, PATH_OF_REQUESTS.includes(name) ? 'public, pg_temp' : 'pg_catalog, pg_temp', name);
  t.same(found.filter(row => row.public), [], 'that PUBLIC may call');
  const named = (executable: boolean) => found.filter(row => row.executable === executable).map(({ name }) => name);
  t.same(named(true), Object.keys(EXECUTABLE));
  t.same(named(false), NOT_EXECUTABLE);
});

test('a request is counted at the time of the server, not of its caller', async t => {
  const { sql } = await createDatabase(t, { template: 'served' });
  await sql`select service_private.take_request('login ada', 5) from generate_series(1, 4)`;
  await t.rejects(asUser(sql, transaction => transaction`select service_private.rate_limit('login ada', 1000000, '2100-01-01')`),
    { code: '42501' });
  t.match(await asUser(sql, transaction => transaction`select * from service_private.take_request('login ada', 5)`),
    [{ allowed: true, remaining: 0 }]);
  t.match(await sql`select * from service_private.take_request('login ada', 5)`, [{ allowed: false, remaining: 0 }]);
});

test('a task of the project does not keep one of the service from being done', async t => {
  const { sql } = await createDatabase(t, { template: 'served' });
  const enqueue = (options: object) => asUser(sql, transaction =>
    transaction`select service.enqueue('mail', '{}', ${JSON.stringify(options)}::text::jsonb) as id`.then(([row]) =>
      row?.['id'] as string));
  await t.rejects(enqueue({ idempotencyKey: 'service.storage_remove 0123' }), { code: 'GW400', hint: 'INVALID_INPUT' });
  t.match(await enqueue({ idempotencyKey: 'services' }), /^[0-9a-f-]{36}$/);
  t.match(await enqueue({ idempotencyKey: null }), /^[0-9a-f-]{36}$/);
});
