-- A tsvector holds a megabyte, and a write must not fail because its text is too long to be found by its end.
-- PostgreSQL 18 divides while it plans, also for a block without a field that the caller may read.
create or replace function service_private.search_documents(collection text, block jsonb, prefix text)
  returns table (n bigint, path text, weight text, document text)
  language sql stable
begin atomic
  select f.n, f.field ->> 'path', f.field ->> 'weight',
    service_private.search_document(search_documents.collection, f.field ->> 'path', search_documents.prefix,
      150000 / greatest(1, jsonb_array_length(search_documents.block -> 'fields')))
  from jsonb_array_elements(search_documents.block -> 'fields') with ordinality f (field, n);
end;

comment on function service_private.search_documents(text, jsonb, text) is
  'The fields of a search block (service_private.search_block) with the SQL text of what is searched of each: together at most 150,000 '
  'characters a row.';
