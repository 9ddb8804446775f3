-- Without the key nothing of the row is read, so that who may write and not read can.
create or replace function service.insert_statement(served service.collections, sent text[], returns_key boolean) returns text
  language sql stable
begin atomic
  select format('insert into %I.%I %s returning %s', served.schema_name, served.table_name,
    case when count(*) = 0 then 'default values'
      else format('(%s) select %s%s', string_agg(quote_ident(w.column_name), ', ' order by w.column_name), string_agg(w.expression, ', ' order by w.column_name),
        ' from ' || service.sent_record(array_agg(w.field order by w.column_name), array_agg(w.read_as order by w.column_name))) end,
    case when returns_key then (
      select string_agg(format(case when cardinality(served.key) = 1 then '%I::text' else 'replace(replace(%I::text, ''%%'', ''%%25''), '':'', ''%%3A'')' end, p.column_name), ' || '':::'' || ' order by k.n)
      from unnest(served.key) with ordinality k (name, n) join service.properties p on p.collection = served.slug and p.name = k.name) else '''''' end)
  from service.written_columns(served, 'create', sent) w;
end;

comment on function service.insert_statement(service.collections, text[], boolean) is
  'SQL text that inserts a body ($1) with these names, and returns the new id as text when asked, else a blank.';

revoke all on function service.insert_statement(service.collections, text[], boolean) from public;
