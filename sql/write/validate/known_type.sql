-- A plan names types as text, and a function that casts to them may run with the owner's rights on a plan that its caller sent. The
-- parser of type names takes one type and nothing after it: no expression, no second statement. The text is kept as it is, because
-- a regtype loses the length.
create or replace function service_private.known_type(type text) returns text
  language plpgsql stable parallel safe as $$
begin
  if to_regtype(type) is null then
    raise undefined_object using message = format('type "%s" does not exist', type);
  end if;
  return type;
end $$;

comment on function service_private.known_type(text) is
  'The name of a type, unchanged, for use as SQL text in a cast. 42704 for the name of no type, 42601 for a text that is no name of a '
  'type.';
