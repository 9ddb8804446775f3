-- A column that is sent by two names is written once; service.disagreeing_fields has seen that both say the same.
create or replace function service.written_columns(served service.collections, op text, sent text[])
  returns table (column_name text, expression text, field text, read_as text)
  language sql stable
begin atomic
  select (s.property).column_name, e.expression, s.field, e.read_as
  from (
    select distinct on ((f.property).column_name) f.*
    from service.sent_fields(served, sent) f
    where not (f.property).attributes ? 'autoValue' and not (op = 'update' and (f.property).name = any (served.key))
    order by (f.property).column_name, f.field
  ) s
  cross join lateral service.stored_expression(s.field, s.property, s.unwraps) e;
end;

comment on function service.written_columns(service.collections, text, text[]) is
  'The columns that a body with these names writes: SQL text of the value, and the field and type that it is read from. Stamps are '
  'not among them: a trigger puts them there.';

revoke all on function service.written_columns(service.collections, text, text[]) from public;
