create or replace function service_private.security_rules()
  returns table (collection text, path text, n bigint, rule jsonb, operations text[], ways text[])
  language sql stable
begin atomic
  select c.slug, service_private.rule_path(c.definition, c.slug, r.n), r.n, r.rule,
    service_private.texts(r.rule -> 'operations'),
    array(
      select w.way
      from (values (1, 'ownerField', r.rule ? 'ownerField'), (2, 'access', r.rule ? 'access'), (3, 'condition', r.rule ? 'condition'),
        (4, 'using/withCheck', r.rule ?| '{using,withCheck}')) w (n, way, is_there)
      where w.is_there
      order by w.n)
  from service.collections c
  cross join jsonb_array_elements(c.definition -> 'securityRules') with ordinality r (rule, n)
  where c.source = 'file' and jsonb_typeof(r.rule) = 'object';
end;

comment on function service_private.security_rules() is
  'The security rules of definitions, with the place where each stands and the ways in which it says who.';
