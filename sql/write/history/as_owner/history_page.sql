-- Called by the compiled statement for a row that the caller has seen under row security.
create or replace function service_private.history_page(
  collection text, entity text, most bigint, skipped bigint, names text[], columns text[], texts text[], closed jsonb,
  out data text, out total bigint)
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  if service.uid() is null then
    raise insufficient_privilege using message = 'No caller has entered this session: history is read by service.list_history().';
  end if;
  with entry as materialized (
    select h.* from service_private.current_history(history_page.collection, history_page.entity) h
  ), page as (
    select e.* from entry e order by e.number desc, e.id limit most offset skipped
  )
  select
    coalesce((
      select json_agg(json_build_object(
        'id', p.id, 'table_name', p.collection, 'entity_id', p.entity_id, 'action', p.action,
        'changed_fields', case p.action when 'update' then coalesce(s.changed, '[]') end,
        'values', coalesce(s.now, '{}'),
        'previous_values', case p.action when 'update' then coalesce(s.before, '{}') end,
        'updated_by', p.updated_by,
        'updated_at', to_char(p.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) order by p.number desc, p.id)
      from page p
      cross join lateral (
        select
          json_agg(f.name order by f.n) filter (where p.previous ? f.column_name and not starts_with(f.column_name, '__')
            and (not closed ? f.column_name or v.before::text <> v.now::text)) as changed,
          json_object_agg(f.name, v.now order by f.n) as now,
          json_object_agg(f.name, coalesce(v.before, v.now) order by f.n) as before
        from unnest(names, columns) with ordinality f (name, column_name, n)
        cross join lateral (
          select
            case when f.column_name = any (texts) then service_private.kept_json(p.snapshot -> f.column_name)
              else service_private.open_parts(p.snapshot -> f.column_name, closed -> f.column_name)::json end as now,
            case when not p.previous ? f.column_name then null
              when f.column_name = any (texts) then service_private.kept_json(p.previous -> f.column_name)
              else service_private.open_parts(p.previous -> f.column_name, closed -> f.column_name)::json end as before) v
        where p.snapshot ? f.column_name) s)::text, '[]'),
    (select count(*) from entry)
    into data, total;
end $$;

comment on function service_private.history_page(text, text, bigint, bigint, text[], text[], text[], jsonb) is
  'Entries of a row, the newest first, as the API shows them, and how many there are. names, columns: the fields that the caller may read; '
  'texts: those of them whose type is json; closed: of each column of which not all may be read what may not '
  '(service_private.closed_parts).';

grant execute on function service_private.history_page(text, text, bigint, bigint, text[], text[], text[], jsonb) to service_user;
