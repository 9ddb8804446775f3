-- One row a rule: the types it is for, its key, its code, whether it holds, what is said when it does not.
create or replace function service.broken_rules(field text, value jsonb, type text, text text, rules jsonb)
  returns table (code text, message text)
  language sql stable
begin atomic
  select r.code, format(r.message, field, rules ->> r.rule)
  from (values
    ('string', 'length',      'length',       '%s must have %s characters.',         char_length(text) = (rules ->> 'length')::numeric),
    ('string', 'min',         'min_length',   '%s must have at least %s characters.', char_length(text) >= (rules ->> 'min')::numeric),
    ('string', 'max',         'max_length',   '%s must have at most %s characters.',  char_length(text) <= (rules ->> 'max')::numeric),
    ('string', 'matches',     'pattern',      '%s does not match its pattern.',       text ~ (service.pattern(rules ->> 'matches'))),
    ('string', 'email',       'email',        '%s must be an email address.',         rules -> 'email' <> 'true' or text = '' or text ~ '^[^\s@]+@[^\s@]+\.[^\s@]+$'),
    ('string', 'url',         'url',          '%s must be an absolute URL.',          rules -> 'url' not in ('true', '"url"') or text = '' or text ~* '^[a-z][a-z0-9+.-]*://[^\s/]+'),
    ('number', 'integer',     'integer',      '%s must be a whole number.',           rules -> 'integer' <> 'true' or case when type = 'number' then text::numeric = trunc(text::numeric) end),
    ('number', 'positive',    'positive',     '%s must be above 0.',                  rules -> 'positive' <> 'true' or case when type = 'number' then text::numeric > 0 end),
    ('number', 'negative',    'negative',     '%s must be below 0.',                  rules -> 'negative' <> 'true' or case when type = 'number' then text::numeric < 0 end),
    ('number', 'min',         'min',          '%s must be at least %s.',              case when type = 'number' then text::numeric >= (rules ->> 'min')::numeric end),
    ('number', 'max',         'max',          '%s must be at most %s.',               case when type = 'number' then text::numeric <= (rules ->> 'max')::numeric end),
    ('number', 'moreThan',    'more_than',    '%s must be above %s.',                 case when type = 'number' then text::numeric > (rules ->> 'moreThan')::numeric end),
    ('number', 'lessThan',    'less_than',    '%s must be below %s.',                 case when type = 'number' then text::numeric < (rules ->> 'lessThan')::numeric end),
    ('date',   'min',         'date_min',     '%s must not be before %s.',            case when type = 'date' then text::timestamptz >= (rules ->> 'min')::timestamptz end),
    ('date',   'max',         'date_max',     '%s must not be after %s.',             case when type = 'date' then text::timestamptz <= (rules ->> 'max')::timestamptz end),
    ('array',  'min',         'min_items',    '%s must have at least %s items.',      case when jsonb_typeof(value) = 'array' then jsonb_array_length(value) >= (rules ->> 'min')::numeric end),
    ('array',  'max',         'max_items',    '%s must have at most %s items.',       case when jsonb_typeof(value) = 'array' then jsonb_array_length(value) <= (rules ->> 'max')::numeric end),
    ('array',  'uniqueInArray', 'unique_items', '%s must not repeat an item.',        rules -> 'uniqueInArray' <> 'true' or case when jsonb_typeof(value) = 'array' then (select count(*) = count(distinct e) from jsonb_array_elements(value) e) end)
  ) as r (type, rule, code, message, holds)
  where r.type = broken_rules.type and rules ? r.rule and not coalesce(r.holds, true);
end;

comment on function service.broken_rules(text, jsonb, text, text, jsonb) is
  'The declared rules of a property that one value breaks, with the code and the message of each: length, min_length, max_length, pattern, email, url, integer, positive, negative, min, max, more_than, less_than, date_min, date_max, min_items, max_items, unique_items.';

revoke all on function service.broken_rules(text, jsonb, text, text, jsonb) from public;
