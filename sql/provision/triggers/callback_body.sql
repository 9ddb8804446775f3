-- An exception without a class of its own is the author's refusal; every other error goes on as it is.
-- A soft delete is an update that sets the stamp: it runs the delete stages and not the save stages.
create or replace function service_private.callback_body(
  collection text, key text[], names text[], hook text, function_name text, soft_delete text) returns text
  language sql immutable
begin atomic
  with other_stage as (
    select case when soft_delete is not null then service_private.fill($$
      if tg_op = 'UPDATE' and <other> then
        return <row>;
      end if;
    $$,
    'other', service_private.fill(case when hook like '%Save' then 'old.<stamp> is null and new.<stamp> is not null'
      else 'not (old.<stamp> is null and new.<stamp> is not null)' end, 'stamp', format('"%s"', replace(soft_delete, '"', '""'))),
    'row', case when hook like 'before%' then 'new' else 'null' end) end as block
  )
  select E'\n' || case hook
    when 'beforeSave' then service_private.fill($$
      declare
        stored jsonb := case tg_op when 'UPDATE' then to_jsonb(old) end;
        sent jsonb := to_jsonb(new);
        returned jsonb;
      begin
        <other_stage?>
        if pg_trigger_depth() > 16 then
          perform service_private.refuse_recursion();
        end if;
        begin
          returned := <function>(tg_op, stored, sent);
        exception when raise_exception then
          perform service_private.reject_callback(<collection>, 'beforeSave', 400, sqlerrm);
        end;
        if returned is null then
          return new;
        end if;
        return jsonb_populate_record(new, service_private.returned_columns(<collection>, <key>, <names>, stored, sent, returned));
      end
    $$,
    'other_stage', o.block, 'function', function_name, 'collection', quote_literal(collection),
    'key', quote_literal(key), 'names', quote_literal(names))
    when 'afterSave' then service_private.fill($$
      declare
        stored jsonb := case tg_op when 'UPDATE' then to_jsonb(old) end;
        sent jsonb := to_jsonb(new);
      begin
        <other_stage?>
        if pg_trigger_depth() > 16 then
          perform service_private.refuse_recursion();
        end if;
        begin
          perform <function>(tg_op, stored, sent);
        exception when raise_exception then
          perform service_private.reject_callback(<collection>, 'afterSave', 400, sqlerrm);
        end;
        return null;
      end
    $$,
    'other_stage', o.block, 'function', function_name, 'collection', quote_literal(collection))
    when 'beforeDelete' then service_private.fill($$
      declare
        allowed boolean;
      begin
        <other_stage?>
        if pg_trigger_depth() > 16 then
          perform service_private.refuse_recursion();
        end if;
        begin
          allowed := <function>(to_jsonb(old));
        exception when raise_exception then
          perform service_private.reject_callback(<collection>, 'beforeDelete', 400, sqlerrm);
        end;
        if allowed is false then
          perform service_private.reject_callback(<collection>, 'beforeDelete', 403, 'The row may not be deleted.');
        end if;
        return <row>;
      end
    $$,
    'other_stage', o.block, 'function', function_name, 'collection', quote_literal(collection),
    'row', case when soft_delete is null then 'old' else 'case tg_op when ''UPDATE'' then new else old end' end)
    when 'afterDelete' then service_private.fill($$
      begin
        <other_stage?>
        if pg_trigger_depth() > 16 then
          perform service_private.refuse_recursion();
        end if;
        begin
          perform <function>(to_jsonb(old));
        exception when raise_exception then
          perform service_private.reject_callback(<collection>, 'afterDelete', 400, sqlerrm);
        end;
        return null;
      end
    $$,
    'other_stage', o.block, 'function', function_name, 'collection', quote_literal(collection))
  end || E'\n'
  from other_stage o;
end;

comment on function service_private.callback_body(text, text[], text[], text, text, text) is
  'The PL/pgSQL of the trigger function that calls one callback of a collection.';
