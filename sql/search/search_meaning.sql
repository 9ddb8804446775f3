create or replace function service_private.search_meaning(remark text) returns text
  language sql immutable parallel safe
  return substring(remark from '^Made for the search of .* meaning:([0-9a-f]{7})$');

comment on function service_private.search_meaning(text) is
  'The hash that a generated search column''s comment keeps of its expression (service_private.wanted_search_columns); null for the '
  'comment of a column that no search block made.';
