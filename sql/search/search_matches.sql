-- Words that only a substring or a likeness found are looked up one by one, in the rows of the page only.
create or replace function service_private.search_matches(collection text, block jsonb) returns text
  language plpgsql stable as $$
declare
  word text := service_private.search_folded('w', block);
  hit text := nullif(concat_ws(' or ',
    case when (block ->> 'hybrid')::boolean then word || ' like any (ctx.any_pattern)' end,
    case when (block ->> 'fuzzy')::boolean then service_private.fill(
      'exists (select from unnest(ctx.terms) term where <trigrams>.similarity(term, <word>) >= <threshold>)',
      'trigrams', quote_ident(block ->> 'trigrams'), 'word', word, 'threshold', (block ->> 'fuzzyThreshold')::numeric::text) end), '');
  snippets text[] := array(
    select service_private.fill($sql$
        select <n>, <path>, service_private.search_snippet(<config>::regconfig, ctx.any_query,
          <document>,
          <hits>)
      $sql$,
      'n', d.n::text, 'path', quote_literal(d.path), 'config', quote_literal(block ->> 'config'), 'document', d.document,
      'hits', case when hit is null then 'null' else service_private.fill($sql$
          array(
            select distinct w
            from regexp_split_to_table(<document>, '\s+') w
            where <hit>)
        $sql$,
        'document', d.document, 'hit', hit) end)
    from service_private.search_documents(collection, block, 't.') d order by d.n);
begin
  if snippets = '{}' then
    return '''[]''::json';
  end if;
  return service_private.fill($sql$
      (
        select coalesce(json_agg(json_build_object('field', m.field, 'snippet', m.snippet) order by m.n), '[]')
        from (
          <snippets>
        ) m (n, field, snippet)
        where m.snippet is not null
      )
    $sql$,
    'snippets', array_to_string(snippets, E'\nunion all\n'));
end $$;

comment on function service_private.search_matches(text, jsonb) is
  'SQL text of _matches of a row t: [{field, snippet}] for each field of the block (service_private.readable_search) that holds a hit, as '
  'declared.';
