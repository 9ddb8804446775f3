--! Previous: sha1:94466ee612ba27b0ada04d4a1f0fe4cc9ef73de9
--! Hash: sha1:0d4241bac5fc06daf6bde60cf1d65484dabdd46f

-- It returns what was left out.
drop function if exists service.introspect(text, text);
-- Others take their place: service.row_keys.
drop function if exists service.row_key(oid);
drop function if exists service.view_key(oid);
