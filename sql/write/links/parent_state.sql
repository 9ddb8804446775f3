create or replace function service_private.parent_state(relation service.relations, parents text) returns text
  language sql immutable parallel safe
begin atomic
  select service_private.fill($$
    select <empty>
    from (
      <parents>
    ) s
  $$, 'empty', string_agg(format('s.%I is null', c), ' or '), 'parents', parents)
  from unnest(relation.local_columns) c;
end;

comment on function service_private.parent_state(service.relations, text) is
  'SQL text that says of a parent (service_private.parent_rows) whether it has nothing to link by; no row when it is not there.';
