-- An operation such as $inc is left out: policies judge the value that is stored.
create or replace function service_private.tried_columns(served service.collections, operation text, proposed jsonb, claims jsonb)
  returns jsonb
  language sql stable
begin atomic
  select coalesce(jsonb_object_agg(c.name, c.value), '{}')
  from (
    select (s.property).column_name,
      case when jsonb_typeof(v.value) = 'object' then coalesce(v.value -> s.unwraps, v.value) else v.value end
    from service_private.sent_fields(served, array(select jsonb_object_keys(coalesce(proposed, '{}')))) s
    cross join lateral (select proposed -> s.field) v (value)
    where (v.value @? '$.keyvalue() ? (@.key starts with "$")') is not true
    union all
    select p.column_name, case when coalesce(claims ->> 'uid', 'anonymous') <> 'anonymous'
      and (p.sql_type <> 'uuid' or claims ->> 'uid' ~ '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$') then claims -> 'uid' end
    from service.properties p
    where p.collection = served.slug and operation in ('create', 'update')
      and p.attributes ->> 'autoValue' in ('user_on_update', case operation when 'create' then 'user_on_create' end)
  ) c (name, value)
  where c.name is not null;
end;

comment on function service_private.tried_columns(service.collections, text, jsonb, jsonb) is
  'Returns the values that a request would give a row, by columns: those that it sends, and the stamps of the caller.';
