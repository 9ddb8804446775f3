-- A row that is there is updated with what was sent, but for the target, which it has already, and its key.
create or replace function service.conflict_clause(served service.collections, sent text[], target text[]) returns text
  language sql stable
begin atomic
  with assigned (name) as (
    select w.column_name
    from service.written_columns(served, 'update', sent) w
    where w.column_name <> all (target)
  )
  select case when target is not null then service.fill('
    on conflict (<target>) do update set
      <assignments>
    where <live?>',
    'target', (select string_agg(quote_ident(c), ', ') from unnest(target) c),
    'assignments', coalesce(
      (select string_agg(format('%1$I = excluded.%1$I', a.name), E',\n' order by a.name) from assigned a),
      format('%1$I = excluded.%1$I', target[1])),
    'live', service.conjunction(service.live_conditions(served.slug, 't'))) end;
end;

comment on function service.conflict_clause(service.collections, text[], text[]) is
  'SQL text of what an upsert adds to its insert, by these columns of a unique index: a stored row is updated with what was sent; one '
  'that is deleted is left alone. Null without columns.';

revoke all on function service.conflict_clause(service.collections, text[], text[]) from public;
