import { test, type Test } from 'tap';
import { runGateway } from '../boot/gateway.ts';
import { createDatabase } from '../harness/database.ts';
import { openService, provisionOnly } from '../harness/service.ts';
import { fingerprint } from './declared.ts';

const posts = {
  slug: 'posts',
  properties: {
    id: { type: 'number', isId: 'increment' }, title: { type: 'string', columnType: 'varchar' }, body: { type: 'string' },
    tags: { type: 'array', of: { type: 'string' } }, spec: { type: 'map', columnType: 'json' },
  },
  securityRules: [{ operation: 'select', access: 'public' }],
};
const search = { language: 'english', fields: [{ path: 'title', weight: 'A' }, 'body', 'tags', 'spec.make'] };

function directory(t: Test, collection: object): Record<string, string> {
  return { SERVICE_COLLECTIONS_DIR: t.testdir({ 'posts.json': JSON.stringify({ ...posts, ...collection }) }) };
}

/** A boot: its warnings, and what it says of search columns. */
async function boot(t: Test, url: string, collection: object): Promise<{ warnings: string[]; told: string[] }> {
  const lines = await provisionOnly(url, directory(t, collection));
  const at = (level: string) => lines.filter(line => line.level === level).map(({ msg }) => msg);
  return { warnings: at('warn'), told: at('info').filter(line => line.includes('search')) };
}

test('the words of a search block are a generated column that each later boot leaves alone, and a changed block makes again', async t => {
  const { url, sql } = await createDatabase(t, { template: 'served' });
  const columns = async () => (await sql<{ name: string }[]>`select attname as name from pg_attribute
    where attrelid = 'posts'::regclass and attgenerated = 's' and not attisdropped order by 1`).map(({ name }) => name);
  const indexes = async () => (await sql<{ definition: string }[]>`select regexp_replace(indexdef, '.* USING ', '') as definition
    from pg_indexes where tablename = 'posts' and indexname <> 'posts_pkey' order by 1`).map(({ definition }) => definition);
  const found = async (text: string) => (await sql<{ body: { data: { id: number }[] } }[]>`select service.list('posts',
    ${JSON.stringify({ search: { text }, orderBy: [{ field: 'id' }] })}::text::json) as body`)[0]?.body.data.map(({ id }) => id);

  t.match(await boot(t, url, {}), { warnings: [] });
  await sql`insert into posts (title, body, tags, spec) values ('Apples', 'pears', '{plum}', '{"make": ["Lemon"], "other": "melon"}'),
    ('Pears', null, null, null)`;
  t.same(await found('pears'), [1, 2], 'substrings until there is a block');

  t.match(await boot(t, url, { search }), { warnings: [] });
  t.same(await columns(), ['search_vector']);
  t.same(await indexes(), ['gin (search_vector)']);
  t.same([await found('apple'), await found('pear'), await found('plum'), await found('lemon'), await found('melon')],
    [[1], [1, 2], [1], [1], []]);

  const before = await fingerprint(sql);
  t.match(await boot(t, url, { search }), { warnings: [], told: [] });
  t.same(await fingerprint(sql), before, 'the next boot writes nothing');

  const changed = await boot(t, url, { search: { ...search, fields: ['title', 'spec'], language: 'simple', unaccent: true, fuzzy: true } });
  t.match(changed, {
    warnings: [],
    told: [
      'public.posts.search_vector: The search block of posts has changed; the column is computed again for every row, and its index '
        + 'built again.',
    ],
  });
  t.same(await columns(), ['search_vector', 'search_vector_text']);
  t.same(await indexes(), ['gin (search_vector)', 'gin (search_vector_text gin_trgm_ops)']);
  t.same([await found('melon'), await found('plum'), await found('aples')], [[1], [], [1]]);
  t.same(await boot(t, url, { search: { ...search, fields: ['title', 'spec'], language: 'simple', unaccent: true, fuzzy: true } })
    .then(({ told, warnings }) => [told, warnings]), [[], []]);

  const tables = await openService(url, { SERVICE_SOURCE: 'tables' });
  t.match(Object.keys((await tables.request('/data/posts/1')).body), ['id', 'title', 'body', 'tags', 'spec'],
    'without the files nobody sees the columns either');
  await tables.close();

  const renamed = await boot(t, url, { search: { fields: ['title'], column: 'words' } });
  t.same(renamed.warnings.filter(line => line.includes('column')).sort(), [
    'public.posts.search_vector: No search block asks for this column any more. alter table public.posts drop column search_vector;',
    'public.posts.search_vector_text: No search block asks for this column any more. alter table public.posts drop column '
      + 'search_vector_text;',
  ]);
  t.same(await found('apples'), [1]);
});

test('a column of that name that is not ours is left alone, and the search does without it', async t => {
  const { url, sql } = await createDatabase(t, { template: 'served' });
  await boot(t, url, {});
  await sql.unsafe(`alter table posts add search_vector text default 'zebra'; insert into posts (title, body) values ('Apples', 'pears')`)
    .simple();
  const { warnings } = await boot(t, url, { search });
  t.ok(warnings.some(line => line.startsWith('public.posts.search_vector: A column of this name is there that no search block made')),
    warnings.join('\n'));
  const service = await openService(url, directory(t, { search }));
  t.teardown(service.close);
  t.match((await service.request('/data/posts?searchString=pear')).body.data, [{ title: 'Apples', _score: Number }]);
  t.same((await service.request('/data/posts?searchString=zebra')).body.data, []);
  t.notOk('search_vector' in (await service.request('/data/posts/1')).body);
});

test('the column can be neither seen nor filtered nor written', async t => {
  const { url, sql } = await createDatabase(t, { template: 'served' });
  const service = await openService(url, directory(t, { search, strictWrites: false }));
  t.teardown(service.close);
  const made = await service.request('/data/posts', { method: 'POST', body: '{"title":"Apples","tags":["plum"]}' });
  t.equal(made.status, 201, made.text);
  const code = async (path: string, method = 'GET', body?: string) => { const answer = await service.request(path,
    { method, ...(body !== undefined && { body }) }); return [answer.status, answer.body.error?.code]; };
  t.notMatch(made.text, /search_?vector/i);
  t.notMatch((await service.request('/data/posts?searchString=plum&include=*')).text, /search_?vector/i);
  t.same(await code('/data/posts?search_vector=eq.x'), [400, 'UNKNOWN_FILTER_FIELD']);
  t.same(await code('/data/posts?orderBy=search_vector'), [400, 'UNKNOWN_ORDER_BY_FIELD']);
  t.same(await code('/data/posts?fields=search_vector'), [400, 'UNKNOWN_FIELD']);
  t.equal((await code('/data/posts', 'POST', '{"search_vector":"x"}'))[0], 400);
  t.equal((await code('/data/posts/1', 'PATCH', '{"search_vector":"x"}'))[0], 400);
  const { text, body } = await service.request('/docs');
  t.notMatch(text, /search_?vector/i);
  const parameters = body.paths['/data/posts'].get.parameters.map(({ $ref }: { $ref: string }) =>
    body.components.parameters[$ref.split('/').at(-1) ?? ''].name);
  t.ok(parameters.includes('searchExplain'));
  const row = Object.values<any>(body.components.schemas).find(({ properties }) => properties?._score !== undefined);
  t.match(row, { properties: { _score: { type: 'number' }, _matches: { type: 'array' } } });

  await sql`create role ${sql(`${new URL(url).pathname.slice(1)}_writer2`)}`;
  const writer = `${new URL(url).pathname.slice(1)}_writer2`;
  await sql.unsafe(`grant insert on posts to ${writer}; create policy others on posts for insert to ${writer} with check (true);
    grant usage on all sequences in schema public to ${writer}`).simple();
  await sql.begin(async transaction => {
    await transaction.unsafe(`set local role ${writer}`);
    await transaction`insert into posts (title, tags, spec) values ('By another program', '{x}', '{"make": "y"}')`;
  });
  await sql.unsafe(`drop owned by ${writer}; drop role ${writer}`).simple();
  t.equal((await service.request('/data/posts?searchString=program')).body.meta.total, 1, 'whoever may write the table can');

  const long = Array.from({ length: 90_000 }, (_, i) => `w${i.toString(36)}é`).join(' ');
  await sql`insert into posts (title, body, tags) values ('Long', ${long}, string_to_array(${long}, ' '))`;
  t.equal((await service.request('/data/posts?searchString=w1é')).body.meta.total, 1,
    'a long text is stored, and searched as far as a tsvector reaches');
});

test('an unknown language stops boot, together with every other problem', async t => {
  const { url, sql } = await createDatabase(t, { template: 'served' });
  const { code, output } = await runGateway(t,
    { DATABASE_URL: url, ...directory(t, { search: { language: 'klingon', fields: ['title', 'gone'] } }) });
  t.equal(code, 1);
  t.match(output, 'posts.search.fields[1]: posts has no property gone\n'
    + 'posts.search.language: the database has no text search configuration klingon; it has arabic, ');
  t.same(await sql`select slug as name from service.collections union all select relname from pg_class
    where relnamespace = 'public'::regnamespace`, []);
});

test('without the extensions searches are plainer, with one warning each', async t => {
  const { url, sql } = await createDatabase(t, { template: 'served' });
  await sql.unsafe('create or replace function service_private.extension_schema(name text) returns text language sql stable set '
    + 'search_path = pg_catalog, pg_temp return null::text');
  const block = { fields: ['title'], mode: 'hybrid', unaccent: true, fuzzy: true };
  const { warnings } = await boot(t, url, { search: block });
  t.same(warnings, [
    'pg_trgm: This server does not have the extension pg_trgm: nothing is fuzzy, and substrings are found without an index, in searches of '
      + 'posts. Install pg_trgm (of PostgreSQL\'s contrib modules) on the database server.',
    'unaccent: This server does not have the extension unaccent: accents tell words apart in searches of posts. Install unaccent (of '
      + 'PostgreSQL\'s contrib modules) on the database server.',
  ]);
  const service = await openService(url, directory(t, { search: block }));
  t.teardown(service.close);
  await sql`insert into posts (title) values ('Séyès'), ('Apples')`;
  const total = async (text: string) =>
    (await service.request(`/data/posts?searchString=${encodeURIComponent(text)}&searchExplain=true&orderBy=_score:desc`)).body.meta?.total;
  t.same([await total('séyès'), await total('seyes'), await total('ppl'), await total('aples')], [1, 0, 1, 0]);
});

test('collections without provisioning are searched all the same', async t => {
  const { url, sql } = await createDatabase(t, { template: 'served' });
  await boot(t, url, {});
  await sql`insert into posts (title) values ('Séyès'), ('Apples')`;
  const service = await openService(url,
    { ...directory(t, { search: { ...search, mode: 'hybrid', unaccent: true, fuzzy: true } }), SERVICE_MIGRATE_ON_BOOT: 'none' });
  t.teardown(service.close);
  t.same(await sql`select attname from pg_attribute where attrelid = 'posts'::regclass and attgenerated = 's'`, []);
  t.match((await service.request('/data/posts?searchString=apple&orderBy=_score:desc&searchExplain=true')).body.data,
    [{ title: 'Apples', _score: Number, _matches: [{ field: 'title' }] }]);
  t.same((await service.request('/data/posts/count?searchString=ppl')).body, { count: 1 });
});
