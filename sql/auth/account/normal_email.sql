-- lower() of the "C" collation changes ASCII only. Under another one it depends on the platform, and may map İ to i and the Kelvin
-- sign to k: letters that spell another mailbox.
create or replace function service.normal_email(email text) returns text
  language plpgsql immutable strict parallel safe as $$
declare
  lowered constant text := lower(btrim(email) collate "C");
  shape constant text := regexp_replace(lowered, '[^\x01-\x7f]', 'a', 'g');
  labels text[];
begin
  if shape collate "C" !~ '^[a-z0-9!#$%&''*+/=?^_`{|}~.-]{1,64}@[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})*$' then
    return null;
  elsif octet_length(lowered) > char_length(lowered) and (lowered is not nfkc normalized or exists (
    select from regexp_split_to_table(regexp_replace(lowered, '[\x01-\x7f]', '', 'g'), '') l (letter)
    where not service.address_letters() @> ascii(l.letter)))
  then
    return null;
  end if;
  labels := array(
    select case when octet_length(l.label) > char_length(l.label) then 'xn--' || service.punycode(l.label) else l.label end
    from unnest(string_to_array(split_part(lowered, '@', 2), '.')) with ordinality l (label, n) order by l.n);
  if exists (select from unnest(labels) l (label) where char_length(l.label) > 63) or char_length(array_to_string(labels, '.')) > 253 then
    return null;
  end if;
  return split_part(lowered, '@', 1) || '@' || array_to_string(labels, '.');
end $$;

comment on function service.normal_email(text) is
  'The one form in which an address is stored, compared and counted: ASCII in lower case, the domain as A-labels, without spaces around '
  'it. Null for a text that has none: one with white space, or with a character that NFKC or case folding would change beyond that. '
  'normalAddress of the gateway is the same function.';

revoke all on function service.normal_email(text) from public;
