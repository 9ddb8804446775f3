-- json keeps the order of the request's keys, which numbers the parameters.
create or replace function service_private.with_route(op text, path text[], request json) returns json
  language sql immutable parallel safe
begin atomic
  select json_object_agg(k.key, k.value order by k.place, k.n)
  from (
    select 1 as place, r.n, r.key, r.value
    from (values (1, 'op', to_json(with_route.op)), (2, 'path', to_json(with_route.path))) r (n, key, value)
    union all
    select 2, r.n, r.key, r.value from json_each(request) with ordinality r (key, value, n)) k;
end;

comment on function service_private.with_route(text, text[], json) is 'A request with its op and path before its own keys.';
