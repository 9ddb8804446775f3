create or replace function service_private.are_comparable(one text, other text) returns boolean
  language sql immutable parallel safe
  return one = other
    or (one in ('smallint', 'integer', 'bigint') and other in ('smallint', 'integer', 'bigint'))
    or (one in ('text', 'character varying', 'bpchar') and other in ('text', 'character varying', 'bpchar'));

comment on function service_private.are_comparable(text, text) is
  'Whether a foreign key of the one type can lead to a column of the other.';
