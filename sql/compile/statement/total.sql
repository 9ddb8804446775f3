-- A page that has no next one, and was not reached by a cursor, knows the total; else it is counted under the very
-- same predicate. "estimated" stops counting at 10,001, or where the page ends, which never says more than row security
-- allows.
create or replace function service.total(collection text, shape jsonb, narrowing text, roles text[], page_size text, page_offset text) returns text
  language plpgsql stable as $$
declare
  counted text := (
    select format('(select c.count from (select count(*) from (select%s from %I.%I t where true%s%s%s) c) c where ctx.ok)',
      case when shape ? 'distinct' and shape ? 'fields' then ' ' || service.page_columns(collection, shape) else '' end, c.schema_name, c.table_name, narrowing,
      coalesce(service.predicate(collection, 't', shape, roles), ''), case when shape ->> 'count' = 'estimated' then ' limit 10001' else '' end)
    from service.collections c where c.slug = collection);
begin
  if shape ->> 'count' = 'estimated' then
    counted := format('greatest(%s, case when count(*) > 0 then %s + count(*) end)', counted, page_offset);
  end if;
  return case when shape ? 'after' then counted
    else format('case when count(*) <= %s and (count(*) > 0 or %s = 0) then %2$s + count(*) else %s end', page_size, page_offset, counted) end;
end $$;

comment on function service.total(text, jsonb, text, text[], text, text) is
  'SQL text of meta.total, for use beside count(*) over the page.';

revoke all on function service.total(text, jsonb, text, text[], text, text) from public;
