-- To lock a row takes what it takes to change it: its UPDATE policies are asked, and its SELECT policies with them. This lock is the one
-- that keeps nobody from changing it.
create or replace function service.file_row(collection text, id text, changes boolean) returns text
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp
  set jit = off set plan_cache_mode = force_generic_plan as $$
begin
  if service.is_readable_id(id, service.key_types(collection)) and exists (
    select from service.collections c where c.slug = collection and c.exposed and not (changes and c.read_only))
  then
    return service.row_statement(collection, 'true', service.key_conditions(collection, 't', '$1') || service.live_conditions(collection, 't'))
      || case when changes then E'\nfor key share' else '' end;
  end if;
end $$;

comment on function service.file_row(text, text, boolean) is
  'SQL text that answers true where the caller sees the row with an id ($1), or with changes where he may change it; null where there can '
  'be no such row.';

revoke all on function service.file_row(text, text, boolean) from public;
grant execute on function service.file_row(text, text, boolean) to service_user;
