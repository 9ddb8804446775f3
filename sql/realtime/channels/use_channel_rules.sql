create or replace function service_private.use_channel_rules(rules jsonb) returns void
  language plpgsql volatile set search_path = pg_catalog, pg_temp set jit = off as $$
begin
  lock table service.channel_rules in share row exclusive mode;
  delete from service.channel_rules;
  insert into service.channel_rules (place, match, most, life)
  select r.place, r.rule ->> 'match', (r.rule ->> 'limit')::integer, (r.rule ->> 'ttl')::bigint * interval '1 millisecond'
  from jsonb_array_elements(rules) with ordinality r (rule, place);
end $$;

comment on function service_private.use_channel_rules(jsonb) is
  'From now on these channels keep their messages: [{match, limit, ttl}], limit or ttl (in milliseconds) may be missing. Called by '
  'each start.';
