-- jsonb_populate_record reads each value as its column's type, digits and all.
create or replace function service.insert_statement(served service.collections, payload jsonb, returns_key boolean) returns text
  language sql stable
begin atomic
  select format('insert into %1$I.%2$I %3$s%4$s', served.schema_name, served.table_name,
    coalesce(
      (select format('(%s) select %s from jsonb_populate_record(null::%I.%I, $1) r',
          string_agg(quote_ident(k), ', ' order by k), string_agg('r.' || quote_ident(k), ', ' order by k), served.schema_name, served.table_name)
        from jsonb_object_keys(payload) k having count(*) > 0),
      'default values'),
    case when returns_key then ' returning ' || (
      select string_agg(format('%I::text', p.column_name), ' || '':::'' || ' order by k.n)
      from unnest(served.key) with ordinality k (name, n) join service.properties p on p.collection = served.slug and p.name = k.name) else '' end);
end;

comment on function service.insert_statement(service.collections, jsonb, boolean) is
  'SQL text that inserts the columns of a payload ($1), and returns the new key as text when asked.';

revoke all on function service.insert_statement(service.collections, jsonb, boolean) from public;
