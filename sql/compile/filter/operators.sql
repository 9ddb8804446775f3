create or replace function service_private.operators()
  returns table (operator text, symbol text, template text, families text[], negated text, takes text)
  language sql immutable parallel safe
begin atomic
  select * from (values
    ('==',                 '=',         '%1$s %2$s %3$s',        '{string,number,boolean,date,binary}'::text[],  null,    'scalar'),
    ('!=',                 '<>',        '%1$s %2$s %3$s',        '{string,number,boolean,date,binary}',          '==',    'scalar'),
    ('>',                  '>',         '%1$s %2$s %3$s',        '{string,number,boolean,date}',                 null,    'scalar'),
    ('>=',                 '>=',        '%1$s %2$s %3$s',        '{string,number,boolean,date}',                 null,    'scalar'),
    ('<',                  '<',         '%1$s %2$s %3$s',        '{string,number,boolean,date}',                 null,    'scalar'),
    ('<=',                 '<=',        '%1$s %2$s %3$s',        '{string,number,boolean,date}',                 null,    'scalar'),
    ('in',                 '=',         '%1$s %2$s any (%3$s)',  '{string,number,boolean,date,binary}',          null,    'list'),
    ('not-in',             '<>',        '%1$s %2$s all (%3$s)',  '{string,number,boolean,date,binary}',          'in',    'list'),
    ('array-contains',     '@>',        '%1$s %2$s array[%3$s]', '{array}',                                      null,    'scalar'),
    ('array-contains-any', '&&',        '%1$s %2$s %3$s',        '{array}',                                      null,    'list'),
    ('like',               'like',      '%1$s %2$s %3$s',        '{string}',                                     null,    'text'),
    ('ilike',              'ilike',     '%1$s %2$s %3$s',        '{string}',                                     null,    'text'),
    ('not-like',           'not like',  '%1$s %2$s %3$s',        '{string}',                                     'like',  'text'),
    ('not-ilike',          'not ilike', '%1$s %2$s %3$s',        '{string}',                                     'ilike', 'text'),
    ('is-null',            null,        '%1$s is null',          '{string,number,boolean,date,array,map,binary}', null,   'nothing'),
    ('is-not-null',        null,        '%1$s is not null',      '{string,number,boolean,date,array,map,binary}', null,   'nothing')
  ) as o (operator, symbol, template, families, negated, takes);
end;

comment on function service_private.operators() is
  'The sixteen filter operators. symbol: SQL''s own; template: the condition (%1$s column, %2$s symbol as the column''s type has '
  'it, %3$s value); families: the property types they apply to; negated: the operator that a negative one denies across a '
  'relation; takes: what value.';
