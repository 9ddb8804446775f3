-- PostgreSQL keeps a parsed query as text: {NODE :field value …}, (lists), and words in which what would end them is
-- escaped. Only its structure is read here, so what is escaped in a name becomes an underscore first, as do quotes and
-- a colon that a name begins with. Regular expressions only for what is rare: one that found each word took ten times
-- as long as cutting the text at its fields, 0.2 microseconds a character.
create or replace function service_private.node_tree(tree text) returns jsonb
  language plpgsql immutable parallel safe as $$
begin
  tree := regexp_replace(tree, '\\.|["[:cntrl:]]', '_', 'g');
  tree := regexp_replace(tree, ' (:\w+) :', ' \1 _', 'g');
  -- The bytes of a constant.
  tree := regexp_replace(tree, ' \[ [-0-9 ]*\]', '', 'g');
  tree := (
    select string_agg(case n when 1 then format('"%s"', field)
      else format(',"%s":"%s"', split_part(field, ' ', 1), replace(substr(field, strpos(field, ' ') + 1), ' ', '","')) end, '' order by n)
    from string_to_table(tree, ' :') with ordinality t (field, n));
  tree := replace(replace(replace(replace(tree, '{', '"{"node":"'), '}', '"}"'), '(', '"["'), ')', '"]"');
  return replace(replace(tree, '""', ''), '"<>"', 'null');
end $$;

comment on function service_private.node_tree(text) is
  'A stored parse tree (pg_rewrite.ev_action) as JSON: a node is an object with its kind under "node", a list an array, '
  'anything else a text, without what is escaped in names, or null.';
