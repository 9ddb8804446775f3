-- For each row: a trigger for each statement is not run by a writer of a single partition, and its tables of old and new rows do not say
-- which belong together. Each expression is prepared once a transaction, which for a single row costs more than to evaluate it: so there
-- are few of them on the way of a table without soft delete, and the job is not put by service_private.put_job. One query for all
-- webhooks takes longer than the loop, and so would a block for errors around every row.
-- It runs nothing but the casts of the table's own types. Its settings show values alike for all writers.
create or replace function service_private.enqueue_webhooks() returns trigger
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan
  set timezone = 'UTC' set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' set extra_float_digits = 1 set bytea_output = 'hex' as $$
declare
  hook record;
  was jsonb;
  became jsonb;
  event text;
  existed boolean;
  sent jsonb;
  sent_before jsonb;
  queue text;
begin
  for hook in
    select w.id, w.events, w.columns, w.key, w.soft_delete, w.ordered, w.max_attempts, w.open_parts,
      w.may_hold_json or w.relation <> tg_relid as may_hold_json,
      to_json(w.schema_name) as schema_name, to_json(w.table_name) as table_name,
      w.excluded || case when w.relation <> tg_relid then service_private.own_columns(tg_relid, w.relation) end as excluded
    from service.webhooks w
    where w.enabled and (tg_op = any (w.events) or w.soft_delete is not null)
      and (w.relation = tg_relid or (
        exists (select from pg_inherits i where i.inhrelid = tg_relid) and w.relation = any (service_private.ancestor_tables(tg_relid))))
  loop
    if was is null and became is null then
      if hook.may_hold_json then
        begin
          was := case when tg_op <> 'INSERT' then to_jsonb(old) end;
          became := case when tg_op <> 'DELETE' then to_jsonb(new) end;
        exception when data_exception then
          was := case when tg_op <> 'INSERT' then service_private.row_document(old, tg_relid) end;
          became := case when tg_op <> 'DELETE' then service_private.row_document(new, tg_relid) end;
        end;
      else
        if tg_op <> 'INSERT' then
          was := to_jsonb(old);
        end if;
        if tg_op <> 'DELETE' then
          became := to_jsonb(new);
        end if;
      end if;
    end if;
    if hook.soft_delete is null then
      event := tg_op;
      existed := true;
    else
      -- A row in the trash is none.
      existed := was is not null and was ->> hook.soft_delete is null;
      event := case
        when became is null or became ->> hook.soft_delete is not null then case when existed then 'DELETE' end
        when existed then 'UPDATE'
        else tg_op end;
      continue when event = any (hook.events) is not true;
    end if;
    sent := coalesce(became, was) - hook.excluded;
    if hook.open_parts is not null then
      sent := service_private.open_document(sent, hook.open_parts);
    end if;
    if event = 'UPDATE' then
      sent_before := was - hook.excluded;
      if hook.open_parts is not null then
        sent_before := service_private.open_document(sent_before, hook.open_parts);
      end if;
      -- A row that came back from the trash is told whatever else changed.
      continue when existed and (sent::text = sent_before::text or (hook.columns is not null and not exists (
        select from unnest(hook.columns) c where (was -> c)::text is distinct from (became -> c)::text)));
    end if;
    if hook.ordered then
      queue := service_private.webhook_queue(hook.id, array(select coalesce(became, was) ->> k from unnest(hook.key) k));
    end if;
    if service_private.ring_workers() then end if;
    insert into service.jobs (task, payload, max_attempts, concurrency_key, queue)
    values ('service.webhook', jsonb_build_object('webhookId', hook.id, 'eventId', gen_random_uuid(), 'event', event, 'body', concat(
        '{"type":"', event, '","table":', hook.table_name, ',"record":', sent,
        case event when 'UPDATE' then ',"old_record":' || sent_before::text end,
        ',"schema":', hook.schema_name, ',"timestamp":"', to_char(clock_timestamp(), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '"}')),
      hook.max_attempts, hook.id, case when hook.ordered then queue end);
  end loop;
  return null;
end $$;

comment on function service_private.enqueue_webhooks() is
  'Trigger, after each row: enqueues a job service.webhook for each of service.webhooks that is told of the change, with the payload '
  '{webhookId, eventId, event, body}. body is a text, so that every attempt sends the same bytes.';
