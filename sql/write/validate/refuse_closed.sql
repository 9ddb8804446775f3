create or replace function service_private.refuse_closed(collection text, body jsonb, doubtful jsonb) returns void
  language plpgsql stable as $$
declare
  nobody text[];
  unwritable text[];
begin
  if not jsonb_path_exists(doubtful, '$[*] ? (exists (@.closed))') then
    return;
  end if;
  select array_agg(s.path order by s.path) filter (where s.because = 'none'),
    array_agg(s.path order by s.path) filter (where s.because = 'roles')
    into nobody, unwritable
  from jsonb_to_recordset(doubtful) f (field text, closed jsonb)
  cross join lateral service_private.closed_sent(f.field, body -> f.field, f.closed) s;
  if nobody is not null then
    perform service_private.refuse_excluded(collection, nobody);
  elsif unwritable is not null then
    perform service_private.refuse_unwritable(collection, unwritable);
  end if;
end $$;

comment on function service_private.refuse_closed(text, jsonb, jsonb) is
  'Nothing, or GW400 VALIDATION_EXCLUDED_FIELDS, FIELD_NOT_WRITABLE for parts of values (file.secret, items[2].cost) that no caller or not '
  'this one may write; doubtful: service_private.fields_to_check.';
