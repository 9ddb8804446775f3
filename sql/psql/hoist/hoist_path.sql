create or replace function service_private.hoist_path(segments json, inout parameters text[], out path jsonb)
  language plpgsql immutable as $$
declare
  segment text;
  n bigint;
begin
  path := '[]';
  for segment, n in select s.value, s.ordinality from json_array_elements_text(segments) with ordinality s loop
    if n % 2 = 0 then
      parameters := parameters || segment;
      path := path || to_jsonb(cardinality(parameters));
    else
      path := path || to_jsonb(segment);
    end if;
  end loop;
end $$;

comment on function service_private.hoist_path(json, text[]) is
  'A path with its ids taken out: ["artist", "1", "album"] is ["artist", 6, "album"].';
