create or replace function service_private.named_columns(stored jsonb, columns text[]) returns jsonb
  language sql immutable parallel safe
begin atomic
  select jsonb_object_agg(r.key, r.value) from jsonb_each(stored) r where r.key = any (columns);
end;

comment on function service_private.named_columns(jsonb, text[]) is 'The columns of these names in a row as JSON; null for none.';
