create or replace function service.require_same_key(served service.collections, body jsonb, id text) returns void
  language plpgsql stable as $$
declare
  moved text[] := (
    select array_agg(s.field order by s.field)
    from service.body_columns(served, body) s
    join service.properties p on p.collection = served.slug and p.column_name = s.column_name
    join unnest(served.key) with ordinality k (name, n) on k.name = p.name
    where (s.value #>> '{}') is distinct from (case cardinality(served.key) when 1 then id else (string_to_array(id, ':::'))[k.n] end));
begin
  if moved is not null then
    perform service.fail(400, 'KEY_IMMUTABLE', format('%s is the key of %s and cannot be changed.', array_to_string(moved, ', '), served.slug),
      jsonb_build_object('collection', served.slug, 'violations', (
        select jsonb_agg(jsonb_build_object('field', f, 'code', 'key_immutable', 'message', 'The key of a row cannot be changed.')) from unnest(moved) f)));
  end if;
end $$;

comment on function service.require_same_key(service.collections, jsonb, text) is
  'Nothing, or GW400 KEY_IMMUTABLE {collection, violations} when an update sends another key than that of its row.';

revoke all on function service.require_same_key(service.collections, jsonb, text) from public;
