// A definition holds SQL. None of it runs with rights that service_user lacks, neither when a change is planned nor when it is applied.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type Test } from 'tap';
import { projectFolder, serveFolder, type Editing } from '../editing/project.ts';
import { openService, provisionOnly } from '../harness/service.ts';

const SECRET = 'argon2-hash-of-ada';
const READ = `query_to_xml('select password_hash from service.users', true, true, '')::text`;
/** Its own roles are tried first, so that the rest reads as the role that it gets. */
const ESCAPE = (role: string) => `set_config('role', ${role}, true) || ${READ}`;
const OPEN = [{ access: 'public' }];
const key = (isId: string) => ({ id: { type: 'string', isId }, note: { type: 'string' } });

/** Posts as a table with a row that is no collection's, a secret, and a function that is not for everybody. */
const SETUP = `
  insert into service.users (uid, email, password_hash) values ('ada', 'ada@example.com', '${SECRET}');
  create table bare (note text);
  insert into bare values ('there before');
  create schema private;
  create function private.secret() returns text language sql security definer as $$ select password_hash from service.users $$;
  create function hidden() returns text language sql security definer as $$ select password_hash from service.users $$;
  revoke all on function hidden() from public;
  create function purge(old jsonb) returns boolean language sql security definer as $$ select true $$;
  revoke all on function purge(jsonb) from public;
  create table of_extension (id integer primary key);
  alter extension plpgsql add table of_extension;
`;

async function attacked(t: Test): Promise<Editing> {
  const editing = await serveFolder(t, projectFolder(t));
  await editing.sql.unsafe(SETUP).simple();
  return editing;
}

type Attack = { name: string; collection: object; says: RegExp };

/** Each is refused in these words, by plan and by apply. */
const REFUSED: Attack[] = [
  {
    name: 'a query as text', collection: { table: 'bare', properties: key(READ) },
    says: /permission denied for (schema service|table users)/,
  },
  {
    name: 'a query as text, of a new table', collection: { properties: key(READ) },
    says: /permission denied for (schema service|table users)/,
  },
  {
    name: 'back to the role before', collection: { properties: key(ESCAPE(`'none'`)) },
    says: /cannot set parameter "role" within security-definer function/,
  },
  {
    name: 'to the role of the session', collection: { properties: key(ESCAPE('session_user')) },
    says: /cannot set parameter "role" within security-definer function/,
  },
  {
    name: 'another session', collection: { properties: key(`set_config('session_authorization', session_user, true) || ${READ}`) },
    says: /session_authorization/,
  },
  {
    name: 'a table as text', collection: { properties: key(`table_to_xml('service.users', true, true, '')::text`) },
    says: /permission denied/,
  },
  {
    name: 'a function in a schema that is closed', collection: { properties: key('private.secret()') },
    says: /permission denied for schema private/,
  },
  { name: 'a function that is closed', collection: { properties: key('hidden()') }, says: /permission denied for function hidden/ },
  {
    name: 'a function that is closed, behind a condition',
    collection: { properties: key(`case when current_user = 'service_user' then 'a' else hidden() end`) },
    says: /permission denied for function hidden/,
  },
  {
    name: 'a file of the server', collection: { properties: key(`pg_read_file('/etc/hostname')`) },
    says: /permission denied for function pg_read_file/,
  },
  { name: 'an error that tells', collection: { properties: key(`(${READ})::xml::text::integer::text`) }, says: /permission denied/ },
  { name: 'a default for rows whose parent goes', collection: {
    properties: {
      id: { type: 'number', isId: '1 + 1' },
      post: { type: 'relation', relation: { kind: 'belongsTo', target: 'posts', localKey: 'id', onDelete: 'set default' } },
    },
  }, says: /set default would evaluate the isId of id with the rights of the owner/ },
  {
    name: 'a table of an extension', collection: { table: 'of_extension', properties: { id: { type: 'number', isId: true } } },
    says: /public\.of_extension belongs to the extension plpgsql/,
  },
  {
    name: 'the migrations of the project', collection: { schema: 'graphile_migrate', table: 'migrations' },
    says: /graphile_migrate is not for tables of a project/,
  },
];

test('SQL of a definition that needs more rights than a request has is refused, and tells nothing', async t => {
  const { send, sql, folder } = await attacked(t);
  const before = await sql`select oid from pg_class where relpersistence <> 't'`;
  for (const { name, collection, says } of REFUSED) {
    for (const route of ['plan', 'apply']) {
      const { status, body, text } = await send(`/admin/schema/${route}`,
        { collectionId: 'loot', collection: { securityRules: OPEN, ...collection } });
      t.match([status, body.error?.code, body.error?.message], [400, 'SCHEMA_CHANGE_FAILED', says], `${route}: ${name}`);
      t.notMatch(text, SECRET);
    }
    const saved = await send('/admin/schema-editor/collection/save',
      { collectionId: 'loot', collectionData: { securityRules: OPEN, ...collection } });
    t.match(saved, { status: 400, body: { error: { code: 'SCHEMA_EDIT_REFUSED', message: says } } }, `editor: ${name}`);
  }
  t.throws(() => folder.read('loot.json'));
  t.same(await sql`select oid from pg_class where relpersistence <> 't'`, before, 'nothing was made');
});

/** An expression that is harmless as service_user, and not as the owner. */
const HIDES = `case when current_user = 'service_user' then 'harmless' else ${READ} end`;

test('an expression is a migration on a table with rows, and a plan says so', async t => {
  const { send, sql, folder } = await attacked(t);
  const over = { collectionId: 'loot', collection: { table: 'bare', properties: key(HIDES), securityRules: OPEN } };
  t.match(await send('/admin/schema/plan', over), { status: 200, body: {
    applicable: false, verdict: 'needs-migration', changes: [
      { kind: 'add-collection', verdict: 'needs-migration', detail: 'public.bare has rows, and no default that is the isId of id.' },
    ],
  } });
  t.match(await send('/admin/schema/apply', over), { status: 400, body: { error: { code: 'SCHEMA_CHANGE_UNAPPLICABLE' } } });
  t.throws(() => folder.read('loot.json'));
  await sql`alter table bare add column id text`;
  t.match(await send('/admin/schema/plan', over), { body: { verdict: 'needs-migration' } }, 'also where the column is there');
  await sql.unsafe(`alter table bare alter column id set default (${HIDES})`);
  t.match(await send('/admin/schema/plan', over), { body: { verdict: 'safe' } }, 'once the migration has made it');
});

test('a start with such a file evaluates it for no row', async t => {
  const { sql, url, folder } = await attacked(t);
  writeFileSync(join(folder.collections, 'loot.json'),
    JSON.stringify({ slug: 'loot', table: 'bare', properties: key(HIDES), securityRules: OPEN }));
  await provisionOnly(url, { DATABASE_URL: url, SERVICE_COLLECTIONS_DIR: folder.collections });
  t.same(await sql`select note, id from bare`, [{ note: 'there before', id: null }]);
  t.match(await sql`select pg_get_expr(adbin, adrelid) as says from pg_attrdef where adrelid = 'bare'::regclass`,
    [{ says: /service_user/ }], 'it is the default all the same');
});

test('an expression that is stable is not evaluated for a table without rows either', async t => {
  const { send, sql } = await attacked(t);
  await sql`delete from bare`;
  await sql`create sequence evaluations`;
  await sql.unsafe(`create function counted() returns text language sql stable
    as $$ select case when current_user = 'service_user' then 'a' else nextval('evaluations')::text end $$`);
  const change = { collectionId: 'loot', collection: { table: 'bare', properties: key('counted()'), securityRules: OPEN } };
  t.match(await send('/admin/schema/apply', change), {
    status: 200,
    body: { applied: true, statements: [/^alter table public\.bare add column id text not null$/, /set default \(counted\(\)\)/, /./] },
  });
  t.same(await sql`select is_called from evaluations`, [{ is_called: false }], 'the owner ran it never');
});

test('a rule whose cost is estimated is estimated with the rights of a request', async t => {
  const { send, sql } = await attacked(t);
  const leak = `set_config('role', 'none', true) is not null and (${READ})::xml::text::integer > 0`;
  const bait = {
    collectionId: 'bait',
    collection: { properties: { id: { type: 'number', isId: 'increment' } }, securityRules: [{ operation: 'select', using: leak }] },
  };
  t.match(await send('/admin/schema/apply', bait), { status: 200, body: { applied: true } });
  await sql`insert into bait default values`;
  const estimated = { collectionId: 'loot', collection: {
    properties: key('gen_random_uuid()::text'),
    securityRules: [{ operation: 'select', using: `{note} = table_to_xml('public.bait', true, true, '')::text` }],
  } };
  const { status, text } = await send('/admin/schema/apply', estimated);
  t.match([status, text], [400, /cannot set parameter \\"role\\" within security-definer function/]);
  t.notMatch(text, SECRET);
});

test('a callback is a function that service_user may call already; naming it grants nothing', async t => {
  const { send, sql, folder, url } = await attacked(t);
  const change = {
    collectionId: 'loot',
    collection: { properties: key('gen_random_uuid()::text'), callbacks: { beforeDelete: 'purge' }, securityRules: OPEN },
  };
  t.match(await send('/admin/schema/plan', change), { status: 200, body: {
    applicable: false, verdict: 'needs-migration', changes: [
      { kind: 'add-collection' }, { kind: 'grant-callback', remedy: /grant execute on function public\.purge\(jsonb\) to service_user/ },
    ],
  } });
  t.match(await send('/admin/schema/apply', change), { status: 400, body: { error: { code: 'SCHEMA_CHANGE_UNAPPLICABLE' } } });
  const saved = await send('/admin/schema-editor/collection/save', { collectionId: 'loot', collectionData: change.collection });
  t.match(saved,
    { status: 400, body: { error: { code: 'SCHEMA_EDIT_REFUSED', message: /service_user may not call public\.purge\(jsonb\)/ } } });
  t.same(await sql`select has_function_privilege('service_user', 'purge(jsonb)', 'execute') as may`, [{ may: false }]);
  await sql`grant execute on function purge(jsonb) to service_user`;
  t.match(await send('/admin/schema/apply', change), { status: 200, body: { applied: true } });
  await (await openService(url, { DATABASE_URL: url, SERVICE_COLLECTIONS_DIR: folder.collections })).close();
});

/** An error that holds a row, by SQL that service_user may run: it can enter as an admin. */
const TELLS = `(service.enter('root', 'admin')::text || query_to_xml('select title from posts', true, true, ''))::integer::text`;

test('a plan evaluates SQL for callers with schema:write alone, since its errors tell rows', async t => {
  const { send, sql, request } = await attacked(t);
  await sql`insert into posts (title) values ('kept back')`;
  const keyWith = async (...scopes: string[]) =>
    (await request('/admin/api-keys', { method: 'POST', body: JSON.stringify({ name: 'k', scopes }) })).body.key.key as string;
  const reader = await keyWith('schema:read');
  const writer = await keyWith('schema:read', 'schema:write');
  const change = { collectionId: 'loot', collection: { properties: key(TELLS), securityRules: OPEN } };
  const { status, text } = await send('/admin/schema/plan', change, reader);
  t.equal(status, 200);
  t.notMatch(text, /kept back/);
  t.match(await send('/admin/schema/plan', change, writer), { status: 400, text: /kept back/ }, 'who may see every row is told');
  const broken = { ...change, collection: { ...change.collection, properties: key('1 +') } };
  t.match(await send('/admin/schema/plan', broken, reader), { status: 400, body: { error: { code: 'SCHEMA_CHANGE_FAILED' } } },
    'it is parsed all the same');
});

test('a trial leaves nothing in its session', async t => {
  const { sql } = await attacked(t);
  await sql.reserve().then(async held => {
    const tried = ['select pg_advisory_lock(7261946173)', `select set_config('role', 'none', false)`];
    const [row] = await held<{ fault: string | null }[]>`
      select service_private.restricted_fault(array(select jsonb_array_elements_text(${held.json([tried[0] ?? ''])}))) as fault`;
    t.equal(row?.fault, null);
    t.same(await held`select from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()`, []);
    t.same(await held`select from pg_proc where proname = 'run_restricted'`, []);
    held.release();
  });
});
