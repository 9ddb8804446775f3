-- Every row counts, visible to the caller or not. A value is found by an index where there is one: so it is compared
-- with all of its possible spellings.
create or replace function service_private.named_among(source text, spellings text[]) returns text[]
  language plpgsql stable set row_security = off set jit = off as $$
declare
  held service.storage_properties;
  found text[];
  named text[] := '{}';
begin
  for held in select p.* from service.storage_properties p where p.source = named_among.source loop
    execute service_private.fill(
      'select array(select distinct n.value from <table> t cross join lateral unnest(<names>) n (value) where <told>)',
      'table', service_private.table_name(held.collection), 'names', service_private.named_files(held, 't'),
      'told', case when held.sql_type ~ '^(json|jsonb)$|\[\]$' then 'n.value' else format('t.%I', held.column_name) end || ' = any ($1)')
    into found using spellings;
    named := named || found;
  end loop;
  return named;
end $$;

comment on function service_private.named_among(text, text[]) is
  'Which of these texts stand in any row, in a property that holds files of this source.';
