create or replace function service.sent_record(fields text[], types text[]) returns text
  language sql immutable parallel safe
begin atomic
  select format('jsonb_to_record($1::jsonb) r (%s)', string_agg(format('%I %s', f.field, f.type), ', ' order by f.n))
  from unnest(fields, types) with ordinality f (field, type, n)
  where f.field is not null
  having count(*) > 0;
end;

comment on function service.sent_record(text[], text[]) is 'SQL text of the sent body ($1, text) as one record r of these fields; null without fields.';

revoke all on function service.sent_record(text[], text[]) from public;
