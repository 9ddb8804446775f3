-- Comparing column by column in one expression takes 6 microseconds for 11 columns, where a query over jsonb_each takes 12 to 30.
create or replace function service_private.difference(served service.collections, was text, became text) returns text
  language sql stable
begin atomic
  select format(E'%s - array[\n  %s]', was, string_agg(
    format('case when %1$s -> %3$L is not distinct from %2$s -> %3$L then %3$L end', was, became, p.column_name), E',\n  '
    order by p.position, p.name))
  from service_private.history_columns(served) p;
end;

comment on function service_private.difference(service.collections, text, text) is
  'SQL text of those columns of a service_private.snapshot (was) that another one of the row (became) has otherwise, jsonb.';
