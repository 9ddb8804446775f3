create or replace function service_private.owner_of(condition text) returns text
  language sql immutable parallel safe
  return coalesce(
    substring(condition from '([\w".]+)\)?(?:::text)? = \(+ ?SELECT service\.uid\(\)'),
    substring(condition from 'service\.uid\(\)(?: AS uid\))? = \(?([\w".]+)'));

comment on function service_private.owner_of(text) is
  'The column that a condition, as PostgreSQL writes it, compares with the caller''s uid.';
