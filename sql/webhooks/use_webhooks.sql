create or replace function service_private.use_webhooks(given jsonb) returns table (path text, problem text)
  language plpgsql volatile set search_path = pg_catalog, pg_temp set jit = off as $$
#variable_conflict use_column
begin
  return query select p.path, p.problem from service_private.webhook_problems(given) p;
  if found then
    return;
  end if;
  lock table service.webhooks in share row exclusive mode;
  delete from service.webhooks;
  insert into service.webhooks (
    id, place, given, schema_name, table_name, events, columns, ordered, max_attempts, enabled)
  select h.hook ->> 'id', h.n, h.hook, t.schema_name, t.table_name, service_private.texts(h.hook -> 'events'),
    service_private.texts(h.hook -> 'columns'),
    (h.hook ->> 'ordered')::boolean, (h.hook ->> 'maxAttempts')::integer, (h.hook ->> 'enabled')::boolean
  from jsonb_array_elements(use_webhooks.given) with ordinality h (hook, n)
  cross join lateral service_private.webhook_table(h.hook ->> 'table') t;
  perform service_private.resolve_webhooks(), service_private.exclude_columns();
end $$;

comment on function service_private.use_webhooks(jsonb) is
  'From now on these are the webhooks, none of them paused: [{id, table, events, columns, excludeColumns, ordered, maxAttempts, enabled}], '
  'as the settings file has them. Where something is wrong nothing changes, and rows say what (service_private.webhook_problems). Called '
  'by each start.';
