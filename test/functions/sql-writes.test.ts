import { test } from 'tap';
import { tokenFor } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { call, serviceWith } from './library.ts';

const WRITES = `
  create table public.calls (n integer generated always as identity primary key, who text);
  grant select, insert on public.calls to service_user;
  create policy own on calls using (who = (select service.uid())) with check (who = (select service.uid()) or who = 'x');
  create function app.add_author(name text, books integer default 0) returns setof public.authors language plpgsql volatile as $$
    declare made integer := (select max(id) + 1 from public.authors);
    begin
      insert into public.calls (who) values ('x');
      insert into public.authors values (made, add_author.name);
      insert into public.books (title, author_id, owner_uid) select 'new', made, service.uid() from generate_series(1, add_author.books);
      return query select * from public.authors where id = made;
    end $$;
  comment on function app.add_author is '@endpoint';
  create function app.count_calls() returns table (n bigint) language plpgsql volatile as $$
    begin insert into public.calls (who) values ('x'); return query select g::bigint from generate_series(1, 3) g; end $$;
  comment on function app.count_calls is '@endpoint'`;

test('a volatile function is called once, whatever the query asks of its rows', async t => {
  const service = await serviceWith(t, WRITES);
  const { request, sql } = service;
  const calls = async () => Number((await sql<{ count: string }[]>`select count(*) from calls`)[0]?.count);
  for (const query of ['', 'limit=1', 'n=99', 'deleted=only', 'orderBy=n:desc&limit=2', 'limit=1&offset=1', 'or=(n.eq.1,n.eq.2)',
    'n=in.(77)']) {
    const before = await calls();
    const { status, text } = await request(`/functions/count_calls?${query}`, { method: 'POST', headers: { prefer: 'count=exact' } });
    t.equal(status, 200, text);
    t.equal(await calls(), before + 1, query);
  }
  for (const query of ['', 'include=books', 'deleted=only', 'id=0',
    'where={"name":["ilike","%25n%25"]}&limit=1&include={"books":{"limit":1}}', 'books.title=new']) {
    const before = await calls();
    const { status, text } = await request(`/functions/add_author?${query}`, { method: 'POST', body: '{"name":"New","books":2}' });
    t.equal(status, 200, text);
    t.equal(await calls(), before + 1, query);
  }
});

test('rows that a function has written are seen by an include', async t => {
  const service = await serviceWith(t, WRITES);
  const as = await tokenFor('u9');
  const { body } = await service.request('/functions/add_author?include=books', { method: 'POST', body: '{"name":"New","books":2}', as });
  t.match(body.data, [{ name: 'New', books: [{ title: 'new' }, { title: 'new' }] }]);
  t.equal(body.meta.total, 1);
  const found = await call(service, 'add_author?fields=name', { name: 'a "quoted", {brace} \\ and \n line' }, as);
  t.equal(found.body.data[0].name, 'a "quoted", {brace} \\ and \n line');
});

test('what goes wrong in a function is answered as of a write', async t => {
  const service = await serviceWith(t, `
    create function app.raises() returns void language plpgsql as $$ begin raise 'Sold out.'; end $$;
    create function app.refuses() returns void language plpgsql as
      $$ begin perform service.fail(409, 'CONFLICT', 'None left.', '{"left": 0}'); end $$;
    create function app.divides() returns integer language plpgsql as 'begin return 1 / 0; end';
    create function app.doubles() returns void language plpgsql as 'begin insert into public.authors values (1, $$x$$); end';
    create function app.intrudes() returns void language plpgsql as
      $$ begin insert into public.books (title, owner_uid) values ('x', 'another'); end $$;
    create function app.writes() returns void language plpgsql stable as $$ begin insert into public.authors values (9, 'x'); end $$;
    create function app.writes_deeply() returns void language plpgsql stable as $$ begin perform app.doubles_deeply(); end $$;
    create function app.doubles_deeply() returns void
      language plpgsql volatile as $$ begin insert into public.authors values (9, 'x'); end $$;
    create function app.becomes() returns text language plpgsql volatile as $$ begin set role none; return current_user; end $$;
    create function app.becomes_locally() returns text language plpgsql volatile as $$ begin set local role none; return 'x'; end $$;
    create function app.moves() returns text language plpgsql stable as
      $$ begin perform set_config('search_path', 'app', false); return 'x'; end $$;
    create function app.reads_secrets() returns bigint language sql stable as 'select count(*) from service.users';
    create function app.million() returns table (n integer) language sql stable as 'select generate_series(1, 1000000)';
    create function app.large() returns text language sql stable as $$ select repeat('x', 70000000) $$;
    create function app.good() returns text
      language sql stable as $$ select service.uid() || current_user || current_setting('search_path') $$;
    do $do$ declare f regprocedure; begin
      for f in select oid from pg_proc where pronamespace = 'app'::regnamespace
      loop execute format('comment on function %s is ''@endpoint''', f); end loop;
    end $do$`);
  const as = await tokenFor('u1');
  const good = (await call(service, 'good', {}, as)).text;
  const refused = async (name: string, ...expected: unknown[]) => {
    const { status, body, text } = await call(service, name, {}, as);
    t.match([status, body?.error?.code, body?.error?.message, body?.error?.details], expected, `${name}: ${text.slice(0, 300)}`);
    t.equal((await call(service, 'good', {}, as)).text, good, `after ${name}`);
  };
  await refused('raises', 400, 'BAD_REQUEST', 'Sold out.');
  await refused('refuses', 409, 'CONFLICT', 'None left.', { left: 0 });
  await refused('divides', 400, 'PG_22012');
  await refused('doubles', 409, 'PG_23505');
  await refused('intrudes', 403, 'WRITE_DENIED');
  await refused('writes', 409, 'READ_ONLY_TRANSACTION');
  await refused('writes_deeply', 409, 'READ_ONLY_TRANSACTION');
  await refused('becomes', 500, 'INTERNAL_ERROR');
  await refused('becomes_locally', 500, 'INTERNAL_ERROR');
  await refused('moves', 500, 'INTERNAL_ERROR');
  await refused('reads_secrets', 500, 'DB_PERMISSION_DENIED');
  await refused('large', 413, 'PAYLOAD_TOO_LARGE');
  const { body } = await service.request('/functions/million?limit=2&offset=999998', { as });
  t.match(body, { data: [{ n: 999999 }, { n: 1000000 }], meta: { total: 1000000 } });
  const [{ count } = { count: '' }] = await service.sql<{ count: string }[]>`select count(*) from authors where id = 9`;
  t.equal(count, '0', 'nothing was written');
});

test('a function that takes too long is ended, and has written nothing', async t => {
  const service = await serviceWith(t, `
    create function app.sleeps() returns text language plpgsql stable as $$ begin perform pg_sleep(20); return 'x'; end $$;
    create function app.sleeps_and_writes() returns void language plpgsql volatile as
      $$ begin insert into public.authors values (77, 'x'); perform pg_sleep(20); end $$;
    comment on function app.sleeps is '@endpoint';
    comment on function app.sleeps_and_writes is '@endpoint'`, { SERVICE_FUNCTIONS_TIMEOUT_MS: '500' });
  for (const name of ['sleeps', 'sleeps_and_writes']) {
    const { status, body } = await call(service, name, {});
    t.same([status, body.error.code], [504, 'FUNCTION_TIMEOUT'], name);
  }
  await until('no statement goes on', async () => (await service.sql`
    select from pg_stat_activity where query like '%sleeps%' and state = 'active' and pid <> pg_backend_pid()`).length === 0);
  t.equal((await service.sql`select from authors where id = 77`).length, 0);
});

test('calls of a volatile function that collide are tried again', async t => {
  const service = await serviceWith(t, `
    create table public.counters (id integer primary key, n integer not null);
    insert into counters values (1, 0), (2, 0);
    grant select, update on counters to service_user;
    create function app.swap(one integer, other integer) returns void language plpgsql volatile as $$ begin
      update public.counters set n = n + 1 where id = one; perform pg_sleep(0.02); update public.counters set n = n + 1 where id =
        other; end $$;
    comment on function app.swap is '@endpoint'`);
  const answers = await Promise.all(Array.from({ length: 8 }, (_, i) =>
    call(service, 'swap', i % 2 === 0 ? { one: 1, other: 2 } : { one: 2, other: 1 })));
  const done = answers.filter(({ status }) => status === 204).length;
  t.same(answers.map(({ status }) => status).filter(status => status !== 204 && status !== 409 && status !== 503), []);
  t.same(await service.sql`select n from counters order by id`, [{ n: done }, { n: done }]);
});
