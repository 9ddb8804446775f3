-- The subquery runs under the caller's own policies. A row that a soft delete has stamped is not there.
create or replace function service_private.exists_sql(
  condition jsonb, collection text, alias text, checked_collection text, checked_alias text) returns text
  language plpgsql stable as $$
declare
  joined constant text := condition ->> 'collection';
  -- _ex0 stands around _ex1.
  joined_alias constant text := '_ex' || case when checked_alias is null then 0 else substr(alias, 4)::integer + 1 end;
begin
  return format('exists (select from %s %s where %s)', service_private.table_name(joined), joined_alias, array_to_string(
    service_private.live_conditions(joined, joined_alias) || service_private.joined_conditions(
      jsonb_build_object('kind', 'and', 'operands', jsonb_build_array(condition -> 'where')), joined, joined_alias,
      coalesce(checked_collection, collection), coalesce(checked_alias, alias)), ' and '));
end $$;

comment on function service_private.exists_sql(jsonb, text, text, text, text) is
  'A condition {kind: existsIn, collection, where} as SQL: whether there is such a row; the rest as service_private.condition_sql.';
