-- {field} becomes the column of the row that the rule judges; what stands in quotes is left alone. A bare call of an
-- identity function would run once a row, (select …) runs once a query.
create or replace function service_private.rule_sql(collection text, alias text, sql text) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  identity constant text := '\m(?:auth|service)\.(uid|roles|jwt|is_anonymous)\(\s*\)';
  piece record;
  field text;
  part text;
  result text := '';
begin
  for piece in
    select m.parts[1] as quoted, m.parts[2] as plain
    from regexp_matches(sql, '(''(?:[^'']|'''')*''|"(?:[^"]|"")*")|([^''"]+|[''"])', 'g') with ordinality m (parts, n)
    order by m.n
  loop
    part := piece.plain;
    if part is null then
      result := result || piece.quoted;
      continue;
    end if;
    part := regexp_replace(part, '\(\s*select\s+(' || identity || ')\s*\)', '\1', 'gi');
    part := regexp_replace(part, identity, '(select service.\1())', 'gi');
    for field in select distinct f[1] from regexp_matches(part, '\{\s*([^{}\s]+)\s*\}', 'g') f loop
      part := regexp_replace(part, '\{\s*' || regexp_replace(field, '([^\w])', '\\\1', 'g') || '\s*\}',
        replace(coalesce(alias || '.' || quote_ident(service_private.field_column(collection, field)), '{' || field || '}'), '\', '\\'),
          'g');
    end loop;
    result := result || part;
  end loop;
  return result;
end $$;

comment on function service_private.rule_sql(text, text, text) is
  'The SQL of a rule as a policy needs it: {field} as a column of alias (SQL text), auth.uid(), auth.roles(), auth.jwt() as '
  '(select service.…()). An unknown {field} stays, so that the policy is refused.';
