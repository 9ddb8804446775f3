create or replace function service_private.trashed_match(served service.collections, sent text[], target text[]) returns text
  language plpgsql stable as $body$
#variable_conflict use_column
begin
  if target is null or service_private.deletion_stamp(served.slug) is null then
    return null;
  end if;
  return (
    select service_private.fill($$
        select ''
        from <table> t
        cross join lateral <record>
        where <conditions>
      $$,
      'table', service_private.table_name(served.slug),
      'record', service_private.sent_record('$1', array_agg(w.field), array_agg(w.read_as)),
      'conditions', service_private.conjunction(array_agg(format('t.%I = %s', w.column_name, w.expression))
        || service_private.live_conditions(served.slug, 't', 'only')))
    from service_private.written_columns(served, 'create', sent) w
    where w.column_name = any (target));
end $body$;

comment on function service_private.trashed_match(service.collections, text[], text[]) is
  'SQL text that finds the deleted row which an upsert of a body ($1) meets by these columns; null where deleted rows are not kept.';
