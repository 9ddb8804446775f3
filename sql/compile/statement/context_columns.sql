create or replace function service_private.context_columns(collection text, shape jsonb, roles text[]) returns text[]
  language plpgsql stable as $$
begin
  return case when shape ? 'after'
      then array[format('service_private.cursor_open(%L, $%s) as cursor', collection, shape -> 'after' ->> 'param')] else '{}' end
    || service_private.prepared_search(collection, shape, roles)
    || case when shape ->> 'op' = 'list' then service_private.vector_scan(shape) else '{}' end;
end $$;

comment on function service_private.context_columns(text, jsonb, text[]) is
  'SQL text, as columns, of what a statement works out once beside entering: the values of its cursor, what its search compares '
  'rows with, how far a vector search may reach. GW400 as service_private.prepared_search.';
