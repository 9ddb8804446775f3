create or replace function service_private.logical(collection text, alias text, node jsonb, roles text[]) returns text
  language plpgsql stable as $$
declare
  parts text;
begin
  if node ? 'column' then
    return service_private.condition(collection, alias, node ->> 'column', node -> 'condition', roles);
  end if;
  select string_agg(format('(%s)', service_private.indented(service_private.logical(collection, alias, part, roles), 2)),
      E'\n' || case node ->> 'type' when 'or' then 'or ' else 'and ' end)
    into parts
  from jsonb_array_elements(node -> 'conditions') part;
  -- A real negation: a row for which the group is unknown (a NULL column) is included.
  return case node ->> 'type' when 'not' then format('(%s) is not true', parts) else parts end;
end $$;

comment on function service_private.logical(text, text, jsonb, text[]) is
  'SQL text of a logical group {type: and|or|not, conditions: […]} or of a leaf {column, condition}, to any depth. not(a,b) is (a '
  'and b) is not true, so it includes rows where the columns are NULL.';
