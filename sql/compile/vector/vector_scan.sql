-- An HNSW scan gives up after hnsw.ef_search rows (40), unless it may go on where it stopped (pgvector 0.8); strictly in
-- order, as the page relies on it. A scan reads both settings when it starts, which the gate puts after this.
-- A setting that was once set locally reads '' afterwards.
create or replace function service_private.vector_scan(shape jsonb) returns text[]
  language plpgsql stable as $$
declare
  reach text := concat_ws(' + ', shape -> 'limit' ->> 'bucket', '$' || (shape ->> 'offset') || '::bigint');
begin
  if not shape ? 'vector' then
    return '{}';
  end if;
  return array(
    select format('set_config(''%s'', %s, true) as %s', s.setting, s.value, s.alias)
    from (values
      ('0', 'hnsw.ef_search', 'ef_search',
        format('least(1000, greatest(40, nullif(current_setting(''hnsw.ef_search'', true), '''')::bigint, %s))::text', reach)),
      -- Before 0.8 the name itself is refused.
      ('0.8', 'hnsw.iterative_scan', 'hnsw_scan', '''strict_order'''),
      ('0.8', 'ivfflat.iterative_scan', 'ivfflat_scan', '''relaxed_order''')) s (since, setting, alias, value)
    join pg_catalog.pg_extension e on e.extname = 'vector'
    where string_to_array(s.since, '.')::integer[] <= string_to_array(substring(e.extversion from '^\d+\.\d+'), '.')::integer[]);
end $$;

comment on function service_private.vector_scan(jsonb) is
  'SQL text, as a list, of columns that let index scans of a vector search reach as far as its page, for this statement; none for '
  'other reads.';
