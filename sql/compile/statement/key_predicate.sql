create or replace function service.key_predicate(collection text, alias text, parameter text) returns text
  language sql stable
begin atomic
  select case when count(*) > 1 then format(' and cardinality(service.id_parts($%s::text)) = %s', parameter, count(*)) else '' end
    || string_agg(format(' and %s.%I %s %s', alias, p.column_name, service.operator_name(p.sql_type, '='),
      case when cardinality(c.key) = 1 then service.value(parameter::integer, p.sql_type)
        else format('(service.id_parts($%s::text))[%s]::%s', parameter, k.n, p.sql_type) end), '' order by k.n)
  from service.collections c, unnest(c.key) with ordinality k (name, n)
    join service.properties p on p.name = k.name
  where c.slug = key_predicate.collection and p.collection = key_predicate.collection;
end;

comment on function service.key_predicate(text, text, text) is
  'SQL text (beginning with and) of "this row has the id in that parameter". The parts of a composite key stand in one parameter (service.id_parts).';

revoke all on function service.key_predicate(text, text, text) from public;
