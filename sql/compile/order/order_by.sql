-- NULLS is written only where it differs from the direction's default, so that plain indexes match.
create or replace function service_private.order_by(collection text, alias text, requested jsonb, roles text[]) returns text
  language plpgsql stable as $$
begin
  return (
    select string_agg(
      concat(k.expression, ' ', k.direction,
        case when k.nullable and k.nulls <> case k.direction when 'desc' then 'first' else 'last' end then ' nulls ' || k.nulls end),
      ', ' order by k.n)
    from service_private.order_keys(collection, alias, requested, roles) k);
end $$;

comment on function service_private.order_by(text, text, jsonb, text[]) is
  'SQL text after ORDER BY: the requested keys, then the collection''s key descending.';
