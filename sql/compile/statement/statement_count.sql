create or replace function service.statement_count(collection text, shape jsonb, roles text[]) returns text
  language plpgsql stable as $$
declare
  counted text := (
    select format('%I.%I t where true%s%s', c.schema_name, c.table_name, service.narrowing(collection, shape, roles), coalesce(service.predicate(collection, 't', shape, roles), ''))
    from service.collections c where c.slug = collection);
begin
  if shape ? 'distinct' and shape ? 'fields' then
    perform service.row_columns(collection, 't', shape, roles);
    counted := format('(select %s from %s) t', service.page_columns(collection, shape), counted);
  end if;
  return format('select r.body from (select service.enter($1) as ok%s offset 0) ctx cross join lateral (select concat(''{"count":'', c.count, ''}'') as body from (select count(*) from %s) c where ctx.ok offset 0) r',
    service.context_columns(collection, shape, roles), counted);
end $$;

comment on function service.statement_count(text, jsonb, text[]) is
  'The statement of a count: body = {"count":128}; of a distinct read with fields, the combinations. GW400 as service.row_columns and service.distinct_properties.';

revoke all on function service.statement_count(text, jsonb, text[]) from public;
