-- An HNSW scan gives up after hnsw.ef_search rows (40), unless it may go on where it stopped (pgvector 0.8); strictly in
-- order, as the page relies on it. A scan reads both settings when it starts, which the gate puts after this.
-- A setting that was once set locally reads '' afterwards.
create or replace function service.vector_scan(shape jsonb) returns text
  language sql stable
begin atomic
  select concat(
    format(', set_config(''hnsw.ef_search'', least(1000, greatest(40, nullif(current_setting(''hnsw.ef_search'', true), '''')::bigint, %s))::text, true) as ef_search',
      concat_ws(' + ', shape -> 'limit' ->> 'bucket', '$' || (shape ->> 'offset') || '::bigint')),
    -- Before 0.8 the name itself is refused.
    (select ', set_config(''hnsw.iterative_scan'', ''strict_order'', true) as hnsw_scan, set_config(''ivfflat.iterative_scan'', ''relaxed_order'', true) as ivfflat_scan'
      from pg_catalog.pg_extension e where e.extname = 'vector' and string_to_array(substring(e.extversion from '^\d+\.\d+'), '.')::integer[] >= '{0,8}'))
  where shape ? 'vector';
end;

comment on function service.vector_scan(jsonb) is
  'SQL text of columns, each beginning with a comma, that let index scans of a vector search reach as far as its page, for this statement; null for other reads.';

revoke all on function service.vector_scan(jsonb) from public;
