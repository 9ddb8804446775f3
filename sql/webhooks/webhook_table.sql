-- A text that is no name in SQL, such as order-items, stands for itself.
create or replace function service_private.webhook_table(name text) returns table (schema_name text, table_name text, relation regclass)
  language sql stable
begin atomic
  select n.schema_name, n.table_name, to_regclass(format('%I.%I', n.schema_name, n.table_name))
  from (select coalesce(service_private.name_parts(name), array[name])) p (parts)
  cross join lateral (
    select case cardinality(p.parts) when 2 then p.parts[1] else 'public' end as schema_name,
      p.parts[cardinality(p.parts)] as table_name) n;
end;

comment on function service_private.webhook_table(text) is
  'The table that a webhook names, without a schema in public. relation: null where there is none.';
