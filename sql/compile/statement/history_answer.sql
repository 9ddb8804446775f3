-- A masked field is one that rows show otherwise than it is stored: history shows what is stored, so it does not show that.
create or replace function service_private.history_answer(collection text, shape jsonb, roles text[]) returns text
  language plpgsql stable as $fn$
declare
  served service.collections;
begin
  select c.* into served from service.collections c where c.slug = history_answer.collection;
  perform service_private.require_history(served);
  return (
    select service_private.fill($$
      select concat(
        '{"data":', h.data,
        ',"meta":{"total":', h.total, ',"limit":', <most>, ',"offset":', <skipped>,
        ',"hasMore":', (h.total > <skipped> + <most>)::text, '}}') as body
      from (
        select <entity> as entity
        from <table> t
        where <conditions>
        offset 0
      ) t
      cross join lateral service_private.history_page(
        <collection>, t.entity, <most>, <skipped>, <names>, <columns>, <texts>, <closed>) h
      offset 0
    $$,
    'entity', service_private.entity_id(served, 't'),
    'table', service_private.table_name(served.slug),
    'conditions', service_private.conjunction(array['ctx.ok']
      || service_private.key_conditions(served.slug, 't', '$' || (shape -> 'path' ->> 1))),
    'collection', quote_literal(served.slug),
    'most', format('$%s::bigint', shape -> 'limit' ->> 'param'),
    'skipped', coalesce('$' || (shape ->> 'offset') || '::bigint', '0'),
    'names', quote_literal(coalesce(array_agg(p.name order by p.position), '{}')),
    'columns', quote_literal(coalesce(array_agg(p.column_name order by p.position), '{}')),
    'texts', quote_literal(coalesce(array_agg(p.column_name) filter (where p.sql_type = 'json'), '{}')),
    'closed', quote_literal(coalesce(jsonb_object_agg(p.column_name, o.closed) filter (where o.closed is not null), '{}')))
    from service.properties p
    cross join lateral (select service_private.closed_parts_of(p, roles, 'read')) o (closed)
    where p.collection = served.slug and not p.excluded and service_private.unmasked(p, roles));
end $fn$;

comment on function service_private.history_answer(text, jsonb, text[]) is
  'SQL text of the answer to a list of a row''s history behind the gate (service.compile): body = {"data":[…],"meta":{total, limit, '
  'offset, hasMore}}; no row when the row does not exist or is hidden by row security, deleted ones included. GW400 BAD_REQUEST as '
  'service_private.require_history.';
