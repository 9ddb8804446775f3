import type postgres from 'postgres';
import { test, type Test } from 'tap';
import { attempt } from './callers.ts';
import { type Declared, define, plan, provision, provisioned } from './declared.ts';

/** Callbacks that do what the title says, and write down that they ran. */
const FUNCTIONS = `
  create schema app;
  create table app.log (n serial, hook text, op text, old jsonb, new jsonb, who text);
  grant insert on app.log to service_user;
  grant usage on sequence app.log_n_seq to service_user;
  create function app.note(hook text, op text, old jsonb, new jsonb) returns void language sql
    as $$ insert into app.log (hook, op, old, new, who) values ($1, $2, $3, $4, current_user::text) $$;
  grant usage on schema app to public;
  create function app.before_save(op text, old jsonb, new jsonb) returns jsonb language plpgsql as $$ begin
    perform app.note('beforeSave', op, old, new);
    case new ->> 'title'
      when 'refuse' then raise exception 'No % here.', new ->> 'title';
      when 'own code' then raise exception using errcode = 'GW409', message = 'Taken.', detail = '{"a": 1}', hint = 'MY_CODE';
      when 'constraint' then insert into posts (id, title) values (1, 'again');
      when 'serialization' then raise exception using errcode = '40001';
      when 'cancel' then raise exception using errcode = '57014';
      when 'unknown column' then return '{"titel": 1}';
      when 'another key' then return '{"id": 99}';
      when 'same key' then return '{"id": 1, "note": "same"}';
      when 'trim me ' then return jsonb_build_object('title', btrim(new ->> 'title'));
      when 'whole row' then return new || '{"note": "whole"}';
      when 'null it' then return '{"note": null}';
      else return null;
    end case; end $$;
  create function app.after_save(op text, old jsonb, new jsonb) returns void language plpgsql as $$ begin
    perform app.note('afterSave', op, old, new);
    if new ->> 'title' = 'refuse after' then raise exception 'Too late.'; end if; end $$;
  create function app.before_delete(old jsonb) returns boolean language plpgsql as $$ begin
    perform app.note('beforeDelete', null, old, null);
    if old ->> 'title' = 'raise' then raise exception 'Kept.'; end if;
    return old ->> 'title' <> 'keep'; end $$;
  create function app.after_delete(old jsonb) returns void language plpgsql as $$ begin
    perform app.note('afterDelete', null, old, null);
    if old ->> 'title' = 'raise after' then raise exception 'Kept after all.'; end if; end $$;
`;

const callbacks = {
  beforeSave: 'app.before_save', afterSave: 'app.after_save', beforeDelete: 'app.before_delete', afterDelete: 'app.after_delete',
};
const posts: Declared = {
  columns: {
    id: { type: 'integer' }, title: { type: 'text' }, note: { type: 'text' }, exact: { type: 'jsonb', default: `'null'` },
    deletedAt: { type: 'timestamp(3) with time zone', columnName: 'deleted_at' },
    updatedAt: { type: 'timestamp(3) with time zone', columnName: 'updated_at', stamp: 'on_update' },
  },
  callbacks,
  securityRules: [{ access: 'public' }],
};

async function served(t: Test, rest: Partial<Declared> = {}): Promise<postgres.Sql> {
  const sql = await provisioned(t, { posts: { ...posts, ...rest } }, FUNCTIONS);
  await sql`insert into posts (id, title) values (1, 'one')`;
  await sql`truncate app.log`;
  return sql;
}

/** The error of a statement that the owner sends, as by psql. */
async function refusal(sql: postgres.Sql, statement: string): Promise<{ code: string; hint?: string; message: string; details?: unknown }> {
  try {
    await sql.unsafe(statement);
  } catch (error) {
    const { code, hint, message, detail } = error as postgres.PostgresError;
    return {
      code, message, ...(hint !== undefined && { hint }), ...(detail?.startsWith('{') && { details: JSON.parse(detail) as unknown }),
    };
  }
  return { code: '00000', message: 'not refused' };
}

test('every writer runs them, in order, with the rows as JSON', async t => {
  const sql = await served(t);
  await sql`insert into posts (id, title) values (2, 'two')`;
  await sql`update posts set title = 'second' where id = 2`;
  await sql`delete from posts where id = 2`;
  t.match(await sql`select hook, op, old ->> 'title' as old, new ->> 'title' as new from app.log order by n`, [
    { hook: 'beforeSave', op: 'INSERT', old: null, new: 'two' }, { hook: 'afterSave', op: 'INSERT', old: null, new: 'two' },
    { hook: 'beforeSave', op: 'UPDATE', old: 'two', new: 'second' }, { hook: 'afterSave', op: 'UPDATE', old: 'two', new: 'second' },
    { hook: 'beforeDelete', op: null, old: 'second', new: null }, { hook: 'afterDelete', op: null, old: 'second', new: null },
  ]);
  await sql`truncate app.log`;
  await sql`insert into posts (id, title) values (1, 'uno') on conflict (id) do update set title = excluded.title`;
  t.match(await sql`select hook, op from app.log order by n`,
    [{ hook: 'beforeSave', op: 'INSERT' }, { hook: 'beforeSave', op: 'UPDATE' }, { hook: 'afterSave', op: 'UPDATE' }]);
  await sql`create function app.who(op text, old jsonb, new jsonb) returns jsonb language sql
    as $$ select jsonb_build_object('note', current_user || ' ' || service.uid()) $$`;
  await define(sql, { posts: { ...posts, callbacks: { beforeSave: 'app.who' } } });
  await provision(sql);
  t.equal(await attempt(sql, 'owner', `insert into posts (id, title) values (3, 'three') returning 1 / (note = 'service_user u1')::int`), 1,
    'they run as the writer, who is known');
});

test('the result of beforeSave replaces columns; the stamp comes after it', async t => {
  const sql = await served(t);
  const write = async (title: string) =>
    (await sql`update posts set title = ${title}, note = 'sent', exact = 'null' where id = 1 returning *`)[0];
  t.match(await write('trim me '), { title: 'trim me', note: 'sent' });
  t.match(await write('whole row'), { title: 'whole row', note: 'whole' });
  t.equal((await sql`select exact is null as lost from posts`)[0]?.['lost'], false,
    'a JSON null stays what it was when the whole row is returned');
  t.match(await write('null it'), { note: null });
  t.match(await write('same key'), { id: 1, note: 'same' });
  t.match(await write('nothing'), { note: 'sent' });
  t.equal((await sql`update posts set updated_at = '2000-01-01'
    returning updated_at > now() - interval '1 minute' as stamped`)[0]?.['stamped'], true);
  t.equal((await sql`insert into posts (id, title) values (5, 'another key') returning id`)[0]?.['id'], 99,
    'a new row may get its key here');
  t.same(await refusal(sql, `update posts set title = 'another key' where id = 1`), {
    code: 'GW400', hint: 'KEY_IMMUTABLE', message: 'The key of a row cannot be changed.',
    details: { collection: 'posts', violations: [{ field: 'id', code: 'key_immutable', message: 'The key of a row cannot be changed.' }] },
  });
  t.match(await refusal(sql, `update posts set title = 'unknown column'`),
    { code: 'GW500', message: /app|beforeSave of posts returned keys that are no columns: titel/ });
});

test('failures: the author\'s words with the stage, every other class as it is, and nothing written', async t => {
  const sql = await served(t);
  await sql`insert into posts (id, title) values (10, 'keep'), (11, 'raise'), (12, 'raise after')`;
  const rejected = (stage: string, message: string, code = 'GW400') =>
    ({ code, hint: 'CALLBACK_REJECTED', message, details: { stage, path: 'posts' } });
  t.same(await refusal(sql, `insert into posts (id, title) values (2, 'refuse')`), rejected('beforeSave', 'No refuse here.'));
  t.same(await refusal(sql, `update posts set title = 'refuse'`), rejected('beforeSave', 'No refuse here.'));
  t.same(await refusal(sql, `insert into posts (id, title) values (2, 'refuse after')`), rejected('afterSave', 'Too late.'));
  t.same(await refusal(sql, 'delete from posts where id = 10'), rejected('beforeDelete', 'The row may not be deleted.', 'GW403'));
  t.same(await refusal(sql, 'delete from posts where id = 11'), rejected('beforeDelete', 'Kept.'));
  t.same(await refusal(sql, 'delete from posts where id = 12'), rejected('afterDelete', 'Kept after all.'));
  t.match(await refusal(sql, `insert into posts (id, title) values (2, 'own code')`),
    { code: 'GW409', hint: 'MY_CODE', message: 'Taken.', details: { a: 1 } });
  t.match(await refusal(sql, `insert into posts (id, title) values (2, 'constraint')`), { code: '23505' });
  t.match(await refusal(sql, `insert into posts (id, title) values (2, 'serialization')`), { code: '40001' });
  t.match(await refusal(sql, `insert into posts (id, title) values (2, 'cancel')`), { code: '57014' });
  t.equal(await attempt(sql, 'anonymous', `insert into posts (id, title) values (2, 'refuse')`), 'GW400',
    'a caller without any right on the service\'s functions gets the same');
  t.equal(await attempt(sql, 'anonymous', `update posts set title = 'another key' where id = 1`), 'GW400');
  t.equal(await attempt(sql, 'anonymous', 'delete from posts where id = 10'), 'GW403');
  t.same((await sql`select id from posts order by 1`).map(row => row['id'] as number), [1, 10, 11, 12]);
  t.equal((await sql`select count(*)::int as n from app.log where new ->> 'id' = '2'`)[0]?.['n'], 0, 'what they wrote is gone too');
});

test('callbacks that call themselves end at 16 levels', async t => {
  const sql = await provisioned(t, {
    posts: { columns: { id: { type: 'integer' } }, callbacks: { afterSave: 'public.again' } },
  }, `create function again(op text, old jsonb, new jsonb) returns void language plpgsql as $$
    begin insert into public.posts values ((new ->> 'id')::int + 1); end $$`);
  const { details, ...rest } = await refusal(sql, 'insert into posts values (1)') as { details: { chain: string[]; depth: number } };
  t.same(rest, { code: 'GW500', hint: 'CALLBACK_RECURSION', message: 'Callbacks have written 17 levels deep.' });
  t.equal(details.depth, 17);
  t.same(details.chain, Array(17).fill('posts__after_save'));
  t.equal((await sql`select count(*)::int as n from posts`)[0]?.['n'], 0);
  await sql`create or replace function again(op text, old jsonb, new jsonb) returns void language plpgsql
    as $$ begin insert into public.posts select (new ->> 'id')::int + 1 where (new ->> 'id')::int < 16; end $$`;
  await sql`insert into posts values (1)`;
  t.equal((await sql`select count(*)::int as n from posts`)[0]?.['n'], 16);
});

test('a soft delete runs the delete stages instead of the save stages', async t => {
  const sql = await served(t, { softDelete: true });
  const ran = async (statement: string) => {
    await sql`truncate app.log`;
    await sql.unsafe(statement);
    return (await sql`select hook from app.log order by n`).map(row => row['hook'] as string);
  };
  t.same(await ran('update posts set deleted_at = now() where id = 1'), ['beforeDelete', 'afterDelete']);
  t.equal((await sql`select deleted_at is not null as stamped from posts`)[0]?.['stamped'], true);
  t.same(await ran(`update posts set title = 'in the bin'`), ['beforeSave', 'afterSave']);
  t.same(await ran('update posts set deleted_at = null'), ['beforeSave', 'afterSave']);
  t.same(await ran('delete from posts'), ['beforeDelete', 'afterDelete']);
  await sql`insert into posts (id, title) values (3, 'keep')`;
  t.match(await refusal(sql, 'update posts set deleted_at = now()'), { code: 'GW403', details: { stage: 'beforeDelete' } });
});

test('a missing or unfitting function is reported, and no write goes unchecked meanwhile', async t => {
  const declared = (beforeSave: string, more: Record<string, string> = {}): Record<string, Declared> =>
    ({ posts: { columns: { id: { type: 'integer' }, title: { type: 'text' } }, callbacks: { beforeSave, ...more } } });
  const sql = await provisioned(t, declared('app.check', { afterRead: 'shown', beforeDelete: 'app."Odd ""Name"""' }),
    'create schema app; create function app.check(new jsonb) returns jsonb language sql return new;');
  t.match(await plan(sql), [
    {
      kind: 'callback', target: 'app."Odd ""Name"""', verdict: 'report',
      remedy: 'create function app."Odd ""Name"""(old jsonb) returns boolean …',
    },
    {
      kind: 'callback', target: 'app."check"', verdict: 'report',
      remedy: 'create function app."check"(op text, old jsonb, new jsonb) returns jsonb …',
    },
    { kind: 'callback', target: 'public.shown', verdict: 'report', remedy: 'create function public.shown(row json) returns json …' },
  ]);
  t.match(await refusal(sql, 'insert into posts values (1)'), { code: '42883' });
  await sql.unsafe(`create function app.check(op text, old jsonb, new jsonb) returns text language sql return 'x';
    create function app."Odd ""Name"""(old jsonb) returns boolean language sql return false;
    create function shown(r json) returns json language sql return r;`).simple();
  t.match(await plan(sql), [{ target: 'app."check"', detail: 'The beforeSave callback of posts must return jsonb.' }]);
  await sql.unsafe(`drop function app.check(text, jsonb, jsonb); create function app.check(op text, old jsonb, new jsonb) returns jsonb
    language sql return '{"title": "checked"}'::jsonb; revoke all on function app.check(text, jsonb, jsonb) from public;`).simple();
  t.match((await provision(sql)).map(({ statement }) => statement),
    ['grant execute on function app."check"(text,jsonb,jsonb) to service_user']);
  t.same(await plan(sql), []);
  t.equal(await attempt(sql, 'admin', 'insert into posts values (1) returning 1 / (title = $$checked$$)::int'), 1);
});

test('changed, disabled and dropped callbacks', async t => {
  const sql = await served(t);
  t.match(await sql`select tgname as name from pg_trigger where tgrelid = 'posts'::regclass and not tgisinternal order by 1`,
    ['_100_before_delete', '_100_before_save', '_300_stamp', '_900_after_delete', '_900_after_save'].map(name => ({ name })));
  await sql`alter table posts disable trigger _900_after_save`;
  t.match(await plan(sql), [{ kind: 'trigger', target: 'public.posts._900_after_save', verdict: 'report', detail: /disabled/ }]);
  await sql`alter table posts enable trigger _900_after_save`;
  const columns = Object.fromEntries(Object.entries(posts.columns).filter(([name]) => name !== 'updatedAt'));
  await define(sql, { posts: { ...posts, columns, callbacks: { beforeSave: 'app.another' } } });
  await sql`create function app.another(op text, old jsonb, new jsonb) returns jsonb language sql return '{"note": "another"}'::jsonb`;
  const ran = (await provision(sql)).map(({ kind, target }) => `${kind} ${target}`);
  t.same(ran, [
    'function service_private.posts__before_save', 'trigger public.posts._100_before_delete', 'trigger public.posts._300_stamp',
    'trigger public.posts._900_after_delete', 'trigger public.posts._900_after_save',
  ]);
  t.match(await sql`update posts set title = 'x' returning note`, [{ note: 'another' }]);
  t.same((await provision(sql)), []);
});
