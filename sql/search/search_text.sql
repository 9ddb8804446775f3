create or replace function service_private.search_text(collection text, block jsonb, prefix text) returns text
  language sql stable
begin atomic
  select case count(*) when 0 then ''''''
    else service_private.search_folded(string_agg(d.document, ' || e''\n'' || ' order by d.n), search_text.block) end
  from service_private.search_documents(search_text.collection, search_text.block, search_text.prefix) d;
end;

comment on function service_private.search_text(text, jsonb, text) is
  'SQL text of what substrings and trigrams of a search block are looked for in, over the columns of a row (prefix: '''' or an '
  'alias with its dot), immutable.';
