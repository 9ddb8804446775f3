create or replace function service_private.get_answer(collection text, shape jsonb, roles text[]) returns text
  language plpgsql stable as $$
declare
  path jsonb := shape -> 'path';
  included record := service_private.include(collection, 'page', shape, roles);
  columns text[] := service_private.shown_columns(collection, 't', shape, roles) || included.columns
    || case when shape ? 'call' then '{}' else service_private.path_pivot(path - -1, shape) end;
  conditions text[] := array['ctx.ok'] || case when shape ? 'call' then service_private.null_row_conditions(shape)
      else service_private.key_conditions(collection, 't', '$' || (path ->> -1)) end
    || service_private.where_conditions(collection,
      case when shape ? 'call' then shape else jsonb_set(shape, '{path}', path - -1) end, roles);
  page record := service_private.page_source(service_private.fill($sql$
      select <columns>
      from <table> t
      where <conditions>
    $sql$,
    'columns', array_to_string(array['t.*']
      || case when shape ? 'call' then '{}' else service_private.version_columns(collection, 't') end, ', '),
    'table', service_private.row_source(collection, shape),
    'conditions', service_private.conjunction(conditions)), included.ctes);
begin
  return service_private.fill($sql$
      with <ctes?>
      select to_json(<row>)::text as body, <tag> as tag
      from <page> t
      <joins?>
      cross join lateral (
        select
          <columns>
      ) d
      offset 0
    $sql$,
    'ctes', page.ctes,
    'row', case when shape ? 'stored' then 'd.*' else service_private.shown_row(collection, 'd') end,
    'tag', case when shape ? 'call' then 'null' else service_private.row_tag(collection, 't', roles) end,
    'page', page.source,
    'joins', nullif(array_to_string(included.joins, E'\n'), ''),
    'columns', array_to_string(columns, E',\n'));
end $$;

comment on function service_private.get_answer(text, jsonb, text[]) is
  'SQL text of the answer to a read of a single row behind the gate (service.compile): body is the row as a JSON object, tag what '
  'tells this version of the row from others (service_private.row_tag); no row when it does not exist, is hidden by row security, lies '
  'outside its parents, or does not match the filters or the search.';
