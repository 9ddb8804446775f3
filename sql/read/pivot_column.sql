create or replace function service.pivot_column(relation service.relations, prefix text) returns text
  language sql stable
begin atomic
  select coalesce(', json_build_object(' || string_agg(format('%L, %s', p.name, service.column_value(format('t.%I', p.alias), p.sql_type)), ', ' order by p.n) || ') as "_pivot"', '')
  from service.pivot_columns(relation, prefix) p;
end;

comment on function service.pivot_column(service.relations, text) is
  'SQL text of the column _pivot, beginning with a comma: what the junction says of a link (alias t, under the names of service.pivot_columns); blank when it has no columns of its own.';

revoke all on function service.pivot_column(service.relations, text) from public;
