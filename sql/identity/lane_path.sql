-- For code of the project: the bodies of triggers, and of functions that policies call, find their own tables by it.
-- Names in our statements are qualified. pg_catalog comes first by itself, and a schema with a caller's name would be
-- theirs.
create or replace function service_private.lane_path(schema text) returns text
  language sql stable set search_path = pg_catalog, pg_temp set jit = off
begin atomic
  select string_agg(p.name, ', ' order by p.n)
  from (
    select e.name, min(e.n) as n
    from (
      select quote_ident(schema) as name, 0 as n
      union all
      select i.name, i.n
      from regexp_split_to_table(coalesce((
        select substr(c, length('search_path=') + 1)
        from pg_db_role_setting s
        join pg_database d on d.oid = s.setdatabase and d.datname = current_database()
        cross join unnest(s.setconfig) c
        where s.setrole = 0 and starts_with(c, 'search_path=')), 'public'), ' *, *') with ordinality i (name, n)
    ) e
    where e.name not in ('"$user"', '""')
    group by e.name
  ) p;
end;

comment on function service_private.lane_path(text) is
  'The search_path of requests: the served schema, then what the database says (alter database … set search_path), else public.';
