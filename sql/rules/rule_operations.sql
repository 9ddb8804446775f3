-- One policy for all says what four that are equal say.
create or replace function service_private.rule_operations(rule jsonb) returns table (operation text, several boolean)
  language sql immutable parallel safe
begin atomic
  with named as (
    select distinct o
    from jsonb_array_elements_text(case jsonb_typeof(rule -> 'operations') when 'array' then rule -> 'operations'
      else jsonb_build_array(coalesce(rule ->> 'operation', 'all')) end) o
    where o in ('select', 'insert', 'update', 'delete', 'all')
  ), whole as (
    select bool_or(n.o = 'all') or count(*) = 4 as is_all, count(*) > 1 as several from named n
  )
  select n.o, w.several from named n cross join whole w where not w.is_all
  union all
  select 'all', false from whole w where w.is_all;
end;

comment on function service_private.rule_operations(jsonb) is 'The operations that a security rule is for; all when it names none.';
