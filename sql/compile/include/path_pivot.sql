create or replace function service.path_pivot(path jsonb, shape jsonb) returns text[]
  language plpgsql stable as $fn$
declare
  relation service.relations;
begin
  if jsonb_array_length(path) < 3 or shape ? 'distinct' then
    return '{}';
  end if;
  relation := service.path_relation(path);
  return (
    select case when count(*) = 0 then '{}' else array[service.fill($$
      (
        select to_json(l)
        from (
          select <columns>
          from (
            <parents>
          ) s
          cross join <junction> j
          where <conditions>
        ) l
      ) as "_pivot"
    $$,
    'columns', string_agg(format('%s as %I', service.column_value(format('j.%I', p.column_name), p.sql_type), p.name), ', ' order by p.n),
    'parents', service.parent_rows(path, '$%s'),
    'junction', service.junction_name(relation),
    'conditions', service.conjunction('{ctx.ok}' || service.link_pairs(relation, 't', 'j', 's')))] end
    from service.pivot_columns(relation, '') p);
end $fn$;

comment on function service.path_pivot(jsonb, jsonb) is
  'SQL text, as a list, of the column _pivot of rows, t, that are read through a path [slug, parameter, relation, …]: what the junction '
  'says of the link to their parent; none when it has no columns of its own, or when rows are collapsed (distinct).';

revoke all on function service.path_pivot(jsonb, jsonb) from public;
