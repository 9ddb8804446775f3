create or replace function service_private.is_composite(sql_type text) returns boolean
  language plpgsql stable as $$
begin
  return exists (
    select from pg_catalog.pg_type t left join pg_catalog.pg_type b on b.oid = t.typbasetype
    where t.oid = to_regtype(is_composite.sql_type) and 'c' in (t.typtype, b.typtype));
end $$;

comment on function service_private.is_composite(text) is
  'Whether a type is a row type, or a domain over one: its values are objects in JSON.';

grant execute on function service_private.is_composite(text) to service_user;
