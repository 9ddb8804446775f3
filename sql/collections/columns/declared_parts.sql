create or replace function service.declared_parts(properties jsonb) returns jsonb
  language plpgsql stable as $$
begin
  return (
    select coalesce(jsonb_object_agg(p.name, service.part_attributes(p.declared)), '{}')
    from jsonb_each(properties) p (name, declared));
end $$;

comment on function service.declared_parts(jsonb) is 'The service.part_attributes of declared properties by their names.';

revoke all on function service.declared_parts(jsonb) from public;
