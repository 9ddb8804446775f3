create or replace function service.page(collection text, shape jsonb, narrowing text, roles text[]) returns text
  language plpgsql stable as $$
declare
  source text := (select format(' from %I.%I t where true', c.schema_name, c.table_name) from service.collections c where c.slug = collection)
    || narrowing || coalesce(service.predicate(collection, 't', shape, roles), '');
  base text;
  tail text;
begin
  if shape ? 'vector' then
    return service.vector_page(collection, shape, source, roles);
  end if;
  base := 'select ' || service.page_columns(collection, shape) || source;
  tail := format(' order by %s limit %s', service.page_order(collection, shape, roles), shape -> 'limit' ->> 'bucket');
  if shape ? 'after' then
    return (
      select string_agg(format('(%s%s%s)', base, branch, tail), ' union all ' order by n)
      from unnest(service.cursor_branches(collection, 't', shape, roles)) with ordinality b (branch, n));
  end if;
  return base || tail || coalesce(' offset $' || (shape ->> 'offset') || '::bigint', '');
end $$;

comment on function service.page(text, jsonb, text, text[]) is
  'SQL text of the rows of one page, whole rows in order, one more than the limit at least. The limit stands rounded up as a literal, so that the planner sees its size and shapes stay few.';

revoke all on function service.page(text, jsonb, text, text[]) from public;
