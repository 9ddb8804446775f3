-- EXISTS, never a join: a join would multiply rows and break limit and total.
create or replace function service_private.exists_condition(wanted boolean, source text, conditions text[]) returns text
  language plpgsql immutable as $$
begin
  return service_private.fill($sql$
      <exists> (
        select
        from <source>
        where <conditions>
      )
    $sql$,
    'exists', case when wanted then 'exists' else 'not exists' end,
    'source', source,
    'conditions', service_private.conjunction(conditions));
end $$;

comment on function service_private.exists_condition(boolean, text, text[]) is
  'SQL text of the condition that there are (wanted), or are no, rows of a source (after FROM) that meet these conditions.';
