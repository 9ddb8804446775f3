create or replace function service_private.policy_statement(policy text, on_table text, clause text, meaning text, origin text, drops text)
  returns text
  language plpgsql immutable parallel safe as $$
begin
  return service_private.fill($template$
    <drops?>
    create policy <policy> on <table> <clause>;
    select service_private.seal_policy(<table_text>, <policy_text>, <meaning>, <origin>)
  $template$,
  'drops', drops, 'policy', quote_ident(policy), 'table', on_table, 'clause', clause,
  'table_text', quote_literal(on_table), 'policy_text', quote_literal(policy), 'meaning', quote_literal(meaning),
  -- Which of the rules it is may change while it stays the same.
  'origin', quote_literal(split_part(origin, '[', 1)));
end $$;

comment on function service_private.policy_statement(text, text, text, text, text, text) is
  'Statements that make one of service_private.wanted_policies() and seal it. on_table: SQL text of its table; drops: a statement that '
  'goes before, or null.';
