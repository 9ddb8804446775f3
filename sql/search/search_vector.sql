-- A word that no parser makes stands between two fields and is taken out again: no phrase reaches from one into the next.
create or replace function service_private.search_vector(collection text, block jsonb, prefix text) returns text
  language sql stable
begin atomic
  select case count(*) when 0 then '''''::tsvector' when 1 then min(v.vector)
    else format('ts_delete(%s, '' '')', string_agg(v.vector, format(' || %L::tsvector || ', ''' '':1') order by v.n)) end
  from (
    select d.n, format('setweight(to_tsvector(%L::regconfig, %s), %L)', search_vector.block ->> 'config', d.document, d.weight) as vector
    from service_private.search_documents(search_vector.collection, search_vector.block, search_vector.prefix) d) v;
end;

comment on function service_private.search_vector(text, jsonb, text) is
  'SQL text of the tsvector of a search block over the columns of a row (prefix: '''' or an alias with its dot), immutable.';
