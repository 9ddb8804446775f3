-- The policy says the same, but lets those pass as well who are bound to no tenant, and no index serves an alternative: of 300,000
-- rows of 1,024 tenants the newest page of one took 157 ms, and takes 2.5 with this beside it.
create or replace function service_private.tenant_conditions(collection text, alias text, roles text[]) returns text[]
  language plpgsql stable as $$
declare
  tenant record;
  typed text;
begin
  select t.* into tenant from service_private.collection_tenant(collection) t;
  -- An id that is none of the column's type is no row's.
  typed := case
    when tenant.type in ('text', 'character varying') then 'q.id'
    when tenant.type in ('smallint', 'integer', 'bigint') then
      'case when q.id ~ ''^-?\d{1,19}$'' and q.id::numeric between -9223372036854775808 and 9223372036854775807 then q.id::bigint end'
    when tenant.type = 'uuid' then 'case when q.id ~ ''^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'' then q.id::uuid end' end;
  -- The service key has the role admin.
  return case when typed is null or roles && (tenant.bypass_roles || array['admin']) then '{}'
    else array[format('%s.%I = ' || case when tenant.single then '(%s)' else 'any (array(%s))' end, alias, tenant.column_name,
      format('select %s from (%s) q (id)', typed, tenant.tenants))] end;
end $$;

comment on function service_private.tenant_conditions(text, text, text[]) is
  'SQL text, as conditions, that the rows of the caller''s tenants meet, in a form that an index serves; none for roles that may be '
  'bound to no tenant, and for columns of other types than texts, whole numbers and uuid. The policy decides.';
