-- json keeps the order of the request's keys, which numbers the parameters; so the text is spliced, not rebuilt.
create or replace function service.with_route(op text, path text[], request json) returns json
  language sql immutable parallel safe
  return (concat('{"op":', to_json(op), ',"path":', to_json(path), case when request::jsonb = '{}' then '' else ',' end, substr(ltrim(request::text, E' \n\t\r'), 2)))::json;

comment on function service.with_route(text, text[], json) is 'A request with its op and path written before its own keys.';

revoke all on function service.with_route(text, text[], json) from public;
