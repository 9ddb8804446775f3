create or replace function service_private.texts_within(document jsonb) returns text
  language sql immutable parallel safe
begin atomic
  select coalesce(string_agg(v #>> '{}', e'\n'), '')
  from jsonb_path_query(document, 'strict $.** ? (@.type() == "string")') v;
end;

comment on function service_private.texts_within(jsonb) is
  'The texts at any depth of a JSON value, never its keys, one a line; '''' for none. A generated column calls it, so every writer of such '
  'a table may.';

grant execute on function service_private.texts_within(jsonb) to service_user;
