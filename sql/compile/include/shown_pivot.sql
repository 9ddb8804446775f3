create or replace function service_private.shown_pivot(relation service.relations, prefix text) returns text[]
  language plpgsql stable as $$
begin
  return (
    select case when count(*) = 0 then '{}' else array[format('(select to_json(l) from (select %s) l) as "_pivot"',
      string_agg(format('%s as %I', service_private.column_value(format('t.%I', p.alias), p.sql_type), p.name), ', ' order by p.n))] end
    from service_private.pivot_columns(relation, prefix) p);
end $$;

comment on function service_private.shown_pivot(service.relations, text) is
  'SQL text, as a list, of the column _pivot: what the junction says of a link (alias t, under the names of '
  'service_private.pivot_columns); none when it has no columns of its own.';
