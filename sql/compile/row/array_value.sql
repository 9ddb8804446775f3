-- Arrays of types that JSON shows as they are need no work; others are rebuilt item by item. An array of arrays keeps
-- its form: its items are shown as PostgreSQL shows them in JSON.
create or replace function service_private.array_value(expression text, sql_type text) returns text
  language plpgsql stable as $$
begin
  return (
    select case when i.item in ('e', 'e::text') then array_value.expression
      else service_private.fill($sql$
          case
            when array_ndims(<list>) > 1 then to_json(<list>)
            when <list> is not null then to_json(array(select <item> from unnest(<list>) with ordinality u (e, n) order by n))
          end
        $sql$,
        'list', array_value.expression, 'item', i.item)
    end
    -- The type of an item is asked of the catalog, where a domain has its base type.
    from (select service_private.scalar_value('e', coalesce(
      (select service_private.sql_type(t.typelem) from pg_catalog.pg_type t where t.oid = to_regtype(array_value.sql_type)
        and t.typcategory = 'A'),
      rtrim(array_value.sql_type, '[]')))) i (item));
end $$;

comment on function service_private.array_value(text, text) is 'SQL text of an array column as it stands in JSON.';
