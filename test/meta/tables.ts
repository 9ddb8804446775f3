/** One column of each type that a column may have, with a row of values and a row without any. */
export const everyType = `
  create type mood as enum ('calm', 'it''s "loud"');
  create domain percent as integer check (value between 0 and 100);
  create table every_type (
    id uuid primary key default gen_random_uuid(),
    a_text text, a_varchar varchar(10), a_char char(3), an_interval interval, an_inet inet, a_mood mood,
    a_small smallint, an_int integer, a_big bigint, a_numeric numeric(12, 2), a_real real,
    a_double double precision, a_money money, a_percent percent,
    a_boolean boolean, a_date date, a_time time, a_timestamp timestamp, a_timestamptz timestamptz,
    a_json json, a_jsonb jsonb, a_bytea bytea,
    texts text[], ints integer[], booleans boolean[], moods mood[], days date[], moments timestamptz[],
    numerics numeric[], jsons jsonb[], blobs bytea[],
    computed integer generated always as (1) stored
  );
  insert into every_type (a_text, a_varchar, a_char, an_interval, an_inet, a_mood, a_small,
    an_int, a_big, a_numeric, a_real, a_double, a_money, a_percent,
    a_boolean, a_date, a_time, a_timestamp, a_timestamptz, a_json, a_jsonb, a_bytea, texts,
    ints, booleans, moods, days, moments, numerics, jsons, blobs)
  values ('a', 'b', 'c', '1 day', '::1', 'calm', 1, 2, 9007199254740993, 1.50, 1.5, 2.5, 3, 4,
    true, '2026-01-15', '10:30', '2026-01-15 10:30', '2026-01-15 10:30+02', '[1]', '"a"', '\\x00ff',
    '{a}', '{1}', '{true}', '{calm}', '{2026-01-15}', '{2026-01-15 10:30+02}', '{1.5}', '{"{}"}', '{"\\\\x00"}');
  insert into every_type default values;
  alter table every_type enable row level security;
  create policy everybody on every_type using (true);

  create table pairs ("left" integer, "right" text, note text, primary key ("left", "right"));
  insert into pairs values (1, 'a/b', 'x');
  comment on table pairs is 'Two of a kind.';
  alter table pairs enable row level security;
  create policy everybody on pairs using (true);

  create view calm_types with (security_invoker = on) as select id, a_text from every_type where a_mood = 'calm';
  comment on view calm_types is e'Only the calm ones.\\n@key id';`;

/** Vectors, where the server has pgvector. */
export const vectors = `
  do $$ begin
    if exists (select from pg_available_extensions where name = 'vector') then
      create extension vector;
      create table doc (id int primary key, near vector(2));
      insert into doc values (1, '[1,0]'), (2, '[0,1]'), (3, null);
      alter table doc enable row level security;
      create policy everybody on doc using (true);
    end if;
  end $$`;
