-- One row an operator. left/right: the column expression (%1$s) and the value (%2$s) as they stand in the template.
-- families: the property types it applies to. negated: the operator whose absence it means across a relation.
create or replace function service.operators()
  returns table (operator text, template text, families text[], negated text, takes text)
  language sql immutable parallel safe
begin atomic
  select * from (values
    ('==',                 '%1$s = %2$s',             '{string,number,boolean,date}'::text[],              null,    'scalar'),
    ('!=',                 '%1$s <> %2$s',            '{string,number,boolean,date}',                      '==',    'scalar'),
    ('>',                  '%1$s > %2$s',             '{string,number,boolean,date}',                      null,    'scalar'),
    ('>=',                 '%1$s >= %2$s',            '{string,number,boolean,date}',                      null,    'scalar'),
    ('<',                  '%1$s < %2$s',             '{string,number,boolean,date}',                      null,    'scalar'),
    ('<=',                 '%1$s <= %2$s',            '{string,number,boolean,date}',                      null,    'scalar'),
    ('in',                 '%1$s = any (%2$s)',       '{string,number,boolean,date}',                      null,    'list'),
    ('not-in',             '%1$s <> all (%2$s)',      '{string,number,boolean,date}',                      'in',    'list'),
    ('array-contains',     '%1$s @> array[%2$s]',     '{array}',                                           null,    'scalar'),
    ('array-contains-any', '%1$s && %2$s',            '{array}',                                           null,    'list'),
    ('like',               '%1$s like %2$s',          '{string}',                                          null,    'text'),
    ('ilike',              '%1$s ilike %2$s',         '{string}',                                          null,    'text'),
    ('not-like',           '%1$s not like %2$s',      '{string}',                                          'like',  'text'),
    ('not-ilike',          '%1$s not ilike %2$s',     '{string}',                                          'ilike', 'text'),
    ('is-null',            '%1$s is null',            '{string,number,boolean,date,array,map,binary}',      null,    'nothing'),
    ('is-not-null',        '%1$s is not null',        '{string,number,boolean,date,array,map,binary}',      null,    'nothing')
  ) as o (operator, template, families, negated, takes);
end;

comment on function service.operators() is
  'The sixteen filter operators: their SQL template (%1$s column, %2$s value), the property types they apply to, the positive operator that a negative one denies across a relation, and what value they take.';

revoke all on function service.operators() from public;
