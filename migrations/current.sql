-- Enter migration here

drop function if exists service.write_many(text[], jsonb, text);
