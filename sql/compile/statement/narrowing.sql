-- What narrows a read besides its conditions; in the page, in its total, in counts and in aggregates alike.
create or replace function service.narrowing(collection text, shape jsonb, roles text[]) returns text
  language sql stable
begin atomic
  select concat(
    service.scope(shape -> 'path', 't'),
    case when shape ? 'search' then coalesce(service.ranked_predicate(service.readable_search(collection, roles)), service.search_predicate(collection, 't', roles)) end,
    case when shape ? 'vector' then service.vector_predicate(collection, 't', shape -> 'vector', roles) end,
    service.live(collection, 't', shape ->> 'deleted'));
end;

comment on function service.narrowing(text, jsonb, text[]) is
  'SQL text (each part beginning with and) of what a read is held to by its path, its search, its vector threshold and its deleted parameter; '''' when nothing does.';

revoke all on function service.narrowing(text, jsonb, text[]) from public;
