create or replace function service_private.whole_type(definition jsonb, is_key boolean, enum_type text) returns text
  language plpgsql stable as $$
declare
  column_type constant text := definition ->> 'columnType';
  width constant text := coalesce(definition #>> '{validation,length}', definition #>> '{validation,max}');
  parts constant jsonb := definition -> 'of';
begin
  return case service_private.property_kind(definition)
    when 'string' then case
      when definition ? 'enum' then enum_type
      when column_type = 'uuid' or (is_key and definition ->> 'isId' = 'uuid') then 'uuid'
      when column_type = 'varchar' then 'character varying' || coalesce('(' || width || ')', '')
      when column_type = 'char' then format('character(%s)', coalesce(width, '1'))
      else 'text' end
    when 'number' then case coalesce(column_type,
        case when is_key or definition #> '{validation,integer}' = 'true' then 'integer' else 'numeric' end)
      when 'numeric' then 'numeric'
        || case when definition ? 'precision' then format('(%s,%s)', definition ->> 'precision', coalesce(definition ->> 'scale', '0'))
          else '' end
      when 'serial' then 'integer'
      when 'bigserial' then 'bigint'
      else coalesce(column_type, 'integer') end
    when 'boolean' then 'boolean'
    -- Milliseconds: what is shown is what is stored.
    when 'date' then case coalesce(column_type, definition ->> 'mode')
      when 'date' then 'date'
      when 'time' then 'time without time zone'
      else format('timestamp(3) %s time zone', case when definition -> 'timezone' = 'false' then 'without' else 'with' end) end
    when 'array' then coalesce(column_type, service_private.native_array(parts))
    when 'map' then coalesce(column_type, 'jsonb')
    when 'vector' then format('vector(%s)', coalesce(definition ->> 'dimensions', '1'))
    when 'binary' then 'bytea'
    else 'jsonb'
  end;
end $$;

comment on function service_private.whole_type(jsonb, boolean, text) is
  'The column type that a declared property asks for, as format_type spells it: numeric(10,2), timestamp(3) with time zone. enum_type: '
  'the quoted name that its enum type would have.';
