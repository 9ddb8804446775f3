create or replace function service_private.part_closed(attributes jsonb, roles text[], act text) returns text
  language sql immutable parallel safe
  return case act
    when 'read' then case when attributes ? 'excluded' then 'excluded'
      when not service_private.is_open(service_private.texts(attributes -> 'readRoles'), roles) then 'closed' end
    when 'write' then case when attributes -> 'writeRoles' = '[]' then 'none'
      when not service_private.is_open(service_private.texts(attributes -> 'writeRoles'), roles) then 'roles' end
    when 'replace' then case when not service_private.is_open(service_private.texts(attributes -> 'writeRoles'), roles) then 'unwritable'
      when not service_private.is_open(service_private.texts(attributes -> 'readRoles'), roles) then 'unread' end
    when 'record' then case when attributes ? 'excluded' then 'excluded' end
  end;

comment on function service_private.part_closed(jsonb, text[], text) is
  'The reason why a part with these attributes is closed to these roles; null when it is not. act: read (excluded: kept out of the API; '
  'closed), write (none: no role may; roles: these may not), replace (unwritable; unread: it could be written unseen), record (excluded: '
  'history does not keep it).';
