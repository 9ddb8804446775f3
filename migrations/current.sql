drop function if exists service.broken_rules(text, jsonb, text, text, jsonb);
drop function if exists service.is_plain(service.collections, text, jsonb);
