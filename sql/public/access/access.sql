create or replace function service.access(collection text, id text, operation text default 'read',
  claims jsonb default service_private.service_claims(), proposed jsonb default null)
  returns table (
    part text, name text, origin text, effect text, clause text, expression text, verdict text, message text)
  language plpgsql volatile set jit = off as $$
#variable_conflict use_column
declare
  served service.collections;
  relation regclass;
  stamp constant text := service_private.deletion_stamp(access.collection);
  is_soft constant boolean := access.operation = 'delete' and stamp is not null;
  asked constant text := case when is_soft then 'update' else access.operation end;
  is_tried boolean;
  stored text;
  is_deleted boolean := false;
  changed jsonb;
  policies jsonb;
  is_secured boolean;
  is_view boolean;
  late text;
  by_policies text;
  limits jsonb;
  refusal jsonb;
  words text;
  reason text;
begin
  if access.operation in ('read', 'create', 'update', 'delete') is not true then
    perform service.fail(400, 'INVALID_PARAM', 'An operation is read, create, update or delete.');
  end if;
  select c.* into served from service.collections c where c.slug = access.collection;
  relation := to_regclass(service_private.table_name(served.slug));
  if relation is null then
    perform service.fail(404, 'NOT_FOUND', 'No such collection.');
  elsif row_security_active(relation) then
    perform service.fail(403, 'FORBIDDEN', format('%I is under the row security of %s itself. Ask as the owner of the table.',
      current_user, relation));
  end if;
  if access.operation <> 'create' then
    select f.stored, f.is_deleted into stored, is_deleted from service_private.stored_row(served, access.id) f;
  end if;
  changed := case when is_soft then jsonb_build_object(stamp, now())
    when access.operation in ('create', 'update') then service_private.tried_columns(served, access.operation, proposed, claims)
    else '{}' end;
  policies := service_private.judged_policies(served, asked, stored, changed, claims);
  select c.relrowsecurity, c.relkind = 'v' into is_secured, is_view from pg_catalog.pg_class c where c.oid = relation;
  -- The timeout of a statement fires once: what is tried after it would have none.
  late := (select p ->> 'name' from jsonb_array_elements(policies) p where p ->> 'verdict' = 'error 57014' limit 1);
  by_policies := case when late is not null then format('%s took longer than statement_timeout', late)
    when is_secured then service_private.policies_in_words(policies, served, asked, stored, changed, claims) end;
  select coalesce(jsonb_agg(jsonb_strip_nulls(to_jsonb(l))), '[]') into limits
  from (
    select l.* from service_private.access_limits(served, access.operation, stored, proposed, claims) l
    union all
    select l.*, format('%s: the tenant of the row is not one of the caller', l.name)
    from service_private.tenant_limit(served, asked, stored, changed, claims) l
    where late is null) l;
  is_tried := late is null
    and (access.operation = 'create' or stored is not null or is_view and access.id is not null)
    and (access.operation <> 'update' or proposed is not null);
  if is_tried then
    select u.refusal -> 'error', u.words into refusal, words
    from service_private.undone((jsonb_build_object(
        'op', case access.operation when 'read' then 'get' else access.operation end,
        'path', jsonb_build_array(access.collection) || case access.operation when 'create' then '[]' else jsonb_build_array(access.id) end)
      || case when access.operation in ('create', 'update') then jsonb_build_object('body', coalesce(proposed, '{}')) else '{}' end)::json,
      claims) u;
    by_policies := coalesce(by_policies, case when refusal ->> 'code' = 'NOT_FOUND' then service_private.view_in_words(relation) end);
  end if;
  reason := service_private.access_in_words(access.operation, limits, by_policies, words, is_deleted, policies);

  return query
  select 'policy', p ->> 'name', p ->> 'origin', case when (p ->> 'permissive')::boolean then 'permissive' else 'restrictive' end,
    concat_ws(' ', p ->> 'command', p ->> 'clause'), p ->> 'laid_out', p ->> 'verdict', p ->> 'message'
  from jsonb_array_elements(policies) with ordinality u (p, n)
  order by u.n;
  return query
  select l ->> 'part', l ->> 'name', null, null, null, null, l ->> 'verdict', l ->> 'message'
  from jsonb_array_elements(limits) with ordinality u (l, n)
  order by u.n;
  return query
  select l.* from (values
    ('deleted', stamp, null, null, null, null, 'false', 'A soft delete has stamped the row.'),
    ('request', refusal ->> 'code', null, null, null, null, (refusal is null)::text, refusal ->> 'message'),
    ('answer', null, null, null, null, null, starts_with(reason, 'allowed')::text, reason)) l (part, a, b, c, d, e, f, g)
  where case l.part when 'deleted' then is_deleted when 'request' then is_tried else true end;
end $$;

comment on function service.access(text, text, text, jsonb, jsonb) is
  'Why a caller may, or may not, read, create, update or delete a row, one line for each thing that decides: part policy, one line for '
  'each clause of each policy that applies (name; origin, where a generated one comes from; effect permissive or restrictive; clause; '
  'expression; verdict true, false, null, error and its SQLSTATE, or not tried; message of the error); exposed, read-only, scope, '
  'grant, field, row, tenant, deleted (verdict true where it lets the caller pass); request, the whole request, tried and undone (name: '
  'the code of its refusal); answer, the reason in words, without values of rows and messages of policies. claims: the caller '
  '(service.account_claims makes those of an account), by default the service key; proposed: the body of a create or an update, of a '
  'read the fields that it names. Changes nothing but sequences. Set statement_timeout where policies may take long: what it interrupts '
  'is an error of that policy. GW404 NOT_FOUND, GW400 INVALID_PARAM; GW403 FORBIDDEN for a '
  'role that is under the row security of the table itself.';

-- Example: select part, name, verdict, message from service.access('orders', '1', 'read', service.account_claims('anonymous'));
