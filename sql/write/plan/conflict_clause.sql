-- An existing row is updated with the sent values, but for the target, which it has already, and its key. Values that
-- a create would complete come from the body ($1).
create or replace function service_private.conflict_clause(served service.collections, sent text[], target text[], roles text[])
  returns text
  language plpgsql stable as $$
#variable_conflict use_column
begin
  if target is null then
    return null;
  end if;
  return (
    with assigned as (
      select u.column_name as name, case when u.expression = c.expression then format('excluded.%I', u.column_name)
        else format('(select %s from %s)', u.expression, service_private.sent_record('$1', array[u.field], array[u.read_as])) end as value
      from service_private.written_columns(served, 'update', sent, roles => roles) u
      join service_private.written_columns(served, 'create', sent) c on c.column_name = u.column_name
      where u.column_name <> all (target)
    )
    select service_private.fill('
      on conflict (<target>) do update set
        <assignments>
      where <live?>',
      'target', (select string_agg(quote_ident(c), ', ') from unnest(target) c),
      'assignments', coalesce(
        (select string_agg(format('%I = %s', a.name, a.value), E',\n' order by a.name) from assigned a),
        format('%1$I = excluded.%1$I', target[1])),
      'live', service_private.conjunction(service_private.live_conditions(served.slug, 't'))));
end $$;

comment on function service_private.conflict_clause(service.collections, text[], text[], text[]) is
  'SQL text of what an upsert adds to its insert, by these columns of a unique index: a stored row is updated with what was sent; one '
  'that is deleted is left alone. Null without columns.';
