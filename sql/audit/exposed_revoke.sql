create or replace function service_private.exposed_revoke(privileges text, on_what text) returns text
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  select format('revoke %s on %s from %s;', privileges, on_what,
    string_agg(case e.oid when 0 then 'public' else quote_ident(e.name) end, ', ' order by e.oid))
  from service_private.audit_exposed_roles() e;
end;

comment on function service_private.exposed_revoke(text, text) is 'The statement that takes privileges from every role that a request has.';
