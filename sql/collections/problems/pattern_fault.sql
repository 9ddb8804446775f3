create or replace function service_private.pattern_fault(pattern text) returns text
  language plpgsql stable as $$
declare
  flags constant text := substring(pattern from '^/.*/(\w+)$');
begin
  if flags <> 'i' then
    return flags || ' is not a flag; i is the only one';
  end if;
  perform '' ~ service_private.pattern(pattern);
  return null;
exception when invalid_regular_expression then
  return sqlerrm;
end $$;

comment on function service_private.pattern_fault(text) is
  'Why a declared pattern (service_private.pattern) is none, in PostgreSQL''s words; null when it is one.';
