create or replace function service.get_answer(collection text, shape jsonb, roles text[]) returns text
  language plpgsql stable as $$
declare
  path jsonb := shape -> 'path';
  included record := service.include(collection, 'page', shape, roles);
  columns text[] := service.shown_columns(collection, 't', shape, roles) || included.columns
    || service.path_pivot(path - -1, shape);
  conditions text[] := array['ctx.ok'] || service.key_conditions(collection, 't', '$' || (path ->> -1))
    || service.narrowing(collection, jsonb_set(shape, '{path}', path - -1), roles);
  page record := service.page_source(service.fill($sql$
      select <columns>
      from <table> t
      where <conditions>
    $sql$,
    'columns', array_to_string(array['t.*'] || service.version_columns(collection, 't'), ', '),
    'table', service.table_name(collection),
    'conditions', service.conjunction(conditions)), included.ctes);
begin
  return service.fill($sql$
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
    'row', case when shape ? 'stored' then 'd.*' else service.shown_row(collection, 'd') end,
    'tag', service.row_tag(collection, 't', roles),
    'page', page.source,
    'joins', nullif(array_to_string(included.joins, E'\n'), ''),
    'columns', array_to_string(columns, E',\n'));
end $$;

comment on function service.get_answer(text, jsonb, text[]) is
  'SQL text of the answer to a read of a single row behind the gate (service.compile): body is the row as a JSON object, tag what '
  'tells this version of the row from others (service.row_tag); no row when it does not exist, is hidden by row security, lies '
  'outside its parents, or does not match the filters or the search.';

revoke all on function service.get_answer(text, jsonb, text[]) from public;
