-- Those that provisioning makes are left where it puts them: what it generates names them there.
create or replace function service.audit_extensions()
  returns table (id text, severity text, target jsonb, detail text, fix text)
  language plpgsql stable set search_path = pg_catalog, pg_temp set jit = off as $$
#variable_conflict use_column
begin
  return query
  select 'extension-in-public', null::text, jsonb_build_object('schema', 'public', 'extension', e.extname),
    format('The extension %I lies in public', e.extname)
      || case when e.extrelocatable then '.' else ' and cannot be moved: it would have to be dropped with what uses it.' end,
    case when e.extrelocatable then format('create schema if not exists extensions; grant usage on schema extensions to public; '
      'alter extension %I set schema extensions;', e.extname) end
  from pg_extension e
  where e.extnamespace = 'public'::regnamespace and e.extname not in ('vector', 'pg_trgm', 'unaccent');
end $$;

comment on function service.audit_extensions() is
  'The part of service.audit() about extensions (service.audit_tables says what is returned).';

-- Example: select severity, target, detail, fix from service.audit_extensions();
