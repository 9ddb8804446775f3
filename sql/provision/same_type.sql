create or replace function service_private.same_type(wanted text, type oid, modifier integer) returns boolean
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  return case
    when wanted = format_type(type, modifier) then true
    when wanted in ('smallserial', 'serial', 'bigserial') then
      format_type(type, null) = case wanted when 'smallserial' then 'smallint' when 'serial' then 'integer' else 'bigint' end
    else to_regtype(wanted) = type
      and coalesce(
        regexp_replace(regexp_replace(substring(wanted from '\(([^()]*)\)'), '\s', '', 'g'),
          '^(\d+)$', case type when 'numeric'::regtype then '\1,0' else '\1' end),
        case when type = 'bpchar'::regtype and wanted <> 'bpchar' then '1' end, '')
      = coalesce(substring(format_type(type, modifier) from '\(([^()]*)\)'), '')
  end;
end $$;

comment on function service_private.same_type(text, oid, integer) is
  'Whether a type, as DDL writes it, is that of a column (atttypid, atttypmod).';
