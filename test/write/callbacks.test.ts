import { test } from 'tap';
import { collections, createWriter } from './client.ts';

const posts = {
  slug: 'posts',
  properties: {
    id: { type: 'number', isId: 'increment' }, title: { type: 'string', validation: { required: true, max: 20 } },
    slug: { type: 'string', access: { write: [] } }, score: { type: 'number' },
  },
  callbacks: { beforeSave: 'app.before_save', afterSave: 'app.after_save', beforeDelete: 'app.before_delete', afterRead: 'app.after_read' },
  securityRules: [{ operation: 'all', access: 'public' }],
};
const SETUP = `
  create schema app; grant usage on schema app to public;
  create table app.seen (title text); grant insert on app.seen to public;
  create function app.before_save(op text, old jsonb, new jsonb) returns jsonb language plpgsql as $$ begin
    if new ->> 'title' = 'refuse' then raise exception 'Not this one.'; end if;
    if new ->> 'title' = 'conflict' then raise exception 'Taken.'
    using errcode = 'GW409', hint = 'CONFLICT', detail = 'Ask again tomorrow.'; end if;
    if new ->> 'title' = 'no status' then raise exception 'Odd.' using errcode = 'GW099'; end if;
    if new ->> 'title' = 'another key' then return '{"id": 4711}'; end if;
    return jsonb_build_object('slug', lower(new ->> 'title'));
  end $$;
  create function app.after_save(op text, old jsonb, new jsonb) returns void language plpgsql as $$ begin
    if new ->> 'score' is null then execute format('update public.posts set score = 7 where id = %s', new ->> 'id'); end if;
    if new ->> 'title' = 'too late' then raise exception 'Too late.'; end if;
  end $$;
  create function app.before_delete(old jsonb) returns boolean language sql as $$ select old ->> 'title' <> 'keep' $$;
  create function app.after_read("row" json) returns json language plpgsql as $$ begin
    if "row" ->> 'title' = 'spy' then insert into app.seen values ('spy'); end if;
    return ("row"::jsonb || '{"read": true}')::json;
  end $$;`;

test('callbacks run between the rules and the answer', async t => {
  const { send, refused, sql } = await createWriter(t,
    { template: 'served', setup: SETUP, env: { SERVICE_COLLECTIONS_DIR: collections(t, posts) } });
  const created = await send('POST', 'posts', { title: 'Hello' });
  t.equal(created.status, 201, created.text);
  t.match(created.body, { title: 'Hello', slug: 'hello', score: 7, read: true }, 'what afterSave wrote is in it, and afterRead shaped it');
  t.notOk('read' in ((await sql`select to_jsonb(p) as row from posts p`)[0]?.['row'] ?? {}), 'the stored row is untouched');
  t.match((await send('PATCH', 'posts/1', { title: 'Bye', score: 1 })).body, { slug: 'bye', score: 1 });
  t.same(await refused('POST', 'posts', { title: 'x'.repeat(21) }), [400, 'VALIDATION_CONSTRAINT', 'title: max_length'],
    'rules judge what was sent');
  t.same(await refused('POST', 'posts', { slug: 'mine', title: 'x' }), [400, 'VALIDATION_EXCLUDED_FIELDS', 'slug: access'],
    'a callback may write what a caller may not');
  t.same(await refused('POST', 'posts', {}), [400, 'PG_23502', 'title: required'],
    'a callback could have filled it; NOT NULL has the last word');
});

test('a callback that refuses leaves nothing behind', async t => {
  const { send, refused, sql } = await createWriter(t,
    { template: 'served', setup: SETUP, env: { SERVICE_COLLECTIONS_DIR: collections(t, posts) } });
  await send('POST', 'posts', { title: 'keep' });
  t.match((await send('POST', 'posts', { title: 'refuse' })).body.error,
    { code: 'CALLBACK_REJECTED', message: 'Not this one.', details: { stage: 'beforeSave', path: 'posts' } });
  t.match((await send('POST', 'posts', { title: 'too late' })).body.error,
    { code: 'CALLBACK_REJECTED', message: 'Too late.', details: { stage: 'afterSave', path: 'posts' } });
  t.same(await refused('POST', 'posts', { title: 'refuse' }), [400, 'CALLBACK_REJECTED']);
  t.match((await send('POST', 'posts', { title: 'conflict' })).body?.error, { code: 'CONFLICT', message: 'Taken.', details: undefined },
    'in the service\'s own words, whose detail is JSON');
  t.same(await refused('POST', 'posts', { title: 'no status' }), [500, 'INTERNAL_ERROR']);
  t.same((await refused('PATCH', 'posts/1', { title: 'another key' })).slice(0, 2), [400, 'KEY_IMMUTABLE']);
  t.same(await refused('DELETE', 'posts/1'), [403, 'CALLBACK_REJECTED']);
  t.same(await refused('DELETE', 'posts/99'), [404, 'NOT_FOUND']);
  for (let i = 0; i < 3; i++) {
    t.same(await refused('POST', 'posts', { title: 'spy' }), [409, 'READ_ONLY_TRANSACTION'], 'a reading callback may not write');
  }
  t.same(await sql`select title from posts`, [{ title: 'keep' }]);
  t.same(await sql`select from app.seen`, []);
  t.equal((await send('POST', 'posts', { title: 'and on' })).status, 201);
});
