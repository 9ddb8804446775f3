-- One row a rule: the type it is for, its key, its code, what is said when it does not hold. Values and bounds are read
-- before, each as what its type makes of it: the planner computes what is constant in every branch of a CASE.
create or replace function service.broken_rules(field text, value jsonb, type text, text text, rules jsonb)
  returns table (code text, message text)
  language plpgsql stable as $$
declare
  is_date boolean := type = 'date';
  amount numeric := case type when 'number' then text::numeric end;
  moment timestamptz := case when is_date then text::timestamptz end;
  size integer := case when type = 'string' then char_length(text) when type in ('array', 'vector') then jsonb_array_length(value) end;
  smallest numeric := case when not is_date then (rules ->> 'min')::numeric end;
  largest numeric := case when not is_date then (rules ->> 'max')::numeric end;
  first timestamptz := case when is_date then (rules ->> 'min')::timestamptz end;
  last timestamptz := case when is_date then (rules ->> 'max')::timestamptz end;
begin
  return query
  select r.code, format(r.message, broken_rules.field, rules ->> r.rule)
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
  where case when r.type <> broken_rules.type or not rules ? r.rule or rules -> r.rule in ('null', 'false') then false
    else not coalesce(case r.code
      when 'length' then size = (rules ->> 'length')::numeric
      when 'min_length' then size >= smallest
      when 'max_length' then size <= largest
      when 'pattern' then text ~ service.pattern(rules ->> 'matches')
      when 'email' then text = '' or text ~ '^[^\s@]+@[^\s@]+\.[^\s@]+$'
      when 'url' then text = '' or rules -> 'url' not in ('true', '"url"') or text ~* '^[a-z][a-z0-9+.-]*:(//[^\s/]|(?!//)\S)\S*$'
      when 'integer' then amount = trunc(amount)
      when 'positive' then amount > 0
      when 'negative' then amount < 0
      when 'min' then amount >= smallest
      when 'max' then amount <= largest
      when 'more_than' then amount > (rules ->> 'moreThan')::numeric
      when 'less_than' then amount < (rules ->> 'lessThan')::numeric
      when 'date_min' then moment >= first
      when 'date_max' then moment <= last
      when 'min_items' then size >= smallest
      when 'max_items' then size <= largest
      when 'unique_items' then (
        select count(*) = count(distinct e)
        from jsonb_array_elements(case broken_rules.type when 'array' then value else '[]' end) e)
      when 'type' then size = (rules ->> 'dimensions')::numeric
    end, true) end;
end $$;

comment on function service.broken_rules(text, jsonb, text, text, jsonb) is
  'The declared rules of a property that one value breaks, with the code and the message of each: length, min_length, max_length, '
  'pattern, email, url, integer, positive, negative, min, max, more_than, less_than, date_min, date_max, min_items, max_items, '
  'unique_items; type for a vector of another length.';

revoke all on function service.broken_rules(text, jsonb, text, text, jsonb) from public;
