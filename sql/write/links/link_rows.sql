-- The beginning of every statement about links. A related row that the caller does not see, or that is deleted, has a
-- null key; the last of several mentions counts.
create or replace function service_private.link_rows(relation service.relations, source text, listed text) returns text
  language plpgsql stable as $fn$
declare
  key text[] := service_private.key_columns(relation.target);
begin
  return service_private.fill($$
    with source as materialized (
      <source>
    ),
    listed as materialized (
      select distinct on (<key>) e.n - 1 as n, e.item -> 'pivot' as pivot, <columns>
      from jsonb_array_elements(<listed>) with ordinality e (item, n)
      left join <target> t on <conditions>
      order by <key>, e.n desc
    )
  $$,
  'source', source,
  'key', service_private.column_list('t', key),
  'columns', (
    select string_agg(format('t.%I as %s', c.name, c.alias), ', ')
    from (
      select k.name, 'key' || k.n from unnest(key) with ordinality k (name, n)
      union all
      select k.name, 'link' || k.n from unnest(relation.target_columns) with ordinality k (name, n)) c (name, alias)),
  'listed', listed,
  'target', service_private.table_name(relation.target),
  'conditions', array_to_string(
    service_private.key_conditions(relation.target, 't', '(e.item ->> ''id'')') || service_private.live_conditions(relation.target, 't'),
      ' and '));
end $fn$;

comment on function service_private.link_rows(service.relations, text, text) is
  'SQL text, WITH, of two sets: source, rows of the relation''s collection (SQL text of a query), and listed, the related rows of a '
  'JSON array [{"id", "pivot"?}] (SQL text of it): n (from 0), pivot, key1 … the key, link1 … what links lead to.';
