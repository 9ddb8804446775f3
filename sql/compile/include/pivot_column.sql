create or replace function service.pivot_column(relation service.relations, prefix text) returns text
  language sql stable
begin atomic
  select coalesce(', (select to_json(l) from (select ' || string_agg(format('%s as %I', service.column_value(format('t.%I', p.alias), p.sql_type), p.name), ', ' order by p.n) || ') l) as "_pivot"', '')
  from service.pivot_columns(relation, prefix) p;
end;

comment on function service.pivot_column(service.relations, text) is
  'SQL text of the column _pivot, beginning with a comma: what the junction says of a link (alias t, under the names of service.pivot_columns); blank when it has no columns of its own.';

revoke all on function service.pivot_column(service.relations, text) from public;
