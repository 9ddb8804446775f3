create or replace function service.row_count(collection text, shape jsonb, conditions text[], most text default null) returns text
  language plpgsql stable as $$
declare
  is_distinct boolean := shape ? 'distinct' and shape ? 'fields';
begin
  if not is_distinct and most is null then
    return service.fill($sql$
        select count(*)
        from <table> t
        where <conditions?>
      $sql$,
      'table', service.table_name(collection),
      'conditions', service.conjunction(conditions));
  end if;
  return service.fill($sql$
      select count(*)
      from (
        <select>
        from <table> t
        where <conditions?>
        limit <most?>
      ) t
    $sql$,
    'select', concat_ws(' ', 'select', case when is_distinct then service.page_columns(collection, shape) end),
    'table', service.table_name(collection),
    'conditions', service.conjunction(conditions),
    'most', most);
end $$;

comment on function service.row_count(text, jsonb, text[], text) is
  'SQL text of how many rows meet these conditions, of a distinct read with fields how many combinations there are; most: count no '
  'further. GW400 as service.distinct_properties.';

revoke all on function service.row_count(text, jsonb, text[], text) from public;
