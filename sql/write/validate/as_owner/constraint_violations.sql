-- On the error path only.
create or replace function service_private.constraint_violations(request jsonb, problem jsonb) returns jsonb
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  served service.collections;
  broken text[];
  code text;
  message text;
begin
  select m.code, m.message into code, message
  from (values
    ('23505', 'unique',      'A row with this %s exists already.'),
    ('23P01', 'exclusion',   '%s is in conflict with another row.'),
    ('23503', 'foreign_key', '%s points to nothing.'),
    ('23502', 'required',    '%s is required.'),
    ('23514', 'check',       '%s breaks a rule of the database.'),
    ('22001', 'max_length',  '%s is too long.'),
    ('',      'type',        '%s cannot be read as its type.')) m (sqlstate, code, message)
  where m.sqlstate in (problem ->> 'code', '')
  order by m.sqlstate desc
  limit 1;
  select c.* into served from service.collections c where c.slug = service_private.written_collection(request);
  broken := case when code in ('type', 'max_length') then service_private.unreadable_columns(served, request)
    else service_private.refused_columns(served, problem) end;
  return (
    select jsonb_agg(jsonb_build_object('field', f.field, 'code', code, 'message', format(message, f.field)) order by f.field)
    from (
      select coalesce(s.field, p.name) as field
      from service.properties p
      left join lateral (
        select s.field from service_private.sent_fields(served, array(select jsonb_object_keys(request -> 'body'))) s
        where (s.property).column_name = p.column_name order by s.field limit 1
      ) s on true
      where p.collection = served.slug and not p.excluded and p.column_name = any (broken)
        -- Several columns may have the domain; one that was not sent is not to blame.
        and (s.field is not null or not problem ? 'type')
    ) f);
end $$;

comment on function service_private.constraint_violations(jsonb, jsonb) is
  'Which fields of a write the database refused, [{field, code, message}] under the names that were sent; null when that is not '
  'known. problem: {code (SQLSTATE), schema, table, column, constraint, type} of the error. Codes: unique, exclusion, foreign_key, '
  'required, check, max_length, type.';

grant execute on function service_private.constraint_violations(jsonb, jsonb) to service_user;
