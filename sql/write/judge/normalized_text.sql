create or replace function service.normalized_text(text text, rules jsonb) returns text
  language plpgsql immutable as $$
begin
  if rules -> 'trim' = 'true' then
    text := btrim(text, E' \t\r\n');
  end if;
  if rules -> 'lowercase' = 'true' then
    text := lower(text);
  end if;
  if rules -> 'uppercase' = 'true' then
    text := upper(text);
  end if;
  return text;
end $$;

comment on function service.normalized_text(text, jsonb) is
  'A text after the rules trim, lowercase and uppercase of its property, which apply before the others are judged.';

revoke all on function service.normalized_text(text, jsonb) from public;
grant execute on function service.normalized_text(text, jsonb) to service_user;
