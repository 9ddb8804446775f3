-- The rows in between are read under their own row security; who is deleted leads nowhere. A row that is reached twice is one.
create or replace function service_private.via_source(relation service.relations) returns text
  language plpgsql stable as $fn$
declare
  steps jsonb := relation.via -> 'steps';
  count integer := jsonb_array_length(steps);
  sources text[] := '{}';
  conditions text[] := '{}';
  step jsonb;
begin
  for n in 1 .. count - 1 loop
    step := steps -> n - 1;
    sources := sources || format('%I.%I h%s', step ->> 'schema', step ->> 'table', n);
    if n > 1 then
      conditions := conditions || array(
        select format('h%s.%I = h%s.%I', n - 1, u.from, n, u.to)
        from rows from (jsonb_array_elements_text(step -> 'from'), jsonb_array_elements_text(step -> 'to')) u ("from", "to"));
    end if;
    conditions := conditions || array(
      select l.condition
      from service.collections c
      cross join lateral unnest(service_private.live_conditions(c.slug, 'h' || n)) l (condition)
      where c.schema_name = step ->> 'schema' and c.table_name = step ->> 'table');
  end loop;
  return service_private.fill($$
    (
      select distinct <columns>
      from <sources>
      where <conditions?>
    )
  $$,
  'columns', (
    select string_agg(format('%s.%I as %I', c.alias, c.name, c.shown), ', ')
    from (
      select 'h1', f.name, 'source' || f.n from jsonb_array_elements_text(steps -> 0 -> 'to') with ordinality f (name, n)
      union all
      select 'h' || (count - 1), l.name, 'target' || l.n from jsonb_array_elements_text(steps -> -1 -> 'from') with ordinality l (name, n)
    ) c (alias, name, shown)),
  'sources', array_to_string(sources, E'\ncross join '),
  'conditions', service_private.conjunction(conditions));
end $fn$;

comment on function service_private.via_source(service.relations) is
  'SQL text of what stands between the two sides of a via relation, as a junction: pairs of columns source1 … and target1 …, '
  'each once.';
