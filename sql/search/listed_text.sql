-- array_to_string is only stable, since some types are shown as settings say; texts are not.
create or replace function service_private.listed_text(list text[]) returns text
  language sql immutable parallel safe
  return coalesce(array_to_string(list, e'\n'), '');

comment on function service_private.listed_text(text[]) is
  'The texts of a list, one a line; '''' for none. A generated column calls it, so every writer of such a table may.';

grant execute on function service_private.listed_text(text[]) to service_user;
