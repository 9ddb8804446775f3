-- Escapes are of the id, not of its URL: what encodes a URL encodes them as well. Most ids have none.
create or replace function service_private.id_parts(id text) returns text[]
  language plpgsql immutable parallel safe as $$
begin
  if strpos(id, '%') = 0 then
    return string_to_array(id, ':::');
  end if;
  return array(
    select replace(replace(replace(part, '%3A', ':'), '%3a', ':'), '%25', '%')
    from unnest(string_to_array(id, ':::')) with ordinality p (part, n) order by n);
end $$;

comment on function service_private.id_parts(text) is
  'The parts of a composite id: joined by :::, with a colon or percent sign in a part written %3A or %25. Other percent signs '
  'stand for themselves.';

grant execute on function service_private.id_parts(text) to service_user;
