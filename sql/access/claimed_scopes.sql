create or replace function service_private.claimed_scopes(claims jsonb) returns text[]
  language sql immutable parallel safe
  return case
    when claims #> '{jwt,client_id}' is not null then string_to_array(coalesce(claims #>> '{jwt,scope}', ''), ' ')
    when claims ->> 'uid' like 'api-key:%' then array(select jsonb_array_elements_text(
      case jsonb_typeof(claims #> '{jwt,scopes}') when 'array' then claims #> '{jwt,scopes}' else '[]' end)) end;

comment on function service_private.claimed_scopes(jsonb) is
  'The scopes that bound a caller with these claims: of an API key, or of an OAuth client. Null: none do.';
