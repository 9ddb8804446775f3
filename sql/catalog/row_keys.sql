-- The key of a view follows from the keys of what it reads, so those come first: depth first, over a stack of its own and not by calls,
-- because 1,000 views over each other would exceed the stack of the server. A view that reads itself, directly or through others, is
-- met while it is open, and then has no key.
create or replace function service_private.row_keys(relations oid[]) returns table (relation oid, key smallint[], problem text)
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
  beneath jsonb;
  known jsonb;
  problems jsonb := '{}';
  open text[];
  viewed text;
begin
  -- beneath: of each view without a key in its comment the relations that it reads. known: an array of attribute numbers, false
  -- where there is no key, null while the view is open.
  with recursive step (view, reads) as materialized (
    select distinct w.ev_class, d.refobjid
    from pg_rewrite w
    join pg_class v on v.oid = w.ev_class and v.relkind = 'v'
    join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = w.oid and d.refclassid = 'pg_class'::regclass
    where w.ev_type = '1' and d.refobjid <> w.ev_class
  ), reached (relation) as (
    select r from unnest(row_keys.relations) r
    union
    select s.reads from reached r join step s on s.view = r.relation
  ), commented as materialized (
    select r.relation, coalesce(d.description ~ '@key [^\n]', false) as is_so, c.relkind = 'v' as is_view
    from reached r
    join pg_class c on c.oid = r.relation
    left join pg_description d on d.classoid = 'pg_class'::regclass and d.objoid = r.relation and d.objsubid = 0
  )
  select
    (select coalesce(jsonb_object_agg(c.relation, coalesce(s.reads, '[]')), '{}')
      from commented c
      left join (select s.view, jsonb_agg(s.reads) from step s group by s.view) s (view, reads) on s.view = c.relation
      where c.is_view and not c.is_so),
    (select coalesce(jsonb_object_agg(c.relation, coalesce(to_jsonb(
        case when c.is_so then service_private.commented_key(c.relation) else k.key end), 'false')), '{}')
      from commented c
      left join service_private.table_keys(array(select c.relation from commented c where not c.is_view)) k on k.relation = c.relation
      where c.is_so or not c.is_view)
  into beneath, known;
  open := array(select jsonb_object_keys(beneath));
  while open <> '{}' loop
    viewed := open[cardinality(open)];
    if not known ? viewed then
      known := known || jsonb_build_object(viewed, null);
      open := open || array(select r from jsonb_array_elements_text(beneath -> viewed) r where beneath ? r and not known ? r);
      continue;
    end if;
    open := trim_array(open, 1);
    if known -> viewed = 'null' then
      begin
        known := known || jsonb_build_object(viewed, coalesce(to_jsonb(service_private.view_key(viewed::oid, (
          select jsonb_object_agg(r, known -> r) from jsonb_array_elements_text(beneath -> viewed) r))), 'false'));
      exception when others then
        known := known || jsonb_build_object(viewed, false);
        problems := problems || jsonb_build_object(viewed, sqlerrm);
      end;
    end if;
  end loop;
  return query
    select r, case jsonb_typeof(known -> r::text) when 'array' then array(
        select k.attnum::smallint from jsonb_array_elements_text(known -> r::text) with ordinality k (attnum, n) order by k.n) end,
      problems ->> r::text
    from unnest(row_keys.relations) r;
end $$;

comment on function service_private.row_keys(oid[]) is
  'The columns that tell the rows of each of these tables and views apart, as attribute numbers: those that its comment names, else '
  'those that are proved to; null when neither is so. problem: the error that ended the look at a view.';
