-- A page that has no next one, and was not reached by a cursor, knows the total; else it is counted under the very
-- same conditions. "estimated" stops counting at 10,001, or where the page ends, which never says more than row security
-- allows.
create or replace function service_private.total(collection text, shape jsonb, conditions text[], page_size text) returns text
  language plpgsql stable as $$
declare
  is_estimated boolean := shape ->> 'count' is not distinct from 'estimated';
  offset_plus text := coalesce('$' || (shape ->> 'offset') || '::bigint + ', '');
  counted text := service_private.fill($sql$
      (
        select c.count
        from (
          <count>
        ) c
        where ctx.ok
      )
    $sql$,
    'count', service_private.row_count(collection, shape, conditions, case when is_estimated then '10001' end));
begin
  if is_estimated then
    counted := service_private.fill('greatest(<counted>, case when count(*) > 0 then <offset_plus>count(*) end)',
      'counted', counted, 'offset_plus', offset_plus);
  end if;
  if shape ? 'after' then
    return counted;
  end if;
  return service_private.fill($sql$
      case
        when count(*) <= <page_size><and_any> then <offset_plus>count(*)
        else <counted>
      end
    $sql$,
    'page_size', page_size,
    -- Past the last row the page says nothing of those before.
    'and_any', case when shape ? 'offset' then ' and count(*) > 0' else '' end,
    'offset_plus', offset_plus,
    'counted', counted);
end $$;

comment on function service_private.total(text, jsonb, text[], text) is
  'SQL text of meta.total, for use beside count(*) over the page.';
