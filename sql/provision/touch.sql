create or replace function service.touch() returns trigger
  language plpgsql volatile as $$
begin
  return jsonb_populate_record(new, jsonb_build_object(tg_argv[0], now()));
end $$;

comment on function service.touch() is 'Trigger before update: sets the column that its argument names to now().';

revoke all on function service.touch() from public;
