--! Previous: sha1:77ce54775a00387020262309dffcc688bd221939
--! Hash: sha1:5783c62fcd894289775d27ae06bfaf64e9cf359c

-- What they take or return is something else now. What was made of the old ones is made anew.
drop function if exists service.path_collection(jsonb) cascade;
drop function if exists service.valid_relations(text) cascade;
drop function if exists service.enter(text) cascade;
drop function if exists service.require_response_fields(text, jsonb) cascade;
drop function if exists service.read_back(jsonb, text, text) cascade;
drop function if exists service.run_planned(text, text, text, text) cascade;
drop function if exists service.write(text, jsonb, jsonb) cascade;
drop function if exists service.unreachable_policies() cascade;
