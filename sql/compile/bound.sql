-- Without settings the bounds are the defaults of a gateway, so that psql runs the text that the API runs.
create or replace function service_private.bound(node jsonb, name text) returns bigint
  language sql immutable parallel safe
  return coalesce((node -> 'bounds' ->> name)::bigint,
    case name when 'answer' then 67108864 when 'related' then 10000 when 'items' then 1000 end);

comment on function service_private.bound(jsonb, text) is
  'A bound of a shape, or of a node below it: answer, the bytes of an answer; related, the rows that an include without a limit '
  'may find of one parent; items, the rows of a bulk write, or the operations of a batch.';
