--! Previous: sha1:94466ee612ba27b0ada04d4a1f0fe4cc9ef73de9
--! Hash: sha1:3d5e9740a35499985815c62de38047caced8da87

-- Files that rows let go of are judged as their writer, before the row is written.
drop function if exists service.is_file_named(text, text, text[]);
drop function if exists service.release_files(text, text, text[], text[]);
drop function if exists service.file_destination(jsonb);
drop function if exists service.wanted_releases(service.wanted_table[]);
