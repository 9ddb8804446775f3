create or replace function service_private.search_conditions(collection text, alias text, shape jsonb, roles text[]) returns text[]
  language plpgsql stable as $$
begin
  return case
    when not shape ? 'search' then '{}'
    when service_private.is_ranked(collection, shape)
      then service_private.ranked_conditions(service_private.readable_search(collection, roles))
    else array[service_private.substring_condition(collection, alias, roles)]
  end;
end $$;

comment on function service_private.search_conditions(text, text, jsonb, text[]) is
  'SQL text, as conditions, of the search of a request: ranked where the collection has a search block, else for substrings; none '
  'without a search.';
