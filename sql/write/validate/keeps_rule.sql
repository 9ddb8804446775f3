-- One expression without subqueries, so that the planner inlines the one relevant branch at the call. It evaluates
-- every constant in all branches of a CASE: with a constant text the code must be constant too.
create or replace function service_private.keeps_rule(type text, code text, value jsonb, text text, bound text) returns boolean
  language sql stable parallel safe
  return case code
    when 'length' then char_length(text) = bound::numeric
    when 'min_length' then char_length(text) >= bound::numeric
    when 'max_length' then char_length(text) <= bound::numeric
    when 'pattern' then text ~ service_private.pattern(bound)
    when 'email' then text = '' or text ~ '^[^\s@]+@[^\s@]+\.[^\s@]+$'
    when 'url' then text = '' or text ~* '^[a-z][a-z0-9+.-]*:(//[^\s/]|(?!//)\S)\S*$'
    when 'enum' then case type when 'number' then text::numeric = any (bound::numeric[]) else text = any (bound::text[]) end
    when 'integer' then text::numeric = trunc(text::numeric)
    when 'positive' then text::numeric > 0
    when 'negative' then text::numeric < 0
    when 'min' then text::numeric >= bound::numeric
    when 'max' then text::numeric <= bound::numeric
    when 'more_than' then text::numeric > bound::numeric
    when 'less_than' then text::numeric < bound::numeric
    when 'date_min' then text::timestamptz >= bound::timestamptz
    when 'date_max' then text::timestamptz <= bound::timestamptz
    when 'min_items' then jsonb_array_length(value) >= bound::numeric
    when 'max_items' then jsonb_array_length(value) <= bound::numeric
    when 'unique_items' then service_private.has_unique_items(value)
    when 'type' then jsonb_array_length(value) = bound::numeric
  end;

comment on function service_private.keeps_rule(text, text, jsonb, text, text) is
  'Whether a value that fits its property type (service_private.fits_type) keeps a rule, by the code and bound that '
  'service_private.declared_rules gives it. text: the value as text, normalized (service_private.normalized_text). Null for a code that is '
  'none.';

grant execute on function service_private.keeps_rule(text, text, jsonb, text, text) to service_user;
