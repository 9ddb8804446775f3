create or replace function service.statement_count(collection text, shape jsonb, roles text[]) returns text
  language sql stable
begin atomic
  select format('select r.body from (select service.enter($1) as ok%s offset 0) ctx cross join lateral (select concat(''{"count":'', c.count, ''}'') as body from (select count(*) from %I.%I t where true%s%s) c where ctx.ok offset 0) r',
    service.context_columns(statement_count.collection, shape, roles), c.schema_name, c.table_name, service.narrowing(collection, shape, roles), coalesce(service.predicate(collection, 't', shape, roles), ''))
  from service.collections c where c.slug = collection;
end;

comment on function service.statement_count(text, jsonb, text[]) is 'The statement of a count: body = {"count":128}.';

revoke all on function service.statement_count(text, jsonb, text[]) from public;
