create or replace function service_private.type_family(type text) returns text
  language plpgsql immutable parallel safe as $$
begin
  return case
    when type in ('text', 'character varying', 'bpchar') then 'text'
    when type ~ '^(small|big)?(int|integer|serial)$' or type in ('numeric', 'real', 'double precision') then 'number'
    when type in ('date', 'timestamp without time zone', 'timestamp with time zone') then 'date'
    when type in ('json', 'jsonb', 'bytea') or type ~ '(^|[.])vector$' then null
    else type
  end;
end $$;

comment on function service_private.type_family(text) is
  'The family of types whose values PostgreSQL compares with each other; null for one whose values conditions do not compare.';
