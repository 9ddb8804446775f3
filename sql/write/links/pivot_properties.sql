create or replace function service_private.pivot_properties(relation service.relations) returns setof service.properties
  language plpgsql stable as $$
begin
  return query
    select r.*
    from jsonb_array_elements(coalesce(relation.pivot, '[]')) p (pivot)
    cross join lateral jsonb_populate_record(null::service.properties, jsonb_build_object(
      'name', p.pivot -> 'name', 'column_name', p.pivot -> 'columnName', 'position', p.pivot -> 'position', 'type', p.pivot -> 'type',
      'sql_type', p.pivot -> 'sqlType', 'not_null', p.pivot -> 'notNull', 'required', p.pivot -> 'required',
      'attributes', coalesce(p.pivot -> 'attributes', '{}'), 'excluded', false, 'generated', false)) r
    order by r.position;
end $$;

comment on function service_private.pivot_properties(service.relations) is
  'The columns that the junction of a relation has of its own, as properties of no collection.';
