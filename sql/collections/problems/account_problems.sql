-- Accounts are made, deleted and changed without a word about what else a row holds: that must do without.
create or replace function service_private.account_problems() returns table (path text, problem text)
  language plpgsql stable as $$
#variable_conflict use_column
begin
  return query
  with holder as (
    select c.slug, c.definition, min(c.slug) over () as first
    from service.collections c
    where c.source = 'file' and service_private.holds_accounts(c.definition)
  ), property as (
    select p.*, f.column_name as shown, f.name is not null as is_account,
      case f.property ->> 'type' when 'array' then 'text[]' when 'map' then 'jsonb' when 'boolean' then 'boolean'
        when 'date' then 'timestamp with time zone' when 'string' then 'text' end as wanted_type
    from holder h
    join service.properties p on p.collection = h.slug
    left join service_private.account_fields() f on f.name = p.name
    where not service_private.is_broken(h.slug, p.name)
  )
  select h.slug || '.auth', format('accounts are the rows of %s already, and of one collection only', h.first)
  from holder h
  where h.slug <> h.first
  union all
  select format('%s.%s', h.slug, k.key), k.problem
  from holder h
  cross join (values
    ('softDelete', 'a deleted account is gone; one that is to stay is disabled'),
    ('tenant', 'an account is made before it could belong to a tenant; let a collection of members say who belongs where')) k (key, problem)
  where coalesce(h.definition -> k.key, 'false') <> 'false'
  union all
  select format('%s.properties.%s.isId', p.collection, p.name), 'the key of an account is a text or a uuid, its uid'
  from property p
  where p.attributes ? 'isId' and p.sql_type not in ('text', 'uuid')
  union all
  select format('%s.properties.%s.type', p.collection, p.name), format('%s of an account is %s, and here it would be %s',
    p.name, p.wanted_type, p.sql_type)
  from property p
  where p.is_account and p.sql_type <> p.wanted_type
  union all
  select format('%s.properties.%s.validation.required', p.collection, p.name),
    'accounts are made without it: it needs a defaultValue, or may be missing'
  from property p
  where p.not_null and not p.attributes ? 'isId' and p.shown is distinct from 'email'
    and p.attributes #> '{column,default}' = 'null' and not (p.attributes #> '{column,identity}')::boolean
    and p.attributes #>> '{column,type}' not like '%serial';
end $$;

comment on function service_private.account_problems() is 'Problems that keep the rows of a collection with "auth" from being accounts.';
