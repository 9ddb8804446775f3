-- As json where json is stored: jsonb would forget the order of its keys, and those that come twice.
create or replace function service_private.sent_record(body text, fields text[], types text[]) returns text
  language plpgsql immutable parallel safe as $$
#variable_conflict use_column
begin
  return (
    select format('%1$s_to_record(%2$s::%1$s) r (%3$s)', case when bool_or(f.type in ('json', 'json[]')) then 'json' else 'jsonb' end,
      body, string_agg(format('%I %s', f.field, f.type), ', ' order by f.n))
    from unnest(fields, types) with ordinality f (field, type, n)
    where f.field is not null
    having count(*) > 0);
end $$;

comment on function service_private.sent_record(text, text[], text[]) is
  'SQL text of a body (SQL text; of its text, where json is among the types) as one record r of these fields; null without fields.';
