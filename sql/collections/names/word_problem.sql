-- It is how the grammar tells names apart. Stable, as format() is: so it is inlined.
create or replace function service_private.word_problem(name text) returns text
  language sql stable parallel safe
  return case
    when name = '' then 'a name must not be empty'
    when name ~ '[.,:()*[:cntrl:]]|->|^\s|\s$'
      then format('a query cannot name %s: no dot, comma, colon, parenthesis, asterisk, "->", control character or blank at the ends',
        to_jsonb(name))
  end;

comment on function service_private.word_problem(text) is 'Why a query cannot say a name; null when it can.';
