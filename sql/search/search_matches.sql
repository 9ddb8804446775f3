-- Words that only a substring or a likeness found are looked for one by one: only rows that are shown are asked.
create or replace function service.search_matches(collection text, block jsonb) returns text
  language sql stable
begin atomic
  select case count(*) when 0 then '''[]''::json' else format('(select coalesce(json_agg(json_build_object(''field'', m.field, ''snippet'', m.snippet) order by m.n), ''[]'') from (%s) m (n, field, snippet) where m.snippet is not null)',
    string_agg(format('select %s, %L, service.search_snippet(%L::regconfig, ctx.any_query, %s, %s)', d.n, d.path, search_matches.block ->> 'config', d.document,
      case when h.condition is null then 'null' else format('array(select distinct w from regexp_split_to_table(%s, ''\s+'') w where %s)', d.document, h.condition) end), ' union all ' order by d.n)) end
  from service.search_documents(search_matches.collection, search_matches.block, 't.') d
  cross join lateral (
    select nullif(concat_ws(' or ',
      case when (search_matches.block ->> 'hybrid')::boolean then service.search_folded('w', search_matches.block) || ' like any (ctx.any_pattern)' end,
      case when (search_matches.block ->> 'fuzzy')::boolean then format('exists (select from unnest(ctx.terms) term where %I.similarity(term, %s) >= %s)',
        search_matches.block ->> 'trigrams', service.search_folded('w', search_matches.block), (search_matches.block ->> 'fuzzyThreshold')::numeric) end), '') as condition) h;
end;

comment on function service.search_matches(text, jsonb) is
  'SQL text of _matches of a row t: [{field, snippet}] for each field of the block (service.readable_search) that holds a hit, as declared.';

revoke all on function service.search_matches(text, jsonb) from public;
