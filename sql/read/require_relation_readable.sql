-- To follow a belongsTo is to read its foreign key.
create or replace function service.require_relation_readable(relation service.relations, roles text[]) returns void
  language plpgsql stable as $$
declare
  column_name text;
begin
  if relation.kind = 'belongsTo' then
    foreach column_name in array relation.local_columns loop
      perform service.require_readable(service.find_column(relation.collection, column_name), roles);
    end loop;
  end if;
end $$;

comment on function service.require_relation_readable(service.relations, text[]) is 'Nothing, or GW400 FIELD_NOT_READABLE when these roles may not read the foreign key of a belongsTo.';

revoke all on function service.require_relation_readable(service.relations, text[]) from public;
