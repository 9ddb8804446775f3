-- The signature is checked when the statement runs; here, that what the cursor says it continues is this order, and
-- an order that this collection still has.
create or replace function service_private.require_cursor(collection text, shape jsonb, roles text[]) returns void
  language plpgsql stable as $$
declare
  code text;
begin
  if service_private.sorts_by_score(collection, shape) then
    perform service.fail(400, 'SCORE_CURSOR_UNSUPPORTED',
      'No cursor (after, startAfter) can continue an order by _score; use offset or page.', '{"field": "_score"}');
  end if;
  if shape -> 'after' -> 'keys' <> coalesce((
    select jsonb_agg(jsonb_build_array(k.value -> 'field', k.value -> 'direction',
      coalesce(k.value ->> 'nulls', case k.value ->> 'direction' when 'desc' then 'first' else 'last' end)) order by k.ordinality)
    from jsonb_array_elements(shape -> 'orderBy') with ordinality k), '[]') then
    perform service.fail(400, 'CURSOR_ORDER_MISMATCH', 'The cursor was issued under another order.',
      jsonb_build_object('orderBy', coalesce(shape -> 'orderBy', '[]'), 'cursor', shape -> 'after' -> 'keys'));
  end if;
  perform service_private.sort_key(collection, 't', k.value ->> 0, roles) from jsonb_array_elements(shape -> 'after' -> 'keys') k;
exception when sqlstate 'GW400' then
  get stacked diagnostics code = pg_exception_hint;
  if code in ('UNKNOWN_ORDER_BY_FIELD', 'ORDER_BY_FIELD_NOT_SORTABLE') then
    perform service.fail(400, 'INVALID_CURSOR', 'The cursor is of an order that this collection does not have.');
  end if;
  raise;
end $$;

comment on function service_private.require_cursor(text, jsonb, text[]) is
  'Nothing, or GW400 SCORE_CURSOR_UNSUPPORTED {field} when relevance is among the sort keys, CURSOR_ORDER_MISMATCH when '
  'shape.after was issued under another order than shape.orderBy, INVALID_CURSOR when it names a field that cannot be sorted by '
  '(any more).';
