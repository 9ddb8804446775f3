create or replace function service_private.ranked_conditions(block jsonb) returns text[]
  language sql immutable
  return case when block -> 'fields' = '[]' then '{false}'::text[]
    else case when block ? 'finder' then '{t.ctid = any (ctx.found)}'::text[] else '{}' end
      || case when coalesce((block ->> 'exact')::boolean, false) then '{}'
        else array[service_private.search_condition(block, block ->> 'vector', block ->> 'folded')] end
  end;

comment on function service_private.ranked_conditions(jsonb) is
  'SQL text, as conditions, of a ranked search (service_private.readable_search) over a row t. No field that the caller may read: no row.';
