create or replace function service_private.new_parent(relation service.relations, rows text) returns jsonb
  language sql immutable parallel safe
  return jsonb_build_object('rows', rows, 'columns', jsonb_object(relation.target_columns, relation.local_columns));

comment on function service_private.new_parent(service.relations, text) is
  'The values that a new row gets from its parent (rows: service_private.parent_rows), as service_private.insert_statement takes them.';
