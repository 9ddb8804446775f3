create or replace function service_private.search_document(collection text, path text, prefix text, length integer) returns text
  language sql stable
begin atomic
  select format('left(%s, %s)',
    case
      when p.sql_type in ('json', 'jsonb') then format('service_private.texts_within(%s%s%s)', c.name,
        case p.sql_type when 'json' then '::jsonb' end, ' #> ' || quote_literal(nullif(k.keys, '{}')::text) || '::text[]')
      when p.sql_type = 'text[]' then format('service_private.listed_text(%s)', c.name)
      else format('coalesce(%s%s, '''')', c.name, case when p.sql_type <> 'text' then '::text' end)
    end, search_document.length)
  from service.properties p
  cross join lateral (select search_document.prefix || quote_ident(p.column_name) as name) c
  cross join lateral (select (string_to_array(search_document.path, '.'))[2:] as keys) k
  where p.collection = search_document.collection and p.name = split_part(search_document.path, '.', 1);
end;

comment on function service_private.search_document(text, text, text, integer) is
  'SQL text of what is searched of one field (a text, a list of texts, a map or a path in one), at most so many characters, never '
  'null. prefix: '''' or an alias with its dot.';
