// In production a client learns nothing of what PostgreSQL says, nor of tables that are not served. The log says it all.
import { pino } from 'pino';
import { test } from 'tap';
import { createDatabase } from '../harness/database.ts';
import { some } from '../harness/effort.ts';
import { openService } from '../harness/service.ts';

/** The name is secret: it is part of each name that an error could reveal. */
const SECRET = 'cabinet';

const TABLES = `
  create schema ${SECRET}_schema;
  create domain ${SECRET}_code as text constraint ${SECRET}_short check (length(value) < 5);
  create type ${SECRET}_kind as enum ('a', 'b');
  create table note (
    id int primary key, text text, code ${SECRET}_code, kind ${SECRET}_kind, number numeric(4, 1), big double precision, small smallint,
    data jsonb, day date, span int4range, constraint ${SECRET}_positive check (number > 0), constraint ${SECRET}_one unique (text),
    constraint ${SECRET}_apart exclude using gist (span with &&), share int generated always as (100 / small) stored
  );
  insert into note (id, text, number, big, data) values (1, 'abc', 1, 1e308, '{"a": 1}'), (2, 'b &', 2, 1e308, '{}');
  create table ${SECRET} (id int primary key, note_id int not null references note,
    word text constraint ${SECRET}_word check (word <> 'no'));
  insert into ${SECRET} values (1, 1, 'yes');
  create table part (id int primary key) partition by range (id);
  create table ${SECRET}_part partition of part for values from (0) to (10);
  create function ${SECRET}_count() returns bigint language sql stable as 'select count(*) from ${SECRET}';
  create function ${SECRET}_closed() returns int language sql as 'select 1';
  revoke execute on function ${SECRET}_closed() from public;
  create function ${SECRET}_gone() returns int language plpgsql as $$ begin return (select 1 from ${SECRET}_that_is_gone); end $$;
  create function ${SECRET}_written() returns int language plpgsql as $$ begin insert into ${SECRET} values (9, 1, 'x'); return 1; end $$;
  create function ${SECRET}_deep(n int) returns int language plpgsql as $$ begin return ${SECRET}_deep(n + 1); end $$;
  create function ${SECRET}_raised(state text) returns int language plpgsql as $$
    begin raise exception 'about the ${SECRET}' using errcode = state, detail = 'in the ${SECRET}', hint = 'ask the ${SECRET}'; end $$;
  create function ${SECRET}_locked() returns int language plpgsql security definer set lock_timeout = '20ms' as $$
    begin lock table ${SECRET} in access exclusive mode; return 1; end $$;
  create function ${SECRET}_none() returns int language plpgsql as $$ declare n int; begin select 1 into strict n where false;
  return n; end $$;
  create function ${SECRET}_assert() returns int language plpgsql as $$ begin assert false, 'the ${SECRET} is open'; return 1; end $$;`;

/** Errors in a policy, and in a view, while they are read. */
const FAILING = {
  division: '1 / (id - id)', cast: 'text::int', number: '(text || 1)::numeric', date: 'length(text::date::text)',
  regex: `regexp_count(text, '(${SECRET}' || text)`, jsonpath: `jsonb_path_exists(data, ('$.${SECRET}..' || text)::jsonpath)::int`,
  tsquery: `(to_tsvector(text) @@ to_tsquery('${SECRET} ' || text))::int`, strict: `jsonb_path_exists(data, 'strict $.${SECRET}')::int`,
  overflow: '((id + 1) * 2147483647)', array: `(array[1])[text::int]`, json: `('{' || text)::jsonb::text::int`, denied: `${SECRET}_count()`,
  function: `${SECRET}_closed()`, gone: `${SECRET}_gone()`, written: `${SECRET}_written()`, deep: `${SECRET}_deep(1)`,
  none: `${SECRET}_none()`, assert: `${SECRET}_assert()`, many: `(select id from generate_series(1, 2) id)`,
  schema: `('${SECRET}_nowhere' || text)::regclass::oid`, enum: `length(('${SECRET}' || text)::${SECRET}_kind::text)`,
  domain: `length(('long ' || text)::${SECRET}_code)`, locked: `${SECRET}_locked()`,
  setting: `current_setting('${SECRET}.nothing')::int`,
  ...Object.fromEntries(['22012', '23505', '40001', '42501', '42P01', '57014', 'P0002', 'XX000', 'ZZ001'].map(
    state => [`raised_${state.toLowerCase()}`, `${SECRET}_raised('${state}')`])),
};
const POLICIES = Object.entries(FAILING).map(([name, sql]) => `
  create table p_${name} (id int primary key, text text, data jsonb);
  insert into p_${name} values (1, 'abc', '{}');
  alter table p_${name} enable row level security;
  create policy reads on p_${name} for select using ((${sql}) is not null);
  create policy writes on p_${name} for insert with check (true);
  create view v_${name} with (security_invoker = on) as select id, (${sql}) is null as found from note;
  comment on view v_${name} is '@key id';
  create table t_${name} (id int primary key, text text, data jsonb);
  alter table t_${name} enable row level security;
  create policy everyone on t_${name} using (true);
  create function t_${name}() returns trigger language plpgsql as $$ begin
    perform (${sql}) from (select new.id, coalesce(new.text, 'abc') as text, '{}'::jsonb as data) n; return new; end $$;
  create trigger stumbles before insert on t_${name} for each row execute function t_${name}();`).join('\n');
const RULES = `
  alter table note enable row level security; create policy everyone on note using (true);
  alter table part enable row level security; create policy everyone on part using (true);
  create table chain (id int primary key, word text);
  alter table chain enable row level security; create policy everyone on chain using (true);
  create function chained() returns trigger language plpgsql security definer as $$
    begin insert into ${SECRET} values (2, new.id, new.word); return new; end $$;
  create trigger chained after insert on chain for each row execute function chained();
  create table loop (id int primary key);
  create table ${SECRET}_loop (id int primary key);
  alter table loop enable row level security; alter table ${SECRET}_loop enable row level security;
  grant select on ${SECRET}_loop to public;
  create policy round on loop using (exists (select from ${SECRET}_loop));
  create policy round on ${SECRET}_loop using (exists (select from loop));`;

type Asked = [method: string, path: string, body?: object];
const names = Object.keys(FAILING);
const ASKED: Asked[] = [
  ...names.flatMap((name): Asked[] => [
    ['GET', `p_${name}`], ['GET', `p_${name}/1`], ['GET', `v_${name}`], ['GET', `v_${name}/1`],
    ['GET', `v_${name}/aggregate?select=count(found)`],
    ['POST', `t_${name}`, { id: 1, text: 'abc' }],
  ]),
  ['GET', 'note/aggregate?select=sum(big)'], ['GET', 'loop'], ['GET', 'note?number=x'], ['GET', 'note?kind=x'], ['GET', 'note?day=x'],
  ['GET', 'note/x'], ['GET', 'note?small=99999'],
  ['POST', 'note', { id: 1 }], ['POST', 'note', { id: 3, text: 'abc' }], ['POST', 'note', { id: 3, number: -1 }],
  ['POST', 'note', { id: 3, number: 12345 }], ['POST', 'note', { id: 3, code: 'toolong' }], ['POST', 'note', { id: 3, kind: 'x' }],
  ['POST', 'note', { id: 3, day: 'x' }], ['POST', 'note', { id: 3, small: 0 }], ['POST', 'note', { id: 3, small: 99999 }],
  ['POST', 'note', { id: 3, span: '[1,' }], ['POST', 'note', { text: 'x' }],
  ['POST', 'note', { id: 4, text: Array.from({ length: 9_000 }, (_, i) => String.fromCodePoint(0x4e00 + i * 7919 % 20_000)).join('') }],
  ['DELETE', 'note/1'], ['PATCH', 'note/1', { id: 5 }], ['PATCH', 'note/2', { text: 'abc' }],
  ['POST', 'part', { id: 99 }], ['POST', 'chain', { id: 1, word: 'no' }], ['POST', 'chain', { id: 99, word: 'x' }],
];

type Line = { requestId?: string; err?: { message: string; detail?: string; hint?: string } };

const productionOf = (url: string) =>
  ({ NODE_ENV: 'production', DATABASE_URL: url, CORS_ORIGINS: 'https://app.example.com', SERVICE_HOST: '127.0.0.1' });

test('nothing that PostgreSQL says, and no name that is not served, is in an answer of production', async t => {
  const { url, sql } = await createDatabase(t, { template: 'served' });
  await sql.unsafe(TABLES + POLICIES + RULES).simple();
  const lines = new Map<string, Line>();
  const log = pino({ level: 'debug' },
    { write: text => { const line = JSON.parse(text) as Line; if (line.requestId) lines.set(line.requestId, line); } });
  const service = await openService(url, productionOf(url), url, log);
  t.teardown(service.close);
  await sql.begin(async transaction => {
    await transaction`lock table ${transaction(SECRET)} in row share mode`;
    for (const [method, path, body] of some(ASKED)) {
      const title = `${method} ${path} ${JSON.stringify(body ?? '').slice(0, 80)}`;
      const answer = await service.request(`/data/${path}`, { method, ...(body && { body: JSON.stringify(body) }) });
      t.ok(answer.status >= 400, title);
      t.notMatch(answer.text, new RegExp(SECRET), title);
      const { requestId, details } = answer.body.error;
      const { message = '', detail = message, hint = message } = lines.get(requestId)?.err ?? {};
      t.equal(message !== '', details?.dbCode !== undefined, `the log has what PostgreSQL said: ${title}`);
      for (const words of message === '' ? [] : [message, detail, hint]) t.notOk(answer.text.includes(words), title);
    }
  });
});

test('but messages of the project\'s SQL are passed on', async t => {
  const { url, sql } = await createDatabase(t, { template: 'served' });
  await sql.unsafe(`create function told() returns int language plpgsql as $$ begin raise exception 'Not on Sundays.'
    using detail = '${SECRET}', hint = '${SECRET}'; end $$;
    create table note (id int primary key); insert into note values (1); alter table note enable row level security;
    create policy sundays on note using (told() = 1)`).simple();
  const service = await openService(url, productionOf(url));
  t.teardown(service.close);
  for (const answer of [await service.request('/data/note'), await service.request('/data/note', { method: 'POST', body: '{"id":2}' })]) {
    t.match(answer, { status: 400, body: { error: { code: 'CALLBACK_REJECTED', message: 'Not on Sundays.' } } });
    t.notMatch(answer.text, new RegExp(SECRET));
  }
});
