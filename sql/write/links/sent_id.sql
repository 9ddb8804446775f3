create or replace function service_private.sent_id(item jsonb, key jsonb) returns text
  language sql immutable parallel safe
  return case
    when jsonb_typeof(item) in ('string', 'number') then nullif(item #>> '{}', '')
    when jsonb_typeof(item) <> 'object' then null
    when jsonb_array_length(key) = 1 then coalesce(item ->> (key ->> 0), item ->> 'id')
    else (
      select string_agg(replace(replace(item ->> k.name, '%', '%25'), ':', '%3A'), ':::' order by k.n)
      from jsonb_array_elements_text(key) with ordinality k (name, n)
      having bool_and(item ->> k.name is not null)) end;

comment on function service_private.sent_id(jsonb, jsonb) is
  'The id of a related row that is sent as its id, or as an object with its key (names), as service_private.id_parts takes it apart; null '
  'when there is none.';

grant execute on function service_private.sent_id(jsonb, jsonb) to service_user;
