create or replace function service_private.is_plain(served service.collections, shape jsonb, plan jsonb) returns boolean
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  sent constant text[] := array(select jsonb_array_elements_text(shape -> 'body'));
  shows_row constant boolean := shape ->> 'op' <> 'delete' and not shape ? 'return';
begin
  return not plan ?| array['missing', 'links', 'attach']
    and not (shows_row and served.callbacks ? 'afterRead')
    -- The parts of service_private.conflict_clause that come from the body itself.
    and not (plan ? 'target' and exists (
      select from service_private.written_columns(served, 'create', sent) c
      join service_private.written_columns(served, 'update', sent) u on u.column_name = c.column_name
      where u.expression <> c.expression))
    and exists (
      select from pg_class c
      where c.oid = to_regclass(service_private.table_name(served.slug)) and c.relkind = 'r' and not c.relhasrules
        -- A trigger before (2) the statement (not 1) runs before anything of it, the gate too.
        and not exists (select from pg_trigger g where g.tgrelid = c.oid and g.tgtype & 3 = 2)
        and not (shows_row and exists (
          -- A trigger after the row: not before (2), not instead (64), for inserts (4), updates (16) or both.
          select from pg_trigger g
          join pg_proc f on f.oid = g.tgfoid
          where g.tgrelid = c.oid and not g.tgisinternal and g.tgtype & 66 = 0
            and g.tgtype & case when plan ? 'target' then 20 when shape ->> 'op' = 'create' then 4 else 16 end <> 0
            -- The service's own triggers change no row of the table, except those that call callbacks.
            and (f.pronamespace <> 'service_private'::regnamespace
              or exists (select from service_private.hooks() h where h.trigger_name = g.tgname)))));
end $$;

comment on function service_private.is_plain(service.collections, jsonb, jsonb) is
  'Whether a write of this shape and plan can be one statement: nothing required is left out, it goes to a table of its own (no view, '
  'partitions, rules of tables), no trigger runs before the statement, an upsert writes the same into a new row and a stored one, and, '
  'when it is answered with the row, that is final once written: no triggers after the row but the service''s, no afterRead.';
