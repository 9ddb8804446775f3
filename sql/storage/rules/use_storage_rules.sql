-- Anonymous callers may read where every caller may, and everywhere where no sign-in is required; but where there are
-- no rules, a setting that restricts access is not widened by that.
create or replace function service_private.use_storage_rules(rules jsonb) returns table (path text, problem text)
  language plpgsql volatile set jit = off as $$
#variable_conflict use_column
begin
  return query select p.path, p.problem from service_private.storage_rule_problems(rules) p;
  if found or exists (select from service.storage_access a where a.given = rules) then
    return;
  end if;
  lock table service.storage_access in share row exclusive mode;
  update service.storage_access set
    given = rules,
    authorizer = (select f.called from service_private.caller_function(rules ->> 'authorize', 'boolean') f
      where rules ->> 'authorize' is not null),
    has_policies = exists (select from jsonb_array_elements(rules -> 'policies')),
    open_for = case
      when (rules ->> 'authRequired')::boolean is false
          and (jsonb_array_length(rules -> 'policies') > 0 or rules ->> 'authorize' is not null
            or ((rules ->> 'publicRead')::boolean is not true and (rules ->> 'allowAnyAuthenticated')::boolean is not true))
        then '{read,write,delete,list}'
      when (rules ->> 'publicRead')::boolean then '{read}'
      else '{}' end::text[];
  delete from service.storage_policies;
  insert into service.storage_policies (place, path, pattern, names, operations, allow, subject, id)
  select p.n - 1, p.rule ->> 'path', k.pattern, k.names,
    coalesce(service_private.texts(p.rule -> 'operations'), '{read,write,delete,list}'),
    case when jsonb_typeof(a.allow) = 'string' then a.allow #>> '{}' when a.allow ? 'row' then 'row' else 'function' end,
    case when a.allow ? 'row' then a.allow ->> 'row'
      when a.allow ? 'function' then (select f.called from service_private.caller_function(a.allow ->> 'function', 'boolean') f) end,
    a.allow ->> 'id'
  from jsonb_array_elements(rules -> 'policies') with ordinality p (rule, n)
  cross join lateral (select p.rule -> 'allow' as allow) a
  cross join lateral service_private.key_pattern(p.rule ->> 'path') k;
  perform service_private.keep_file_statements();
  delete from service.storage_triggers;
  insert into service.storage_triggers (place, path, pattern, names, events, handler)
  select t.n - 1, t.rule ->> 'path', k.pattern, k.names, service_private.texts(t.rule -> 'events'),
    (select f.called from service_private.caller_function(t.rule ->> 'handler', 'void') f)
  from jsonb_array_elements(rules -> 'triggers') with ordinality t (rule, n)
  cross join lateral service_private.key_pattern(t.rule ->> 'path') k;
end $$;

comment on function service_private.use_storage_rules(jsonb) is
  'From now on these say who may do what with files, and no others: {authorize: function, policies: [{path, operations, allow}], triggers: '
  '[{path, events, handler}], publicRead, allowAnyAuthenticated, authRequired}, as the settings file and its variables have them. Where '
  'something is wrong nothing changes, and rows say what (service_private.storage_rule_problems). Called by each start.';
