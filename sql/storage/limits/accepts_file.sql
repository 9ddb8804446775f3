create or replace function service_private.accepts_file(accepted text[], content_type text, file_name text) returns boolean
  language sql immutable parallel safe
  return accepted is null or exists (
    select
    from unnest(accepted) a (entry)
    cross join lateral (select lower(btrim(a.entry)) as entry, lower(btrim(split_part(content_type, ';', 1))) as type) n
    where case
      when n.entry in ('*', '*/*') then true
      when n.entry like '.%' then right(lower(file_name), length(n.entry)) = n.entry
      when n.entry like '%/*' then starts_with(n.type, left(n.entry, -1)) and length(n.type) >= length(n.entry)
      else n.type = n.entry end);

comment on function service_private.accepts_file(text[], text, text) is
  'Whether a file is one of these: type/*, type/subtype, .ending of its name, * for any; null is any. Parameters of its type do not count.';
