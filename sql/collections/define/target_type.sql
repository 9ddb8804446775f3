create or replace function service_private.target_type(link service.relations, out type text, out sql_type text, out whole jsonb)
  language plpgsql stable as $$
begin
  select p.type, p.sql_type, p.attributes #> '{column,type}' into type, sql_type, whole
  from service.properties p
  where p.collection = link.target and p.column_name = coalesce(link.target_columns[1], service_private.key_column(link.target));
  if not found then
    type := 'string';
    sql_type := 'text';
    whole := '"text"';
  end if;
end $$;

comment on function service_private.target_type(service.relations) is
  'The type of the column that a belongsTo relation leads to; text where that is yet unknown.';
