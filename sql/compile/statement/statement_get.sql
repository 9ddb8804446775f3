create or replace function service.statement_get(collection text, shape jsonb, roles text[]) returns text
  language plpgsql stable as $$
declare
  path jsonb := shape -> 'path';
  rest record := service.include(collection, 'page', shape, roles);
  row_columns text := service.row_columns(collection, 't', shape, roles) || rest.columns;
  rows text := (
    select format('select t.*%s from %I.%I t where ctx.ok%s%s%s', service.row_version(collection, 't'), c.schema_name, c.table_name,
      service.key_predicate(collection, 't', path ->> -1), service.narrowing(collection, jsonb_set(shape, '{path}', path - -1), roles),
      coalesce(service.predicate(collection, 't', shape, roles), ''))
    from service.collections c where c.slug = collection);
begin
  return format('select r.body, r.tag from (select service.enter($1) as ok%s offset 0) ctx cross join lateral (%sselect to_json(%s) as body, %s as tag from %s t%s cross join lateral (select %s) d offset 0) r',
    service.context_columns(collection, shape, roles),
    case when rest.ctes = '' then '' else format('with page as materialized (%s)%s ', rows, rest.ctes) end,
    service.shown_row(collection, 'd'),
    service.row_tag(collection, 't', roles),
    case when rest.ctes = '' then format('(%s)', rows) else 'page' end,
    rest.joins,
    row_columns);
end $$;

comment on function service.statement_get(text, jsonb, text[]) is
  'The statement of a single row: body is the row as a JSON object, tag what tells this version of the row from others (service.row_tag); no row when it does not exist, is hidden by row security, lies outside its parents, or does not match the filters or the search.';

revoke all on function service.statement_get(text, jsonb, text[]) from public;
