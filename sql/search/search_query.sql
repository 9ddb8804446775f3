-- Built from parts that PostgreSQL reads as plain words, so that no text is a syntax error. A stop word asks for nothing.
create or replace function service_private.search_query(config regconfig, text text, every boolean) returns tsquery
  language plpgsql immutable parallel safe set client_min_messages = 'warning' as $$
declare
  term record;
  part tsquery;
  found tsquery := '';
begin
  for term in select m[1] as phrase, m[2] as word from regexp_matches(text, '"([^"]*)"|(\S+)', 'g') m loop
    part := case when term.phrase is null then plainto_tsquery(config, term.word) else phraseto_tsquery(config, term.phrase) end;
    if numnode(part) > 0 then
      found := case when numnode(found) = 0 then part when every then found && part else found || part end;
    end if;
  end loop;
  return found;
end $$;

comment on function service_private.search_query(regconfig, text, boolean) is
  'A search text as tsquery: all of its words and quoted phrases, or any of them. Empty, which matches nothing, when it holds only '
  'stop words.';

grant execute on function service_private.search_query(regconfig, text, boolean) to service_user;
