create or replace function service_private.path_pivot(path jsonb, shape jsonb) returns text[]
  language plpgsql stable as $fn$
declare
  relation service.relations;
begin
  if jsonb_array_length(path) < 3 or shape ? 'distinct' then
    return '{}';
  end if;
  relation := service_private.path_relation(path);
  return (
    select case when count(*) = 0 then '{}' else array[service_private.fill($$
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
    'columns', string_agg(format('%s as %I', service_private.column_value(format('j.%I', p.column_name), p.sql_type), p.name),
      ', ' order by p.n),
    'parents', service_private.parent_rows(path, '$%s'),
    'junction', service_private.junction_name(relation),
    'conditions', service_private.conjunction('{ctx.ok}' || service_private.link_pairs(relation, 't', 'j', 's')))] end
    from service_private.pivot_columns(relation, '') p);
end $fn$;

comment on function service_private.path_pivot(jsonb, jsonb) is
  'SQL text, as a list, of the column _pivot of rows, t, that are read through a path [slug, parameter, relation, …]: what the junction '
  'says of the link to their parent; none when it has no columns of its own, or when rows are collapsed (distinct).';
