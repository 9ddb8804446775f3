-- A shown related row can be sent back: members besides its id and _pivot are ignored.
create or replace function service_private.sent_elements(value jsonb, key jsonb) returns jsonb
  language plpgsql immutable parallel safe as $$
begin
  return (
    select coalesce(jsonb_agg(jsonb_strip_nulls(jsonb_build_object('id', service_private.sent_id(e.item, key)))
      || case when e.item ? '_pivot' then jsonb_build_object('pivot', e.item -> '_pivot') else '{}' end order by e.n), '[]')
    from jsonb_array_elements(case jsonb_typeof(value) when 'array' then value when 'null' then '[]'
      else jsonb_build_array(value) end) with ordinality e (item, n));
end $$;

comment on function service_private.sent_elements(jsonb, jsonb) is
  'The related rows that a body names: [{id?: text, pivot?}] of an array, of one, or of null. key: the names of their key.';

grant execute on function service_private.sent_elements(jsonb, jsonb) to service_user;
