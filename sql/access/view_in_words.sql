create or replace function service_private.view_in_words(relation oid) returns text
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  select case
    when service_private.runs_as_caller(c.reloptions)
      then format('a view: it reads %s as the caller, whose policies there decide, or its query leaves the row out', t.names)
    else format('a view: it reads %s as its owner, and its query leaves the row out for this caller', t.names) end
  from pg_class c
  cross join lateral (
    select string_agg(distinct d.refobjid::regclass::text, ', ')
    from pg_rewrite r
    join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = r.oid and d.refclassid = 'pg_class'::regclass
    where r.ev_class = c.oid and d.refobjid <> c.oid) t (names)
  where c.oid = view_in_words.relation and c.relkind = 'v';
end;

comment on function service_private.view_in_words(oid) is
  'Why a view may leave out a row for a caller: it has no policies of its own. Null for a table.';
