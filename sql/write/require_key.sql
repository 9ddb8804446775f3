-- An id that cannot be of the key's type names no row.
create or replace function service.require_key(served service.collections, id text) returns void
  language plpgsql stable as $$
declare
  part record;
begin
  for part in
    select p.sql_type, case cardinality(served.key) when 1 then id else (string_to_array(id, ':::'))[k.n] end as value
    from unnest(served.key) with ordinality k (name, n)
    join service.properties p on p.collection = served.slug and p.name = k.name
  loop
    continue when part.sql_type = 'text';
    execute format('select %L::%s', part.value, part.sql_type);
  end loop;
exception when data_exception then
  perform service.refuse_unaffected(jsonb_build_object('op', 'update', 'path', jsonb_build_array(served.slug, id)), false);
end $$;

comment on function service.require_key(service.collections, text) is 'Nothing, or GW404 NOT_FOUND when an id cannot be of the type of the collection''s key.';

revoke all on function service.require_key(service.collections, text) from public;
