-- The regular English plurals; what it does not know it leaves alone.
create or replace function service.singular(name text) returns text
  language sql immutable parallel safe
  return case
    when name ~* 'people$' then regexp_replace(name, 'people$', 'person', 'i')
    when name ~* 'children$' then regexp_replace(name, 'ren$', '', 'i')
    when name ~* '(series|species|news)$' then name
    when name ~* '[^aeiou]ies$' then regexp_replace(name, 'ies$', 'y', 'i')
    when name ~* '(ss|sh|ch|x|z)es$' then regexp_replace(name, 'es$', '', 'i')
    when name ~* '(ss|us|is)$' then name
    when name ~* 's$' then regexp_replace(name, 's$', '', 'i')
    else name
  end;

comment on function service.singular(text) is 'The singular of an English plural: categories is category, addresses is address, status stays.';

revoke all on function service.singular(text) from public;
