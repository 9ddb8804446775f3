create or replace function service_private.condition_nodes()
  returns table (root text, path text, kind text, node jsonb, depth integer, collection text, checked_collection text)
  language plpgsql stable as $$
begin
  return query
  with recursive nodes as (
    select service_private.rule_path(c.definition, c.slug, r.n) || '.' || k.key as root, '' as path, r.rule -> k.key as node, 1 as depth,
      c.slug as of_row, null::text as checked
    from service.collections c
    cross join jsonb_path_query(c.definition, '$.securityRules[*]') with ordinality r (rule, n)
    cross join unnest(array['condition', 'check']) k (key)
    where r.rule ? k.key
    union all
    select n.root, n.path || part.path, part.node, n.depth + 1,
      case when n.node ->> 'kind' = 'existsIn' then n.node ->> 'collection' else n.of_row end,
      case when n.node ->> 'kind' = 'existsIn' then coalesce(n.checked, n.of_row) else n.checked end
    from nodes n
    cross join lateral (
      select format('.operands[%s]', o.n - 1) as path, o.node
      from jsonb_path_query(n.node, '$.operands[*]') with ordinality o (node, n)
      union all
      select '.' || k.key, n.node -> k.key
      from unnest(array['operand', 'where', 'left', 'right']) k (key)
      where n.node ? k.key) part
    where n.depth <= 32)
  select n.root, n.root || n.path, n.node ->> 'kind', n.node, n.depth, n.of_row, n.checked from nodes n;
end $$;

comment on function service_private.condition_nodes() is
  'The conditions and operands of the catalog''s security rules at every depth, down to 33: their places and that of the whole (root), '
  'the collection whose row field means there, and the one that outerField means (null outside of existsIn).';
