create or replace function service_private.tried_why(request json, claims jsonb) returns text
  language plpgsql volatile as $$
declare
  path constant jsonb := request::jsonb -> 'path';
  is_of_row constant boolean := jsonb_array_length(path) % 2 = 0;
  collection text;
begin
  if request -> 'bulk' is not null then
    return null;
  end if;
  collection := service_private.path_collection(path, service_private.claimed_roles(claims));
  return (
    select a.message
    from service.access(collection, case when is_of_row then path ->> -1 end,
      case when request ->> 'op' in ('create', 'update', 'delete') then request ->> 'op' else 'read' end, claims,
      case when request ->> 'op' in ('create', 'update') then request::jsonb -> 'body' end) a
    where a.part = 'answer' and a.verdict = 'false');
exception when others then
  return null; -- a path that leads nowhere
end $$;

comment on function service_private.tried_why(json, jsonb) is
  'The answer of service.access about the row, or the create, that a refused request is of; null where it finds no reason, and for many '
  'rows.';
