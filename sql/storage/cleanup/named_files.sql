-- Names are quoted whether they need it or not, as in service_private.stamp_body.
create or replace function service_private.named_files(held service.storage_properties, row_name text) returns text
  language sql immutable
  return format(case
      when (held).sql_type in ('json', 'jsonb') then 'array(select v #>> ''{}'' from jsonb_path_query(%1$s."%2$s"::jsonb, %3$L) v)'
      when (held).sql_type like '%[]' then '%1$s."%2$s"::text[]'
      else 'array[%1$s."%2$s"::text]' end,
    row_name, replace((held).column_name, '"', '""'), (held).json_path);

comment on function service_private.named_files(service.storage_properties, text) is
  'SQL text of what a row says in a property that holds files, as a list of texts.';
