-- The parts of a composite key do not stand in one value, so rows are compared by their parts as they are shown, in one
-- JSON text, which is NULL where a part is. An id of other parts than the key's is no row's.
create or replace function service_private.composite_membership(relation service.relations, alias text, condition jsonb, positive text)
  returns text
  language plpgsql stable as $$
declare
  is_negative boolean := condition ->> 0 in ('!=', 'not-in');
  -- The columns of the key, and for a belongsTo whose foreign key holds them all, where it holds them.
  key text[] := (
    select array_agg(p.column_name order by k.n)
    from service.collections c, unnest(c.key) with ordinality k (name, n) join service.properties p on p.name = k.name
    where c.slug = relation.target and p.collection = relation.target);
  local_key text[] := array(
    select relation.local_columns[array_position(relation.target_columns, k.name)]
    from unnest(key) with ordinality k (name, n) order by k.n);
  is_local boolean := relation.kind = 'belongsTo' and array_position(local_key, null) is null;
  -- A foreign key that is NULL is unequal to nothing; related rows that are not there are unequal to all.
  op record := service_private.operand(relation.name, case when is_local and is_negative then condition
    else jsonb_set(condition, '{0}', to_jsonb(positive)) end);
  key_alias text := alias || case when is_local then '' else 'x' end;
  parts text := (
    select string_agg(format('to_json((%s)::text)::text', service_private.column_value(format('%s.%I', key_alias, k.name),
      (service_private.find_column(case when is_local then relation.collection else relation.target end, k.name)).sql_type)),
      ' || '','' || ' order by k.n)
    from unnest(case when is_local then local_key else key end) with ordinality k (name, n));
  ids text := case when op.list then 'array(select to_json(service_private.id_parts(i))::text from unnest($%s::text[]) i)'
    else 'to_json(service_private.id_parts($%s::text))::text' end;
  comparison text := format(op.template, format('(''['' || %s || '']'')', parts), op.symbol, format(ids, op.parameter));
begin
  return case when is_local then comparison
    else service_private.related_exists(not is_negative, relation, alias, key_alias, array[comparison]) end;
end $$;

comment on function service_private.composite_membership(service.relations, text, jsonb, text) is
  'SQL text of a condition on a relation whose target has a composite key, its ids written as in a path (service_private.id_parts). '
  'positive: the operator that a negative one denies, or the operator itself.';
