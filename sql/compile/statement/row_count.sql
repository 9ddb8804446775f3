create or replace function service_private.row_count(collection text, shape jsonb, conditions text[], most text default null) returns text
  language plpgsql stable as $$
declare
  is_distinct boolean := shape ? 'distinct' and shape ? 'fields';
begin
  if not is_distinct and most is null then
    return service_private.fill($sql$
        select count(*)
        from <table> t
        where <conditions?>
      $sql$,
      'table', service_private.row_source(collection, shape),
      'conditions', service_private.conjunction(conditions));
  end if;
  return service_private.fill($sql$
      select count(*)
      from (
        <select>
        from <table> t
        where <conditions?>
        limit <most?>
      ) t
    $sql$,
    'select', concat_ws(' ', 'select', case when is_distinct then service_private.page_columns(collection, shape) end),
    'table', service_private.row_source(collection, shape),
    'conditions', service_private.conjunction(conditions),
    'most', most);
end $$;

comment on function service_private.row_count(text, jsonb, text[], text) is
  'SQL text of how many rows meet these conditions, of a distinct read with fields how many combinations there are; most: count no '
  'further. GW400 as service_private.distinct_properties.';
