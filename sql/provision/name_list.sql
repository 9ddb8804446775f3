create or replace function service_private.name_list(names text[]) returns text
  language sql immutable parallel safe
begin atomic
  select string_agg(quote_ident(n.name), ', ' order by n.n) from unnest(names) with ordinality n (name, n);
end;

comment on function service_private.name_list(text[]) is 'SQL text of names, quoted where they must be, separated by commas.';
