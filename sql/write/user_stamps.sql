create or replace function service.user_stamps(served service.collections, op text, uid text) returns jsonb
  language sql stable
begin atomic
  select coalesce(jsonb_object_agg(p.column_name, nullif(uid, 'anonymous')), '{}')
  from service.properties p
  where p.collection = served.slug
    and p.attributes ->> 'autoValue' = any (case op when 'create' then array['user_on_create', 'user_on_update'] else array['user_on_update'] end);
end;

comment on function service.user_stamps(service.collections, text, text) is 'The columns that carry who wrote a row, by column; null for a visitor without a sign-in.';

revoke all on function service.user_stamps(service.collections, text, text) from public;
