create or replace function service_private.accounts_by_uid(uids text[]) returns json
  language sql stable
begin atomic
  with found as (
    select u, array_position(uids, u.uid) as place from service.users u where u.uid = any (uids)
  )
  select json_build_object('users', coalesce(json_agg(service_private.managed_account_json(f.u) order by f.place), '[]'),
    'total', count(*), 'limit', cardinality(uids), 'offset', 0)
  from found f;
end;

comment on function service_private.accounts_by_uid(text[]) is
  'These accounts in this order, as service_private.list_accounts; those that are not there are left out.';
