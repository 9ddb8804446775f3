-- PostgreSQL stores a default with casts and parentheses of its own. Constants are compared as values of the column's
-- type; other expressions that still differ without casts and parentheses cannot be compared: null.
create or replace function service_private.same_default(stored text, wanted text, type text) returns boolean
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  constant constant text := '^(''(?:[^'']|'''')*''|-?[0-9.]+|true|false|null)$';
  cast_pattern constant text := '::[\w". ]+(\([\d, ]+\))?(\[\])?';
  left_side text := regexp_replace(btrim(stored, ' ()'), cast_pattern || '$', '');
  right_side text := regexp_replace(btrim(wanted, ' ()'), cast_pattern || '$', '');
  same boolean;
begin
  if stored = wanted or left_side = right_side then
    return true;
  elsif left_side ~* constant and right_side ~* constant then
    left_side := coalesce(quote_literal(replace(substring(left_side from '^''(.*)''$'), '''''', '''')), quote_literal(left_side));
    right_side := coalesce(quote_literal(replace(substring(right_side from '^''(.*)''$'), '''''', '''')), quote_literal(right_side));
    execute service_private.fill('select (<stored>::<type>)::text = (<wanted>::<type>)::text',
      'stored', left_side, 'wanted', right_side, 'type', type) into same;
    return same;
  end if;
  return case when lower(regexp_replace(regexp_replace(stored, cast_pattern, '', 'g'), '[\s()]', '', 'g'))
    = lower(regexp_replace(regexp_replace(wanted, cast_pattern, '', 'g'), '[\s()]', '', 'g')) then true end;
exception when data_exception then
  return false;
end $$;

comment on function service_private.same_default(text, text, text) is
  'Whether a column''s stored default means the wanted expression; null when that cannot be told.';
