drop function if exists service.keep(jsonb);
drop function if exists service.run_planned(text, text, text[]);
