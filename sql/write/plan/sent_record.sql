create or replace function service.sent_record(body text, fields text[], types text[]) returns text
  language sql immutable parallel safe
begin atomic
  select format('jsonb_to_record(%s) r (%s)', body, string_agg(format('%I %s', f.field, f.type), ', ' order by f.n))
  from unnest(fields, types) with ordinality f (field, type, n)
  where f.field is not null
  having count(*) > 0;
end;

comment on function service.sent_record(text, text[], text[]) is
  'SQL text of a body (SQL text, jsonb) as one record r of these fields; null without fields.';

revoke all on function service.sent_record(text, text[], text[]) from public;
