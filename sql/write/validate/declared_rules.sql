-- One row a rule: the type it is for, its key, its code, what is said when it does not hold.
create or replace function service_private.declared_rules(field text, type text, attributes jsonb)
  returns table (code text, bound text, message text)
  language plpgsql stable as $$
declare
  rules jsonb := coalesce(attributes -> 'validation', '{}') || jsonb_strip_nulls(jsonb_build_object(
    'email', attributes -> 'email', 'url', attributes -> 'url', 'dimensions', attributes -> 'dimensions',
    'max', coalesce(attributes -> 'validation' -> 'max', case type when 'string' then attributes -> 'maxLength' end)));
  listed text[] := array(select jsonb_array_elements_text(attributes -> 'enum'));
begin
  return query
  select r.code, rules ->> r.rule,
    coalesce(case r.code when 'pattern' then rules ->> 'matchesMessage' end, format(r.message, field, rules ->> r.rule))
  from (values
    ('string', 'length',        'length',       '%s must have %s characters.'),
    ('string', 'min',           'min_length',   '%s must have at least %s characters.'),
    ('string', 'max',           'max_length',   '%s must have at most %s characters.'),
    ('string', 'matches',       'pattern',      '%s does not match its pattern.'),
    ('string', 'email',         'email',        '%s must be an email address.'),
    ('string', 'url',           'url',          '%s must be an absolute URL.'),
    ('number', 'integer',       'integer',      '%s must be a whole number.'),
    ('number', 'positive',      'positive',     '%s must be above 0.'),
    ('number', 'negative',      'negative',     '%s must be below 0.'),
    ('number', 'min',           'min',          '%s must be at least %s.'),
    ('number', 'max',           'max',          '%s must be at most %s.'),
    ('number', 'moreThan',      'more_than',    '%s must be above %s.'),
    ('number', 'lessThan',      'less_than',    '%s must be below %s.'),
    ('date',   'min',           'date_min',     '%s must not be before %s.'),
    ('date',   'max',           'date_max',     '%s must not be after %s.'),
    ('array',  'min',           'min_items',    '%s must have at least %s items.'),
    ('array',  'max',           'max_items',    '%s must have at most %s items.'),
    ('array',  'uniqueInArray', 'unique_items', '%s must not repeat an item.'),
    ('vector', 'dimensions',    'type',         '%s must have %s numbers.')
  ) as r (type, rule, code, message)
  where r.type = declared_rules.type and rules ? r.rule and rules -> r.rule not in ('null', 'false')
  union all
  select 'enum', listed::text, format('%s must be one of %s.', field, array_to_string(listed, ', '))
  where attributes ? 'enum';
end $$;

comment on function service_private.declared_rules(text, text, jsonb) is
  'The rules that the attributes of a property (service_private.value_rules, and maxLength) declare for values of its type, by their '
  'codes: the bound as text (of an enum an array), and what is said of a field that breaks it. length, min_length, max_length, pattern, '
  'email, url, integer, positive, negative, min, max, more_than, less_than, date_min, date_max, min_items, max_items, unique_items, enum; '
  'type for a vector of another length. service_private.keeps_rule judges them.';
