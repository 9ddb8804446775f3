-- The columns of a junction have the types of the keys they lead to. Where a foreign key is of another type than its key
-- (citext on text), what serves both is PostgreSQL's own.
create or replace function service_private.equals(relation service.relations, local boolean) returns text[]
  language plpgsql stable as $$
begin
  return (
    select array_agg(
      case when relation.junction_table is null and l.type is distinct from t.type then '='
        else service_private.operator_name(case when local then l.type else t.type end, '=') end
      order by u.n)
    from unnest(relation.local_columns, relation.target_columns) with ordinality u (local_column, target_column, n)
    cross join lateral (select (service_private.find_column(relation.collection, u.local_column)).sql_type) l (type)
    cross join lateral (select (service_private.find_column(relation.target, u.target_column)).sql_type) t (type)
    where case when local then u.local_column else u.target_column end is not null);
end $$;

comment on function service_private.equals(service.relations, boolean) is
  'SQL text of the operators (service_private.operator_name) that equate the local columns of a relation, or those of its target, with '
  'what they are joined with, in order.';
