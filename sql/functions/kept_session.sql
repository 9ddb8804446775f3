-- An error undoes what the function set for the session, which goes on with other callers.
create or replace function service_private.kept_session(body text, search_path text) returns text
  language sql volatile
  return case when current_user = 'service_user' and current_setting('search_path') = search_path then body
    else service.fail(500, 'INTERNAL_ERROR', 'The function changed the role or the search path of its session.') end;

comment on function service_private.kept_session(text, text) is
  'The body, or GW500 INTERNAL_ERROR where a function has left another role or search path than it found.';

grant execute on function service_private.kept_session(text, text) to service_user;
