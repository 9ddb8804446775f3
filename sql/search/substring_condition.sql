-- Substrings, case-insensitive, over the text columns that this caller may read. No such column: no row, never all.
create or replace function service_private.substring_condition(collection text, alias text, roles text[]) returns text
  language sql stable
begin atomic
  select case when count(*) = 0 then 'false' else
    format('not exists (select from unnest(ctx.patterns) p where not coalesce(%s, false))', string_agg(
      format('coalesce(%s.%I%s ilike p, false)', alias, c.column_name, concat(
        case when c.sql_type not in ('text', 'character varying', 'bpchar') then '::text' end,
        case when not service_private.takes_patterns(c.collection, c.column_name) then ' collate pg_catalog."default"' end)),
      ' or ' order by c.position)) end
  from service.properties c
  where c.collection = substring_condition.collection and c.type = 'string' and not c.excluded and service_private.filterable(c, roles)
    and (c.sql_type in ('text', 'character varying', 'bpchar') or c.sql_type ~ '^(.*\.)?citext$') and not c.attributes ? 'enum';
end;

comment on function service_private.substring_condition(text, text, text[]) is
  'SQL text of a substring search: every pattern of ctx.patterns matches in some text column that these roles may read.';
