create or replace function service_private.literal_path(names text[]) returns text[]
  language sql immutable parallel safe
  return array(select '.' || n.name from unnest(names) with ordinality n (name, place) order by n.place);

comment on function service_private.literal_path(text[]) is
  'The segments of a path that consists of these names, as service_private.reached_part takes them.';
