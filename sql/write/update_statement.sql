-- An empty update still touches the row, so that triggers that stamp it run.
create or replace function service.update_statement(served service.collections, payload jsonb, key text) returns text
  language sql stable
begin atomic
  select format('update %1$I.%2$I t set %3$s from jsonb_populate_record(null::%1$I.%2$I, $1) r where %4$s', served.schema_name, served.table_name,
    coalesce(
      (select string_agg(format('%1$I = r.%1$I', k), ', ' order by k) from jsonb_object_keys(payload) k),
      (select format('%1$I = t.%1$I', p.column_name) from service.properties p where p.collection = served.slug and not p.generated order by p.position limit 1)),
    key);
end;

comment on function service.update_statement(service.collections, jsonb, text) is 'SQL text that writes the columns of a payload ($1) into the row with an id ($2).';

revoke all on function service.update_statement(service.collections, jsonb, text) from public;
