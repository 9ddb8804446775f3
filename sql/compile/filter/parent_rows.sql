create or replace function service_private.parent_rows(path jsonb, id text, conditions text[] default '{}') returns text
  language plpgsql stable as $fn$
declare
  above constant jsonb := path - -1;
  slug constant text := service_private.path_collection(above, null);
begin
  return service_private.fill($$
    select p.*
    from <table> p
    where <conditions>
  $$,
  'table', service_private.table_name(slug),
  'conditions', service_private.conjunction(conditions || service_private.key_conditions(slug, 'p', format(id, above ->> -1))
    || service_private.live_conditions(slug, 'p') || service_private.path_conditions(above - -1, 'p', id)));
end $fn$;

comment on function service_private.parent_rows(jsonb, text, text[]) is
  'SQL text of the row that the relation at the end of a path [slug, id, relation, …] starts from; every link above it is checked. id: '
  'format of the SQL text of an id, for what stands in the path; conditions: more of them.';
