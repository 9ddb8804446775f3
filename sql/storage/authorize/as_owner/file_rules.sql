create or replace function service_private.file_rules(operation text, key text,
  out authorizer text, out is_open boolean, out has_policies boolean, out policies jsonb)
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  select a.authorizer, a.has_policies, file_rules.operation = any (a.open_for)
  into authorizer, has_policies, is_open
  from service.storage_access a;
  if has_policies then
    policies := (
      select jsonb_agg(jsonb_build_object('place', m.place, 'path', m.path, 'allow', m.allow, 'subject', m.subject,
        'id', m.params ->> m.id, 'params', m.params) order by m.place)
      from (
        select p.*, service_private.key_parameters(file_rules.key, p.pattern, p.names) as params
        from service.storage_policies p
        where file_rules.operation = any (p.operations)) m
      where m.params is not null);
  end if;
end $$;

comment on function service_private.file_rules(text, text) is
  'The rules for an action on a file. is_open: anonymous callers are not rejected at once; policies: those for this key, in their order, '
  'as {place, path, allow, subject, id, params}, null for none.';

grant execute on function service_private.file_rules(text, text) to service_user;
