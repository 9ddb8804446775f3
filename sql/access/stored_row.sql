-- An id that cannot be of the key's type is no row's.
create or replace function service_private.stored_row(served service.collections, id text, out stored text, out is_deleted boolean)
  language plpgsql stable as $$
declare
  stamp constant text := service_private.deletion_stamp(served.slug);
begin
  execute format('select t::text, %s from %s t where %s',
    case when stamp is null then 'false' else format('t.%I is not null', stamp) end, service_private.table_name(served.slug),
    service_private.conjunction(service_private.key_conditions(served.slug, 't', '$1')))
  into stored, is_deleted using id;
exception when data_exception or sqlstate 'GW400' or sqlstate 'GW404' then
  stored := null;
end $$;

comment on function service_private.stored_row(service.collections, text) is
  'The row of this id, as the text of its table''s type, past row security, and whether a soft delete has stamped it. Nulls for an id that '
  'is no row''s.';
