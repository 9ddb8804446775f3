-- lower() of the "C" collation changes ASCII only. Under another one it depends on the platform, and may map İ to i and the Kelvin
-- sign to k: letters that spell another mailbox. Lengths stand outside the pattern: {1,64} in it makes it five times as slow.
create or replace function service_private.normal_email(email text) returns text
  language plpgsql immutable strict parallel safe as $$
declare
  lowered constant text := lower(btrim(email) collate "C");
  local_part constant text := split_part(lowered, '@', 1);
  shape text := lowered;
  domain text := split_part(lowered, '@', 2);
begin
  if char_length(local_part) > 64 or char_length(domain) > 253 then
    return null;
  elsif octet_length(lowered) > char_length(lowered) then
    if lowered is not nfkc normalized or exists (
      select from string_to_table(regexp_replace(lowered, '[\x01-\x7f]+', '', 'g'), null) l (letter)
      where not service_private.address_letters() @> ascii(l.letter))
    then
      return null;
    end if;
    shape := regexp_replace(lowered, '[^\x01-\x7f]+', 'a', 'g');
  end if;
  if shape collate "C" !~ '^[a-z0-9!#$%&''*+/=?^_`{|}~.-]+@[a-z0-9-]+(\.[a-z0-9-]+)*$' then
    return null;
  end if;
  if octet_length(domain) > char_length(domain) then
    domain := (
      select string_agg(case when octet_length(l.label) > char_length(l.label) then 'xn--' || service_private.punycode(l.label)
        else l.label end,
        '.' order by l.n)
      from string_to_table(domain, '.') with ordinality l (label, n));
  end if;
  if char_length(domain) > 253 or char_length(domain) > 63 and domain ~ '[^.]{64}' then
    return null;
  end if;
  return local_part || '@' || domain;
end $$;

comment on function service_private.normal_email(text) is
  'The one form in which an address is stored, compared and counted: ASCII in lower case, the domain as A-labels, without spaces around '
  'it. Null for a text that has none: one with white space, or with a character that NFKC or case folding would change beyond that. '
  'normalAddress of the gateway is the same function.';
