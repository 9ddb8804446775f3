-- An id with a slash would reach into the folders of other rows: it has no files of its own.
create or replace function service_private.file_destination(storage jsonb, id text default null) returns text
  language sql immutable parallel safe
  return case when storage ? 'storagePath' then (
    select '^' || case when storage -> 'public' = 'true' then 'public/' else '' end || coalesce(string_agg(
      case when m.part[1] = '{entityId}' and id ~ '^[^/]+$' then service_private.literal_pattern(id)
        when m.part[1] = '{entityId}' and id is not null then '(?!)'
        when m.part[1] in ('{path}', '{file.type}') then '.+' when m.part[1] like '{%' then '[^/]+'
        else service_private.literal_pattern(m.part[1]) end, '' order by m.n), '') || '[^/]+$'
    from regexp_matches(
      regexp_replace(btrim(regexp_replace(storage ->> 'storagePath', '/+', '/', 'g'), '/') || '/', '^/', ''),
      '\{[^{}]*\}|[^{}]+', 'g') with ordinality m (part, n)) end;

comment on function service_private.file_destination(jsonb, text) is
  'The keys of the files of a property, as a pattern: its storagePath, whose placeholders stand for one segment ({path} and {file.type} '
  'for several), and one more for the file. With the id of a row {entityId} stands for that id alone. Null without a storagePath.';
