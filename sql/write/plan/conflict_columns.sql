-- An upsert that meets a row tells that the row has these values, as a filter does: so the target is held to what filters are held to.
create or replace function service_private.conflict_columns(served service.collections, names jsonb, roles text[]) returns text[]
  language plpgsql stable as $$
declare
  asked constant jsonb := coalesce(nullif(names, '[]'), to_jsonb(served.key));
  named constant text[] := array(
    select distinct coalesce((s.property).column_name, s.field)
    from service_private.sent_fields(served, array(select jsonb_array_elements_text(asked))) s
    order by 1);
  -- A field that is kept out of the API is unknown here, and so is a column that no property declares.
  known constant service.properties[] := array(
    select p from service.properties p
    where p.collection = served.slug and p.column_name = any (named) and not p.excluded
    order by p.position);
  targets jsonb;
begin
  perform service_private.require_filterable(k, roles) from unnest(known) k;
  if cardinality(known) < cardinality(named)
    or not exists (select from service_private.unique_columns(served) u where u.columns = named) then
    targets := service_private.conflict_targets(served, roles);
    perform service.fail(400, 'INVALID_CONFLICT_TARGET',
      format('Nothing keeps %s of %s unique. An upsert may name one of %s.',
        (select string_agg(a, ', ') from jsonb_array_elements_text(asked) a), served.slug, targets),
      jsonb_build_object('collection', served.slug, 'columns', asked, 'targets', targets));
  end if;
  return named;
end $$;

comment on function service_private.conflict_columns(service.collections, jsonb, text[]) is
  'The columns, sorted, that these names of an upsert''s target mean (no names: the key). GW400 INVALID_CONFLICT_TARGET '
  '{collection, columns, targets} unless they are exactly those of a unique index over all rows, FIELD_NOT_READABLE for one that is not '
  'service_private.filterable for these roles.';
