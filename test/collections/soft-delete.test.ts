import { test, type Test } from 'tap';
import { lendService } from '../harness/lend.ts';
import { tokenFor } from '../harness/service.ts';
import { collections } from '../write/client.ts';

const id = { type: 'number', isId: 'increment' };
const open = [{ operation: 'all', access: 'public' }];
const authors = { slug: 'authors', softDelete: true, securityRules: open, properties: {
  id, name: { type: 'string' }, deletedAt: { type: 'date' }, posts: { type: 'relation', relation: { kind: 'hasMany', target: 'posts' } },
} };
const posts = {
  slug: 'posts', softDelete: { field: 'binnedAt' }, securityRules: open,
  callbacks: { beforeSave: 'app.before_save', beforeDelete: 'app.before_delete', afterDelete: 'app.after_delete' },
  properties: {
    id, title: { type: 'string', validation: { unique: true } },
    author: { type: 'relation', relation: { kind: 'belongsTo', target: 'authors' } },
    tags: { type: 'relation', relation: { kind: 'manyToMany', target: 'tags' } },
    updatedAt: { type: 'date', autoValue: 'on_update' }, binnedAt: { type: 'date', columnName: 'binned_at' },
  },
};
const tags = {
  slug: 'tags', softDelete: true, securityRules: open, properties: { id, name: { type: 'string' }, deletedAt: { type: 'date' } },
};
const SETUP = `
  create schema app; grant usage on schema app to public;
  create table app.log (n integer generated always as identity, hook text); grant insert on app.log to public;
  create function app.before_save(op text, old jsonb, new jsonb) returns jsonb language plpgsql
  as $$ begin insert into app.log (hook) values ('beforeSave'); return null; end $$;
  create function app.before_delete(old jsonb) returns boolean language plpgsql as $$ begin insert into app.log (hook)
  values ('beforeDelete'); return old ->> 'title' <> 'keep'; end $$;
  create function app.after_delete(old jsonb) returns void language plpgsql as $$ begin insert into app.log (hook) values ('afterDelete');
  end $$;`;

async function library(t: Test) {
  const { request, sql } = await lendService(t,
    { template: 'served', setup: SETUP, env: { SERVICE_COLLECTIONS_DIR: collections(t, authors, posts, tags) } });
  const send = async (method: string, path: string, body?: unknown) => {
    const { status, body: answer } = await request(`/data/${path}`, { method, ...(body !== undefined && { body: JSON.stringify(body) }) });
    return { status, body: answer };
  };
  const get = async (path: string) => (await send('GET', path)).body;
  await sql`insert into authors (name) values ('Ann'), ('Bob')`;
  await sql`insert into posts (title, author_id) values ('one', 1), ('two', 1), ('three', 2)`;
  await sql`insert into tags (name) values ('hot'), ('cold')`;
  const [junction] = await sql`select junction_table as name, junction_source[1] as source, junction_target[1] as target
    from service.relations where name = 'tags' and collection = 'posts'`;
  for (const [post, tag] of [[1, 1], [1, 2], [3, 2]]) await sql`insert into ${sql(junction?.['name'] as string)}
    (${sql(junction?.['source'] as string)}, ${sql(junction?.['target'] as string)}) values (${post ?? 0}, ${tag ?? 0})`;
  return { request, sql, send, get, ids: async (path: string) => (await get(path)).data.map((row: any) => row.id) };
}

test('a deleted row is kept, and left out of every read that does not ask for it', async t => {
  const { sql, send, get, ids } = await library(t);
  t.same((await send('DELETE', 'posts/2')).status, 204);
  t.same(await sql`select binned_at is not null as gone from posts order by id`, [{ gone: false }, { gone: true }, { gone: false }]);
  t.same(await ids('posts'), [3, 1]);
  t.same((await get('posts')).meta.total, 2);
  t.same(await ids('posts?deleted=only'), [2]);
  t.same((await get('posts?deleted=only&limit=1')).meta.total, 1);
  t.same(await ids('posts?deleted=include'), [3, 2, 1]);
  t.same(await ids('posts?deleted=include&title=neq.two'), [3, 1], 'beside the other filters');
  t.same(await ids('posts?or=(id.eq.2,id.eq.1)'), [1]);
  t.equal((await send('GET', 'posts/2')).status, 404);
  t.equal((await get('posts/2?deleted=include')).title, 'two');
  t.equal((await get('posts/2?deleted=only')).title, 'two');
  t.equal((await send('GET', 'posts/1?deleted=only')).status, 404);
  t.same([await get('posts/count'), await get('posts/count?deleted=only'), await get('posts/count?deleted=include')],
    [{ count: 2 }, { count: 1 }, { count: 3 }]);
  t.same((await get('posts/aggregate?select=count(),max(id)&groupBy=authorId')).data,
    [{ authorId: 1, count: 1, max_id: 1 }, { authorId: 2, count: 1, max_id: 3 }]);
  t.same((await get('posts/aggregate?select=count()&deleted=only')).data, [{ count: 1 }]);
  t.same((await get('posts?distinct=true&fields=title&deleted=include')).meta.total, 3);
  t.same(await ids('posts?searchString=two'), []);
  const first = await get('posts?deleted=include&limit=1');
  t.same(await ids(`posts?deleted=include&limit=1&after=${first.meta.nextCursor}`), [2]);
});

test('related rows that are deleted are not reached', async t => {
  const { send, get, ids } = await library(t);
  await send('DELETE', 'posts/2');
  await send('DELETE', 'tags/1');
  await send('DELETE', 'authors/2');
  t.same((await get('authors/1?include=posts')).posts.map((row: any) => row.id), [1]);
  t.same((await get('posts/1?include=tags')).tags.map((row: any) => row.id), [2]);
  t.equal((await get('posts/3?include=author')).author, null, 'whose key stays: the row is there');
  t.equal((await get('posts/3')).authorId, 2);
  t.same(await ids('authors?posts.title=eq.two'), []);
  t.same(await ids('authors?posts=eq.2'), []);
  t.same(await ids('posts?tags.name=eq.hot'), []);
  t.same(await ids('posts?author.name=eq.Bob'), []);
  t.same(await ids('posts?tags.name=nin.(cold)'), [], 'no related row that is there');
  t.same((await get('posts?orderBy=count(tags):desc&fields=id&include=tags')).data.map((row: any) => row.tags.length), [1, 1]);
  t.same(await ids('authors/1/posts'), [1]);
  t.same(await ids('authors/1/posts?deleted=only'), [2]);
  t.same(await get('authors/1/posts/count?deleted=include'), { count: 2 });
  t.equal((await send('GET', 'authors/1/posts/2')).status, 404);
  t.equal((await send('GET', 'authors/1/posts/2?deleted=include')).status, 200);
  t.same(await ids('authors/2/posts'), [], 'nothing below a deleted row');
});

test('a deleted row is restored, deleted for good, and nothing else', async t => {
  const { sql, send, ids } = await library(t);
  await send('DELETE', 'posts/2');
  const stamp = async () => (await sql`select binned_at::text as at, updated_at::text as touched from posts where id = 2`)[0];
  const before = await stamp();
  t.equal((await send('DELETE', 'posts/2')).status, 404, 'it is deleted already');
  t.equal((await send('PATCH', 'posts/2', { title: 'x' })).status, 404);
  t.same(await stamp(), before);
  t.match(await send('PATCH', 'posts/1', { binnedAt: '2020-01-01T00:00:00Z' }), { status: 400, body: {
    error: { code: 'FIELD_NOT_WRITABLE', details: { fields: ['binnedAt'], violations: [{ field: 'binnedAt', code: 'soft_delete' }] } },
  } });
  t.match(await send('PATCH', 'posts/2', { binned_at: '2020-01-01T00:00:00Z' }),
    { status: 400, body: { error: { code: 'FIELD_NOT_WRITABLE' } } });
  t.match(await send('PATCH', 'posts/2', { binnedAt: null, title: 'again' }),
    { status: 200, body: { id: 2, title: 'again', binnedAt: null } });
  t.same(await ids('posts'), [3, 2, 1]);
  t.match(await send('PATCH', 'posts/2', { binnedAt: null }), { status: 200 });
  t.match(await send('PATCH', 'posts/99', { binnedAt: null }), { status: 404 });
  for (const body of [{ binnedAt: null, title: 'b' }, { title: 'c' }, { title: 'd' }]) {
    t.match(await send('PATCH', 'posts/2', body), { status: 200, body: { title: body.title } });
  }
  await send('DELETE', 'posts/2');
  t.match(await send('POST', 'posts', { title: 'd' }), { status: 409, body: { error: { code: 'PG_23505' } } },
    'what is kept keeps its values');
  t.equal((await send('DELETE', 'posts/2?hard=true')).status, 204);
  t.equal((await send('DELETE', 'tags/2?hard=false')).status, 204);
  t.same(await sql`select id from posts order by id`, [{ id: 1 }, { id: 3 }]);
  t.equal((await sql`select count(*)::int as n from tags`)[0]?.['n'], 2);
  t.match(await send('DELETE', 'posts/1?hard=yes'),
    { status: 400, body: { error: { code: 'INVALID_HARD_PARAM', details: { hard: 'yes' } } } });
  t.match(await send('GET', 'posts?deleted=yes'),
    { status: 400, body: { error: { code: 'INVALID_DELETED_PARAM', details: { deleted: 'yes' } } } });
  const made = await send('POST', 'posts', { title: 'born deleted', binnedAt: '2020-01-01T00:00:00Z' });
  t.match(made, { status: 201, body: { title: 'born deleted', binnedAt: '2020-01-01T00:00:00.000Z' } });
});

test('a soft delete runs the delete stages, and no stamp of a change', async t => {
  const { sql, send } = await library(t);
  await sql`truncate app.log`;
  const before = (await sql`select updated_at::text as at from posts where id = 1`)[0];
  await send('DELETE', 'posts/1');
  t.same((await sql`select hook from app.log order by n`).map(row => row['hook']), ['beforeDelete', 'afterDelete']);
  t.same((await sql`select updated_at::text as at from posts where id = 1`)[0], before);
  await send('PATCH', 'posts/1', { binnedAt: null });
  t.ok((await sql`select updated_at is not null as touched from posts where id = 1`)[0]?.['touched']);
  await send('PATCH', 'posts/3', { title: 'keep' });
  t.match(await send('DELETE', 'posts/3'),
    { status: 403, body: { error: { code: 'CALLBACK_REJECTED', details: { stage: 'beforeDelete' } } } });
  t.equal((await send('GET', 'posts/3')).status, 200);
});

test('the rules of deleting decide, not those of updating', async t => {
  const ruled = (slug: string, ...securityRules: object[]) => ({
    slug, softDelete: true, securityRules: [{ operation: 'select', access: 'public' }, ...securityRules],
    properties: { id, name: { type: 'string' }, owner: { type: 'string' }, deletedAt: { type: 'date' } },
  });
  const { request, sql } = await lendService(t, {
    template: 'served',
    env: {
      SERVICE_COLLECTIONS_DIR: collections(t,
        ruled('erasable', { operation: 'delete', ownerField: 'owner' }),
        ruled('editable', { operation: 'update', access: 'public' }),
        ruled('guarded', { operations: ['update', 'delete'], access: 'public' },
          { operation: 'delete', mode: 'restrictive', ownerField: 'owner' })),
    },
  });
  for (const table of ['erasable', 'editable', 'guarded']) {
    await sql`insert into ${sql(table)} (name, owner) values ('hers', 'ann'), ('his', 'bob')`;
  }
  const ann = await tokenFor('ann');
  const asAnn = async (method: string, path: string, body?: object) =>
    (await request(`/data/${path}`, { method, as: ann, ...(body && { body: JSON.stringify(body) }) })).status;
  t.same([await asAnn('PATCH', 'erasable/1', { name: 'x' }), await asAnn('DELETE', 'erasable/2'), await asAnn('DELETE', 'erasable/1')],
    [403, 403, 204]);
  t.equal(await asAnn('PATCH', 'erasable/1', { deletedAt: null }), 403, 'who may not update may not restore');
  t.same([
    await asAnn('PATCH', 'editable/1', { name: 'x' }), await asAnn('DELETE', 'editable/1'), await asAnn('DELETE', 'editable/1?hard=true'),
  ], [200, 403, 403]);
  t.same([await asAnn('PATCH', 'guarded/2', { name: 'x' }), await asAnn('DELETE', 'guarded/2'), await asAnn('DELETE', 'guarded/1')],
    [200, 403, 204]);
  t.equal((await request('/data/editable/1', { method: 'DELETE' })).status, 204, 'an admin may');
});

test('psql deletes alike', async t => {
  const { sql, ids } = await library(t);
  await sql`select service.remove('posts', '1')`;
  t.same(await ids('posts?deleted=only'), [1]);
  t.equal((await sql`select service.list('posts', '{"deleted": "only"}') as answer`)[0]?.['answer'].meta.total, 1);
  await sql`select service.remove('posts', '1', hard => true)`;
  t.same(await ids('posts?deleted=include'), [3, 2]);
});

test('a policy that hides deleted rows from their deleter keeps them, and the refusal says why', async t => {
  const ids = (slug: string) => request(`/data/${slug}?orderBy=id`).then(({ body }) => body.data.map((row: any) => row.id));
  const notes = {
    slug: 'notes', softDelete: true, disableDefaultPolicies: true,
    properties: { id, text: { type: 'string' }, deletedAt: { type: 'date' } },
  };
  const plain = { ...notes, slug: 'plain' };
  const { request, sql } = await lendService(t, {
    template: 'served',
    setup: 'create table notes (id serial primary key, text text, deleted_at timestamptz); create table plain (like notes including all); '
      + 'alter table notes enable row level security; alter table plain enable row level security; create policy live on notes using '
        + '(deleted_at is null) with check (true); create policy everybody on plain using (true);',
    env: { SERVICE_COLLECTIONS_DIR: collections(t, notes, plain) },
  });
  await sql`insert into notes (text) values ('a'), ('b')`;
  await sql`insert into plain (id, text) values (1, 'a'), (2, 'b')`;
  const refused = await request('/data/notes/1', { method: 'DELETE' });
  t.match(refused,
    { status: 403, body: { error: { code: 'WRITE_DENIED', message: /must not test the mark/, details: { collection: 'notes' } } } });
  t.same(await ids('notes'), [1, 2]);
  t.equal((await request('/data/notes/1?hard=true', { method: 'DELETE' })).status, 204);
  t.equal((await request('/data/plain/1', { method: 'DELETE' })).status, 204);
  t.same([await ids('notes'), await ids('plain')], [[2], [2]]);
});
