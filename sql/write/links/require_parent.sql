create or replace function service_private.require_parent(request jsonb, state text) returns void
  language plpgsql stable as $$
declare
  path constant text := (select string_agg(a, '/' order by n) from jsonb_array_elements_text(request -> 'above') with ordinality u (a, n));
begin
  if state is null then
    perform service.fail(404, 'NOT_FOUND', 'No such row above it, or row security hides it from this caller.',
      jsonb_build_object('path', path));
  elsif state::boolean then
    perform service.fail(400, 'RELATION_SOURCE_KEY_EMPTY', 'The row above it has nothing that could be led back to.',
      jsonb_build_object('path', path));
  end if;
end $$;

comment on function service_private.require_parent(jsonb, text) is
  'Nothing, or what is wrong with the parent of a nested write (state: service_private.parent_state): GW404 NOT_FOUND, GW400 '
  'RELATION_SOURCE_KEY_EMPTY {path}.';

grant execute on function service_private.require_parent(jsonb, text) to service_user;
