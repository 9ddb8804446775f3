-- A column goes by its wire name or its raw name, the wire name first; the foreign key of a belongsTo also by the
-- relation's name. A column that is not declared is known only where the collection says that its writes are not strict.
create or replace function service_private.sent_fields(served service.collections, names text[])
  returns table (field text, relation_kind text, unwraps text, property service.properties)
  language sql stable
begin atomic
  select n.field, r.kind, t.name, p.property
  from unnest(names) n (field)
  left join service.relations r on r.collection = served.slug and r.name = n.field
  left join service.properties t on r.kind = 'belongsTo' and cardinality(r.local_columns) = 1
    and t.collection = r.target and t.column_name = r.target_columns[1]
  left join lateral (
    select p as property, case n.field when p.name then 1 when p.column_name then 2 else 3 end as rank
    from service.properties p
    where p.collection = served.slug
      and (n.field in (p.name, p.column_name) or (t.name is not null and p.column_name = r.local_columns[1]))
    union all
    select service_private.undeclared_column(served, n.field), 4 where not served.strict_writes
    order by rank
    limit 1
  ) p on true;
end;

comment on function service_private.sent_fields(service.collections, text[]) is
  'The meaning of the names in a body: relation_kind when it is a relation''s name, unwraps = the field for a related row sent as an '
  'object, property = the column that is written (null: none).';
