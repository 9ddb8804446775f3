create or replace function service_private.declared_parts(properties jsonb) returns jsonb
  language plpgsql stable as $$
begin
  return (
    select coalesce(jsonb_object_agg(p.name, service_private.part_attributes(p.declared)), '{}')
    from jsonb_each(properties) p (name, declared));
end $$;

comment on function service_private.declared_parts(jsonb) is 'The service_private.part_attributes of declared properties by their names.';
