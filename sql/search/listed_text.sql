-- array_to_string is only stable, since some types are shown as settings say; texts are not.
create or replace function service.listed_text(list text[]) returns text
  language sql immutable parallel safe
  return coalesce(array_to_string(list, e'\n'), '');

comment on function service.listed_text(text[]) is
  'The texts of a list, one a line; '''' for none. A generated column calls it, so whoever writes such a table may.';

revoke all on function service.listed_text(text[]) from public;
grant execute on function service.listed_text(text[]) to service_user;
