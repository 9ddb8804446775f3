-- A hash: subjects differ by case, addresses do not. Twitter's are numbers.
create or replace function service_private.placeholder_address(provider text, provider_id text) returns text
  language sql immutable strict parallel safe
  return case when provider = 'twitter' then provider_id else left(encode(sha256(convert_to(provider_id, 'UTF8')), 'hex'), 32) end
    || '@' || provider || '.placeholder.service';

comment on function service_private.placeholder_address(text, text) is
  'The address of an account whose provider told none (service_private.is_placeholder).';
