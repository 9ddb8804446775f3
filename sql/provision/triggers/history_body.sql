-- An assignment calls a function at a third of what PERFORM costs.
-- A column that has been dropped or has another type since does not keep the row from being written: until the next start what the
-- row has of these columns is kept as PostgreSQL shows it in JSON.
create or replace function service_private.history_body(served service.collections, soft_delete text) returns text
  language sql stable
begin atomic
  select E'\n' || service_private.fill($$
      declare
        was jsonb;
        became jsonb;
        recorded boolean;
      begin
        begin
          if tg_op <> 'INSERT' then
            was :=
              <old>;
          end if;
          if tg_op <> 'DELETE' then
            became :=
              <new>;
          end if;
        exception when syntax_error_or_access_rule_violation then
          was := service_private.named_columns(to_jsonb(old), <columns>);
          became := service_private.named_columns(to_jsonb(new), <columns>);
        end;
        recorded := service_private.record_change(<collection>, <key>, <stamp>, was, became, case when tg_op = 'UPDATE' then
          <difference>
        end);
        return null;
      end
    $$,
    'old', service_private.snapshot(served, 'old'),
    'new', service_private.snapshot(served, 'new'),
    'difference', service_private.difference(served, 'was', 'became'),
    'columns', quote_literal(array(select p.column_name from service_private.history_columns(served) p order by p.column_name)),
    'collection', quote_literal(served.slug),
    'key', (select quote_literal(p.column_name) from service.properties p where p.collection = served.slug and p.name = served.key[1]),
    'stamp', quote_nullable(soft_delete)) || E'\n';
end;

comment on function service_private.history_body(service.collections, text) is
  'The PL/pgSQL of the trigger function that writes the history of a collection. soft_delete: the column that a soft delete sets.';
