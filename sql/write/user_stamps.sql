create or replace function service.user_stamps(served service.collections, op text) returns table (column_name text, expression text)
  language sql stable
begin atomic
  select p.column_name, format('nullif(service.uid(), ''anonymous'')::%s', p.sql_type)
  from service.properties p
  where p.collection = served.slug
    and p.attributes ->> 'autoValue' = any (case op when 'create' then array['user_on_create', 'user_on_update'] else array['user_on_update'] end);
end;

comment on function service.user_stamps(service.collections, text) is
  'The columns that carry who wrote a row, and SQL text of what is put there: null for a visitor without a sign-in.';

revoke all on function service.user_stamps(service.collections, text) from public;
