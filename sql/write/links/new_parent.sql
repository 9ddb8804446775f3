create or replace function service.new_parent(relation service.relations, rows text) returns jsonb
  language sql immutable parallel safe
  return jsonb_build_object('rows', rows, 'columns', jsonb_object(relation.target_columns, relation.local_columns));

comment on function service.new_parent(service.relations, text) is
  'What a new row gets from its parent (rows: service.parent_rows), as service.insert_statement takes it.';

revoke all on function service.new_parent(service.relations, text) from public;
