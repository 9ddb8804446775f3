create or replace function service_private.followed(own text, given text, now_given text) returns text
  language sql immutable parallel safe
  return case when btrim(coalesce(own, '')) = '' or own = given then coalesce(now_given, own) else own end;

comment on function service_private.followed(text, text, text) is
  'A name or picture of an account whose provider gave one before and gives another now: the provider''s while the account''s own is '
  'blank, or still what the provider gave.';
