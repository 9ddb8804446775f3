-- Few look at accounts, and rarely: the page is sorted as a whole.
create or replace function service_private.list_accounts(
  page_limit integer, page_offset bigint, search text default null, role text default null, order_by text default 'createdAt',
  descending boolean default true) returns json
  language sql stable set jit = off
begin atomic
  with found as (
    select u, row_number() over (
      order by
        case when not descending then case order_by when 'email' then u.email when 'displayName' then u.display_name end end,
        case when descending then case order_by when 'email' then u.email when 'displayName' then u.display_name end end desc nulls last,
        case when not descending then case order_by when 'createdAt' then u.created_at when 'updatedAt' then u.updated_at end end,
        case when descending then case order_by when 'createdAt' then u.created_at when 'updatedAt' then u.updated_at end end desc,
        u.uid) as place
    from service.users u
    where (list_accounts.role is null or list_accounts.role = any (u.roles))
      and (search is null or position(coalesce(service_private.normal_email(search), lower(search)) in u.email) > 0
        or position(lower(search) in lower(u.display_name)) > 0)
  )
  select json_build_object(
    'users', (
      select coalesce(json_agg(service_private.managed_account_json(f.u) order by f.place), '[]')
      from found f where f.place > page_offset and f.place <= page_offset + page_limit),
    'total', (select count(*) from found), 'limit', page_limit, 'offset', page_offset);
end;

comment on function service_private.list_accounts(integer, bigint, text, text, text, boolean) is
  'A page of accounts, as {users: [service_private.managed_account_json], total, limit, offset}. search: a part of the address or the '
  'name, in whatever case; order_by: email, displayName, createdAt or updatedAt.';
