-- Objects of a stranger's schema: each is legal in PostgreSQL, and some cannot be read.

-- Views over views, each a level deeper.
create table chain0 (id integer primary key, name text not null);
insert into chain0 select n, 'row ' || n from generate_series(1, 3) n;
do $$ begin
  for n in 1..1000 loop
    execute format('create view chain%s with (security_invoker = on) as select * from chain%s', n, n - 1);
  end loop;
end $$;

-- Views that read themselves and each other, whose keys are said or not.
create view self_reading with (security_invoker = on) as select 1 as id;
create or replace view self_reading with (security_invoker = on) as table self_reading;
create view self_reading_said with (security_invoker = on) as select 1 as id;
create or replace view self_reading_said with (security_invoker = on) as table self_reading_said;
comment on view self_reading_said is '@key id';
create view one_of_two with (security_invoker = on) as select 1 as id;
create view two_of_two with (security_invoker = on) as select id from one_of_two;
create or replace view one_of_two with (security_invoker = on) as select id from two_of_two;
create view over_the_two with (security_invoker = on) as select o.id from chain0 c join one_of_two o on o.id = c.id;
create view asks_itself with (security_invoker = on) as select id from chain0;
create or replace view asks_itself with (security_invoker = on) as
  select id from chain0 c where exists (select from asks_itself a where a.id = c.id);

-- A view whose function was dropped behind its back, with a successor of the same name; and one that calls it by name.
create function shown() returns integer language sql immutable as 'select 1';
create view over_dropped with (security_invoker = on) as select id, shown() as shown from chain0;
create view over_dropped_said with (security_invoker = on) as select id + shown() as id from chain0;
comment on view over_dropped_said is '@key id';
create function named() returns setof integer language plpgsql as 'begin return query select shown(); end';
create view over_named with (security_invoker = on) as select n as id from named() n;
comment on view over_named is '@key id';
set allow_system_table_mods = on;
delete from pg_depend where refclassid = 'pg_proc'::regclass and refobjid = 'shown()'::regprocedure;
reset allow_system_table_mods;
drop function shown();
create function shown() returns text language sql immutable as $$select 'other'$$;

-- Rules that do nothing or call themselves.
create table ruled (id integer primary key);
insert into ruled values (1);
create rule nothing as on delete to ruled do instead nothing;
create rule again as on update to ruled do also update ruled set id = new.id;
create view ruled_view with (security_invoker = on) as select id from ruled;
create rule again as on insert to ruled_view do instead insert into ruled_view values (new.id);

-- Policies that read their own table, each other's, or what the dropped function was.
create table asks_own (id integer primary key);
alter table asks_own enable row level security;
create policy own on asks_own using (exists (select from asks_own));
create table asks_other (id integer primary key);
create table asked_back (id integer primary key);
alter table asks_other enable row level security;
alter table asked_back enable row level security;
create policy other on asks_other using (exists (select from asked_back));
create policy back on asked_back using (exists (select from asks_other));

-- Types over types.
create type mood as enum ('so so', 'it''s "fine"', E'line\nbreak');
create domain good_mood as mood check (value <> 'so so');
create domain best_mood as good_mood not null default 'it''s "fine"';
create table moods (id integer primary key, plain mood, good good_mood, best best_mood, many mood[]);
insert into moods values (1, 'so so', E'line\nbreak', default, array['so so', 'it''s "fine"']::mood[]);
create table rows_in_rows (id integer primary key, "row" moods, many chain0[]);
insert into rows_in_rows select 1, m, array(select c from chain0 c) from moods m;

-- Names of 63 bytes.
do $$
declare
  odd constant text := E'"quote''s" \n\\ %I $1 ' || repeat('é', 22);
begin
  execute format('create table %I (%I integer primary key, %I text); insert into %1$I values (1, %4$L)',
    odd, left(odd, -2) || 'id', left(odd, -2) || 'no', E'\n');
  execute format('comment on table %I is %L', odd, '@key ' || E'"not" there\n"');
  execute format('comment on table %I is null', odd);
  execute format('create view %I with (security_invoker = on) as select * from %I', left(odd, -2) || 'vw', odd);
end $$;

-- Inheritance, with two parents and a grandchild; partitions of partitions.
create table animals (id integer primary key, name text);
create table pets (id integer primary key, owner text);
create table cats (primary key (id)) inherits (animals, pets);
create table kittens (weeks integer, primary key (id)) inherits (cats);
insert into kittens values (1, 'Tom', 'Ann', 3);
create table measured (year integer, month integer, day integer, value numeric, primary key (year, month, day))
  partition by list (year);
create table measured_2026 partition of measured for values in (2026) partition by list (month);
create table measured_2026_01 partition of measured_2026 for values in (1) partition by range (day);
create table measured_2026_01_early partition of measured_2026_01 for values from (1) to (16);
create table measured_2026_01_late partition of measured_2026_01 for values from (16) to (32);
create table measured_none partition of measured default;
insert into measured values (2026, 1, 2, 1.50), (2026, 1, 31, 2), (1999, 12, 31, 3);

-- Tables with generated columns, without columns, with all that PostgreSQL allows.
create table generated (
  id integer generated always as identity primary key, name text, length integer generated always as (length(name)) stored
);
insert into generated (name) values ('four');
create table bare ();
insert into bare default values;
do $$ begin
  execute 'create table wide (id integer primary key, '
    || (select string_agg(format('column_%s smallint', n), ', ') from generate_series(2, 1600) n) || ')';
  execute 'insert into wide (id, column_1600) values (1, 7)';
end $$;

-- Foreign keys in a circle, to themselves, and in a long row.
create table ring_a (id integer primary key, b_id integer);
create table ring_b (id integer primary key, a_id integer references ring_a);
alter table ring_a add foreign key (b_id) references ring_b;
create table person (id integer primary key, parent_id integer references person, friend_id integer references person);
insert into person values (1, null, 1), (2, 1, 1);
do $$ begin
  create table link0 (id integer primary key);
  for n in 1..100 loop
    execute format('create table link%s (id integer primary key references link%s)', n, n - 1);
  end loop;
end $$;

-- Relations without rows of their own, or with rows elsewhere.
create materialized view unfilled as select id from chain0 with no data;
create foreign data wrapper nowhere;
create server elsewhere foreign data wrapper nowhere;
create foreign table abroad (id integer) server elsewhere;
comment on foreign table abroad is '@key id';
comment on table ring_b is E'@key id, id';
comment on table ruled is E'@key\n';
