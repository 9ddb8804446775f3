create or replace function service.rule_operations(rule jsonb) returns table (operation text, several boolean)
  language sql immutable parallel safe
begin atomic
  with named as (
    select distinct o
    from jsonb_array_elements_text(case jsonb_typeof(rule -> 'operations') when 'array' then rule -> 'operations'
      else jsonb_build_array(coalesce(rule ->> 'operation', 'all')) end) o
    where o in ('select', 'insert', 'update', 'delete', 'all')
  )
  select n.o, (select count(*) > 1 from named) from named n;
end;

comment on function service.rule_operations(jsonb) is 'The operations that a security rule is for; all when it names none.';

revoke all on function service.rule_operations(jsonb) from public;
