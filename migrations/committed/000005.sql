--! Previous: sha1:0ed55880890f0c185bc9c7064bd3bd2b268e9bc9
--! Hash: sha1:4517207aaf351e57bb1ba77f7d9b131cb7771b17

--! Included catalog/catalog_document.sql
create or replace function service.catalog_document() returns json
  language sql stable
begin atomic
  select json_build_object(
    'version', (select c.version from service.catalog c),
    'schemaVersion', (select c.schema_version from service.catalog c),
    'restrictingRoles', coalesce((select json_agg(distinct r) from service.properties p, unnest(p.read_roles || p.write_roles) r), '[]'::json),
    'collections', coalesce((
      select json_agg(json_build_object(
        'slug', c.slug, 'name', c.name, 'singularName', c.singular_name, 'description', c.description, 'key', c.key, 'readOnly', c.read_only,
        'schema', c.schema_name, 'table', c.table_name,
        'search', case when jsonb_typeof(c.definition -> 'search') = 'object' then json_build_object(
          'fields', jsonb_path_query_array(c.definition, '$.search.fields[*].path'), 'hybrid', c.definition #>> '{search,mode}' = 'hybrid', 'fuzzy', c.definition #> '{search,fuzzy}') end,
        'properties', (
          select coalesce(json_agg(json_build_object('name', p.name, 'type', p.type, 'sqlType', p.sql_type, 'nullable', not p.not_null, 'required', p.required,
            'generated', p.generated, 'readRoles', p.read_roles, 'writeRoles', p.write_roles, 'attributes', p.attributes) order by p.position), '[]'::json)
          from service.properties p where p.collection = c.slug and not p.excluded),
        'relations', (
          select coalesce(json_agg(json_build_object('name', r.name, 'kind', r.kind, 'target', r.target) order by r.name), '[]'::json)
          from service.relations r where r.collection = c.slug)) order by c.slug)
      from service.collections c where c.exposed), '[]'::json));
end;

comment on function service.catalog_document() is
  'The served collections as one JSON document: {version, schemaVersion, restrictingRoles, collections: [{slug, name, singularName, description, key, readOnly, schema, table, search, properties, relations}]}.';

revoke all on function service.catalog_document() from public;
--! EndIncluded catalog/catalog_document.sql
--! Included provision/extension_schema.sql
create or replace function service.extension_schema(name text) returns text
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  select coalesce(
    (select n.nspname::text from pg_extension e join pg_namespace n on n.oid = e.extnamespace where e.extname = extension_schema.name),
    (select 'public' from pg_available_extensions e where e.name = extension_schema.name));
end;

comment on function service.extension_schema(text) is 'The schema that holds, or will hold, what an extension brings; null when this server does not have the extension.';

revoke all on function service.extension_schema(text) from public;
--! EndIncluded provision/extension_schema.sql
--! Included search/search_block.sql
-- What a server lacks is left out: without unaccent accents tell words apart, without pg_trgm nothing is fuzzy.
create or replace function service.search_block(collection text) returns jsonb
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  with declared as (
    select c.definition -> 'search' as search, parse_ident(c.definition #>> '{search,language}') as language
    from service.collections c
    where c.slug = search_block.collection and jsonb_typeof(c.definition -> 'search') = 'object'
  ), part as (
    select d.search, l.schema_name, l.name,
      (d.search ->> 'unaccent')::boolean and service.extension_schema('unaccent') is not null as folds,
      d.search ->> 'mode' = 'hybrid' as hybrid,
      (d.search ->> 'fuzzy')::boolean and service.extension_schema('pg_trgm') is not null as fuzzy
    from declared d
    left join lateral (
      select n.nspname::text as schema_name, c.cfgname::text as name
      from pg_ts_config c
      join pg_namespace n on n.oid = c.cfgnamespace
      where c.cfgname = d.language[cardinality(d.language)]
        and case cardinality(d.language) when 1 then n.nspname in ('pg_catalog', 'public') else n.nspname = d.language[1] end
      order by n.nspname = 'pg_catalog' desc
      limit 1) l on true
  )
  select p.search || jsonb_build_object(
    'language', format('%I.%I', coalesce(p.schema_name, 'pg_catalog'), coalesce(p.name, 'simple')),
    'config', case when p.folds then format('service.%I', service.short_name(concat_ws('_', nullif(p.schema_name, 'pg_catalog'), p.name), '_unaccent'))
      else format('%I.%I', coalesce(p.schema_name, 'pg_catalog'), coalesce(p.name, 'simple')) end,
    'folds', p.folds or (p.hybrid and service.extension_schema('unaccent') is not null),
    'hybrid', p.hybrid,
    'fuzzy', p.fuzzy,
    'trigrams', case when p.hybrid or p.fuzzy then service.extension_schema('pg_trgm') end,
    'textColumn', case when p.hybrid or p.fuzzy then service.short_name(p.search ->> 'column', '_text') end)
  from part p;
end;

comment on function service.search_block(text) is
  'A collection''s search block {fields: [{path, weight}], column, mode, unaccent, fuzzy, fuzzyThreshold} with what it comes to on this server: language and config (text search configurations, quoted; config folds accents when unaccent does), folds (whether the text for substrings and trigrams folds accents), hybrid, fuzzy, trigrams (the schema of pg_trgm), textColumn. Null without a search block.';

revoke all on function service.search_block(text) from public;
--! EndIncluded search/search_block.sql
--! Included search/listed_text.sql
-- array_to_string is only stable, since some types are shown as settings say; texts are not.
create or replace function service.listed_text(list text[]) returns text
  language sql immutable parallel safe
  return coalesce(array_to_string(list, e'\n'), '');

comment on function service.listed_text(text[]) is 'The texts of a list, one a line; '''' for none. A generated column calls it, so whoever writes such a table may.';

revoke all on function service.listed_text(text[]) from public;
grant execute on function service.listed_text(text[]) to service_user;
--! EndIncluded search/listed_text.sql
--! Included search/texts_within.sql
create or replace function service.texts_within(document jsonb) returns text
  language sql immutable parallel safe
begin atomic
  select coalesce(string_agg(v #>> '{}', e'\n'), '')
  from jsonb_path_query(document, 'strict $.** ? (@.type() == "string")') v;
end;

comment on function service.texts_within(jsonb) is 'The texts at any depth of a JSON value, never its keys, one a line; '''' for none. A generated column calls it, so whoever writes such a table may.';

revoke all on function service.texts_within(jsonb) from public;
grant execute on function service.texts_within(jsonb) to service_user;
--! EndIncluded search/texts_within.sql
--! Included search/search_document.sql
create or replace function service.search_document(collection text, path text, prefix text, length integer) returns text
  language sql stable
begin atomic
  select format('left(%s, %s)',
    case
      when p.sql_type in ('json', 'jsonb') then format('service.texts_within(%s%s%s)', c.name, case p.sql_type when 'json' then '::jsonb' end, ' #> ' || quote_literal(nullif(k.keys, '{}')::text) || '::text[]')
      when p.sql_type = 'text[]' then format('service.listed_text(%s)', c.name)
      else format('coalesce(%s%s, '''')', c.name, case when p.sql_type <> 'text' then '::text' end)
    end, search_document.length)
  from service.properties p
  cross join lateral (select search_document.prefix || quote_ident(p.column_name) as name) c
  cross join lateral (select (string_to_array(search_document.path, '.'))[2:] as keys) k
  where p.collection = search_document.collection and p.name = split_part(search_document.path, '.', 1);
end;

comment on function service.search_document(text, text, text, integer) is
  'SQL text of what is searched of one field (a text, a list of texts, a map or a path in one), at most so many characters, never null. prefix: '''' or an alias with its dot.';

revoke all on function service.search_document(text, text, text, integer) from public;
--! EndIncluded search/search_document.sql
--! Included search/search_documents.sql
-- A tsvector holds a megabyte, and a write must not fail because its text is too long to be found by its end.
create or replace function service.search_documents(collection text, block jsonb, prefix text)
  returns table (n bigint, path text, weight text, document text)
  language sql stable
begin atomic
  select f.n, f.field ->> 'path', f.field ->> 'weight',
    service.search_document(search_documents.collection, f.field ->> 'path', search_documents.prefix, 150000 / jsonb_array_length(search_documents.block -> 'fields'))
  from jsonb_array_elements(search_documents.block -> 'fields') with ordinality f (field, n);
end;

comment on function service.search_documents(text, jsonb, text) is
  'The fields of a search block (service.search_block) with the SQL text of what is searched of each: together at most 150,000 characters a row.';

revoke all on function service.search_documents(text, jsonb, text) from public;
--! EndIncluded search/search_documents.sql
--! Included search/search_vector.sql
-- A word that no parser makes stands between two fields and is taken out again: no phrase reaches from one into the next.
create or replace function service.search_vector(collection text, block jsonb, prefix text) returns text
  language sql stable
begin atomic
  select case count(*) when 0 then '''''::tsvector' when 1 then min(v.vector)
    else format('ts_delete(%s, '' '')', string_agg(v.vector, format(' || %L::tsvector || ', ''' '':1') order by v.n)) end
  from (
    select d.n, format('setweight(to_tsvector(%L::regconfig, %s), %L)', search_vector.block ->> 'config', d.document, d.weight) as vector
    from service.search_documents(search_vector.collection, search_vector.block, search_vector.prefix) d) v;
end;

comment on function service.search_vector(text, jsonb, text) is
  'SQL text of the tsvector of a search block over the columns of a row (prefix: '''' or an alias with its dot), immutable.';

revoke all on function service.search_vector(text, jsonb, text) from public;
--! EndIncluded search/search_vector.sql
--! Included search/search_folded.sql
create or replace function service.search_folded(expression text, block jsonb) returns text
  language sql immutable parallel safe
  return format(case when (block ->> 'folds')::boolean then 'lower(service.unaccented(%s))' else 'lower(%s)' end, expression);

comment on function service.search_folded(text, jsonb) is 'SQL text of a text as substrings and trigrams of a search block compare it: in lower case, without accents where the block folds them.';

revoke all on function service.search_folded(text, jsonb) from public;
--! EndIncluded search/search_folded.sql
--! Included search/search_text.sql
create or replace function service.search_text(collection text, block jsonb, prefix text) returns text
  language sql stable
begin atomic
  select case count(*) when 0 then '''''' else service.search_folded(string_agg(d.document, ' || e''\n'' || ' order by d.n), search_text.block) end
  from service.search_documents(search_text.collection, search_text.block, search_text.prefix) d;
end;

comment on function service.search_text(text, jsonb, text) is
  'SQL text of what substrings and trigrams of a search block are looked for in, over the columns of a row (prefix: '''' or an alias with its dot), immutable.';

revoke all on function service.search_text(text, jsonb, text) from public;
--! EndIncluded search/search_text.sql
--! Included search/search_terms.sql
-- The longest first: an index is asked for that one, the rest is compared.
create or replace function service.search_terms(text text) returns text[]
  language sql immutable parallel safe
begin atomic
  select coalesce(array_agg(t.term order by length(t.term) desc, t.term), '{}')
  from (select distinct coalesce(m[1], m[2]) as term from regexp_matches(text, '"([^"]*)"|(\S+)', 'g') m) t
  where trim(t.term) <> '';
end;

comment on function service.search_terms(text) is 'The words and quoted phrases of a search text, each once, the longest first.';

revoke all on function service.search_terms(text) from public;
grant execute on function service.search_terms(text) to service_user;
--! EndIncluded search/search_terms.sql
--! Included search/search_substrings.sql
create or replace function service.search_substrings(text text) returns text[]
  language sql immutable parallel safe
begin atomic
  select coalesce(array_agg('%' || regexp_replace(t.term, '([%_\\])', '\\\1', 'g') || '%' order by t.n), '{}')
  from unnest(service.search_terms(search_substrings.text)) with ordinality t (term, n);
end;

comment on function service.search_substrings(text) is 'The LIKE patterns of a search text, one a word or quoted phrase, the longest first.';

revoke all on function service.search_substrings(text) from public;
grant execute on function service.search_substrings(text) to service_user;
--! EndIncluded search/search_substrings.sql
--! Included search/search_query.sql
-- Built from parts that PostgreSQL reads as plain words, so that no text is a syntax error. A stop word asks for nothing.
create or replace function service.search_query(config regconfig, text text, every boolean) returns tsquery
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

comment on function service.search_query(regconfig, text, boolean) is
  'A search text as tsquery: all of its words and quoted phrases, or any of them. Empty, which matches nothing, when it holds only stop words.';

revoke all on function service.search_query(regconfig, text, boolean) from public;
grant execute on function service.search_query(regconfig, text, boolean) to service_user;
--! EndIncluded search/search_query.sql
--! Included search/search_context.sql
create or replace function service.search_context(block jsonb, parameter text) returns text
  language sql immutable
  return concat(
    format('service.search_query(%L::regconfig, %s, true) as query', block ->> 'config', parameter),
    case when (block ->> 'hybrid')::boolean then format(', service.search_substrings(%s) as patterns', service.search_folded(parameter, block)) end,
    case when (block ->> 'fuzzy')::boolean then format(', service.search_terms(%s) as terms, set_config(''pg_trgm.strict_word_similarity_threshold'', %L, true) as threshold',
      service.search_folded(parameter, block), block ->> 'fuzzyThreshold') end);

comment on function service.search_context(jsonb, text) is
  'SQL text of what a ranked search works out once: ctx.query and, as the block says, ctx.patterns and ctx.terms; the threshold of the operator of pg_trgm is a setting of the transaction.';

revoke all on function service.search_context(jsonb, text) from public;
--! EndIncluded search/search_context.sql
--! Included search/search_condition.sql
-- The first pattern and the first term stand alone as well, because an index serves no "all (…)".
create or replace function service.search_condition(block jsonb, vector text, folded text) returns text
  language sql immutable
  return concat(
    format('(%s @@ ctx.query', vector),
    case when (block ->> 'hybrid')::boolean then format(' or (%1$s like ctx.patterns[1] and %1$s like all (ctx.patterns))', folded) end,
    case when (block ->> 'fuzzy')::boolean then format(' or (%1$s operator(%2$I.%%>>) ctx.terms[1] and %1$s operator(%2$I.%%>>) all (ctx.terms))', folded, block ->> 'trigrams') end,
    ')');

comment on function service.search_condition(jsonb, text, text) is
  'SQL text of whether a row is found: its tsvector matches, or in a hybrid search its folded text holds every term, or in a fuzzy one words like every term.';

revoke all on function service.search_condition(jsonb, text, text) from public;
--! EndIncluded search/search_condition.sql
--! Included search/search_score.sql
create or replace function service.search_score(block jsonb, vector text, folded text) returns text
  language sql immutable
  return concat('(',
    case when (block ->> 'hybrid')::boolean or (block ->> 'fuzzy')::boolean
      then format('case when %1$s @@ ctx.query then ts_rank(%1$s, ctx.query) else %2$s end', vector, case when (block ->> 'hybrid')::boolean then '0.001' else '0' end)
      else format('ts_rank(%s, ctx.query)', vector) end,
    case when (block ->> 'fuzzy')::boolean
      then format(' + (select coalesce(avg(%I.strict_word_similarity(term, %s)), 0) from unnest(ctx.terms) term)', block ->> 'trigrams', folded) end,
    ')::real');

comment on function service.search_score(jsonb, text, text) is
  'SQL text of _score: the rank of ts_rank, 0.001 for what only a substring found; a fuzzy search adds how like the terms are (0 to 1, on average).';

revoke all on function service.search_score(jsonb, text, text) from public;
--! EndIncluded search/search_score.sql
--! Included search/wanted_search_columns.sql
create or replace function service.wanted_search_columns()
  returns table (collection text, schema_name text, table_name text, relation oid, name text, type text, expression text, meaning text, index_keys text,
    attnum smallint, made_of text, ready boolean)
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  with block as materialized (
    select t.collection, t.schema_name, t.table_name, t.oid as relation, service.search_block(t.collection) as block
    from service.wanted_tables() t
    where t.collection is not null
  ), wanted as (
    select b.*, c.*, service.short_hash(c.type || ' ' || c.expression) as meaning
    from block b
    cross join lateral (
      select b.block ->> 'column' as name, 'tsvector' as type, service.search_vector(b.collection, b.block, '') as expression, format('(%I)', b.block ->> 'column') as index_keys
      union all
      select b.block ->> 'textColumn', 'text', service.search_text(b.collection, b.block, ''), '(' || quote_ident(b.block ->> 'textColumn') || ' ' || quote_ident(b.block ->> 'trigrams') || '.gin_trgm_ops)'
    ) c
    where b.block is not null and c.name is not null
  )
  select w.collection, w.schema_name, w.table_name, w.relation, w.name, w.type, w.expression, w.meaning, w.index_keys,
    a.attnum, s.made_of, a.attnum is not null and a.attgenerated = 's' and s.made_of is not distinct from w.meaning
  from wanted w
  left join pg_attribute a on a.attrelid = w.relation and a.attname = w.name and a.attnum > 0 and not a.attisdropped
  left join pg_description d on d.classoid = 'pg_class'::regclass and d.objoid = w.relation and d.objsubid = a.attnum
  left join lateral (select substring(d.description from '^Made for the search of .* meaning:([0-9a-f]{7})$') as made_of) s on true;
end;

comment on function service.wanted_search_columns() is
  'The generated columns that search blocks ask for. PostgreSQL stores an expression in another form than it was given, so the column''s comment keeps a hash of it: made_of is that of the column that is there (null: no block made it), ready when it is the wanted one. index_keys: what its GIN index is on, null without pg_trgm.';

revoke all on function service.wanted_search_columns() from public;
--! EndIncluded search/wanted_search_columns.sql
--! Included search/search_finder.sql
-- Row security lets no index serve a condition that might leak what it compares, and a full-text match counts as one. So
-- the index is asked with the owner's rights, for places of rows only; which of those rows a caller sees, row security says.
-- 0.1 ms for a hybrid and fuzzy search of 28,000 rows that takes 400 ms without an index.
create or replace function service.search_finder(collection text)
  returns table (name text, body text)
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  select service.short_name(c.slug, '__search'),
    format(E'\nbegin\n  return array(\n    select t.ctid\n    from (select %s offset 0) ctx\n    cross join lateral (select t.ctid from %I.%I t where %s offset 0) t);\nend ',
      service.search_context(b.block, '$1'), c.schema_name, c.table_name,
      service.search_condition(b.block, 't.' || quote_ident(b.block ->> 'column'), 't.' || quote_ident(b.block ->> 'textColumn')))
  from service.collections c
  cross join lateral (select service.search_block(c.slug) as block offset 0) b
  where c.slug = search_finder.collection and b.block is not null;
end;

comment on function service.search_finder(text) is
  'The generated function that finds the rows of a ranked search by its indexes: its name in schema service, and its PL/pgSQL.';

revoke all on function service.search_finder(text) from public;
--! EndIncluded search/search_finder.sql
--! Included search/hides_rows.sql
create or replace function service.hides_rows(relation oid) returns boolean
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  select c.relrowsecurity and (
    not exists (
      select from pg_policy p where p.polrelid = c.oid and p.polpermissive and p.polcmd in ('r', '*') and p.polroles && array[0::oid, (select r.oid from pg_roles r where r.rolname = 'service_user')] and pg_get_expr(p.polqual, p.polrelid) = 'true')
    or exists (select from pg_policy p where p.polrelid = c.oid and not p.polpermissive and p.polcmd in ('r', '*')))
  from pg_class c where c.oid = hides_rows.relation;
end;

comment on function service.hides_rows(oid) is 'Whether row security may hide rows of a table from some request: false where no policy would be asked.';

revoke all on function service.hides_rows(oid) from public;
--! EndIncluded search/hides_rows.sql
--! Included search/readable_search.sql
-- The generated column holds every field of the block. Whoever may not read one of them is searched for without it, by
-- an expression over the others: else its words could be guessed one by one. While the column is not there, or is of an
-- older block, everybody is, as far as that goes without the extensions.
create or replace function service.readable_search(collection text, roles text[]) returns jsonb
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  block jsonb := service.search_block(collection);
  fields jsonb := block -> 'fields';
  ready boolean := coalesce((select bool_and(w.ready) from service.wanted_search_columns() w where w.collection = readable_search.collection), false);
  finder record;
  relation pg_class;
begin
  if block is null then
    return null;
  elsif not ready then
    block := block || jsonb_build_object('config', block -> 'language', 'folds', false, 'fuzzy', false);
  end if;
  block := block || jsonb_build_object('fields', coalesce((
    select jsonb_agg(f.field order by f.n)
    from jsonb_array_elements(fields) with ordinality f (field, n)
    join service.properties p on p.collection = readable_search.collection and p.name = split_part(f.field ->> 'path', '.', 1)
    where not p.excluded and service.readable(p, roles)), '[]'));
  if not ready or block -> 'fields' <> fields then
    return block || jsonb_build_object('vector', service.search_vector(collection, block, 't.'), 'folded', service.search_text(collection, block, 't.'));
  end if;
  block := block || jsonb_build_object('vector', 't.' || quote_ident(block ->> 'column'), 'folded', 't.' || quote_ident(block ->> 'textColumn'));
  select c.* into relation from service.collections s join pg_namespace n on n.nspname = s.schema_name join pg_class c on c.relnamespace = n.oid and c.relname = s.table_name where s.slug = collection;
  select f.name into finder
  from service.search_finder(collection) f
  join pg_proc p on p.proname = f.name and p.prosrc = f.body and p.pronamespace = (select n.oid from pg_namespace n where n.nspname = 'service')
  join pg_roles r on r.oid = p.proowner and r.rolname = current_user;
  if finder.name is not null and service.hides_rows(relation.oid) and not row_security_active(relation.oid) then
    -- A place is unique in one table; in a partitioned one the condition is asked again.
    block := block || jsonb_build_object('finder', format('service.%I', finder.name), 'exact', relation.relkind = 'r');
  end if;
  return block;
end $$;

comment on function service.readable_search(text, text[]) is
  'The search block of a collection (service.search_block) as holders of these roles search it: fields that they may read, vector and folded (SQL text over a row t), and finder, the function whose index search row security cannot take part in (exact: it finds nothing else); null without a search block. To be called with the rights that the generated functions have.';

revoke all on function service.readable_search(text, text[]) from public;
--! EndIncluded search/readable_search.sql
--! Included search/ranked_predicate.sql
create or replace function service.ranked_predicate(block jsonb) returns text
  language sql immutable
  return case
    when block is null then null
    when block -> 'fields' = '[]' then ' and false'
    else concat(
      case when block ? 'finder' then ' and t.ctid = any (ctx.found)' end,
      case when not coalesce((block ->> 'exact')::boolean, false) then ' and ' || service.search_condition(block, block ->> 'vector', block ->> 'folded') end)
  end;

comment on function service.ranked_predicate(jsonb) is
  'SQL text (beginning with and) of a ranked search (service.readable_search) over a row t. No field that the caller may read: no row.';

revoke all on function service.ranked_predicate(jsonb) from public;
--! EndIncluded search/ranked_predicate.sql
--! Included search/search_snippet.sql
-- A snippet is HTML, because of its marks, so what it quotes is escaped. Two control characters stand for the marks until then.
create or replace function service.search_snippet(config regconfig, query tsquery, document text, hits text[]) returns text
  language plpgsql immutable parallel safe set client_min_messages = 'warning' as $$
declare
  hit text;
  snippet text;
  words text;
  trimmed constant text := '^[^[:alnum:]]+|[^[:alnum:]]+$';
begin
  foreach hit in array coalesce(hits[1:20], '{}') loop
    query := query || phraseto_tsquery(config, hit);
  end loop;
  document := translate(document, e'\x01\x02', '');
  snippet := ts_headline(config, document, query, e'StartSel="\x01", StopSel="\x02", MaxFragments=2, MaxWords=18, MinWords=6, ShortWord=0, FragmentDelimiter=" … "');
  if position(e'\x01' in snippet) = 0 then
    return null;
  end if;
  -- ts_headline begins and ends with a word.
  words := regexp_replace(translate(snippet, e'\x01\x02', ''), trimmed, '', 'g');
  document := regexp_replace(document, trimmed, '', 'g');
  snippet := concat(case when left(document, 12) <> left(words, 12) then '…' end, snippet, case when right(document, 12) <> right(words, 12) then '…' end);
  snippet := replace(replace(replace(replace(snippet, '&', '&amp;'), '<', '&lt;'), '>', '&gt;'), '"', '&quot;');
  return replace(replace(snippet, e'\x01', '<mark>'), e'\x02', '</mark>');
end $$;

comment on function service.search_snippet(regconfig, tsquery, text, text[]) is
  'What surrounds the hits of a query in a text, as HTML: hits in <mark>, all else escaped, … for what is left out. hits: words of the text that are to count as well. Null without a hit.';

revoke all on function service.search_snippet(regconfig, tsquery, text, text[]) from public;
grant execute on function service.search_snippet(regconfig, tsquery, text, text[]) to service_user;
--! EndIncluded search/search_snippet.sql
--! Included search/search_matches.sql
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
        search_matches.block ->> 'trigrams', service.search_folded('w', search_matches.block), search_matches.block ->> 'fuzzyThreshold') end), '') as condition) h;
end;

comment on function service.search_matches(text, jsonb) is
  'SQL text of _matches of a row t: [{field, snippet}] for each field of the block (service.readable_search) that holds a hit, as declared.';

revoke all on function service.search_matches(text, jsonb) from public;
--! EndIncluded search/search_matches.sql
--! Included read/is_ranked.sql
create or replace function service.is_ranked(collection text, shape jsonb) returns boolean
  language sql stable
  return shape ? 'search' and exists (select from service.collections c where c.slug = is_ranked.collection and jsonb_typeof(c.definition -> 'search') = 'object');

comment on function service.is_ranked(text, jsonb) is 'Whether a request searches a collection that has a search block, so that its rows have a _score.';

revoke all on function service.is_ranked(text, jsonb) from public;
--! EndIncluded read/is_ranked.sql
--! Included read/sorts_by_score.sql
create or replace function service.sorts_by_score(collection text, shape jsonb) returns boolean
  language sql stable
  return coalesce(shape -> 'orderBy' @> '[{"field": "_score"}]', false) and service.is_ranked(collection, shape);

comment on function service.sorts_by_score(text, jsonb) is 'Whether relevance is among the sort keys of a ranked search. No cursor can describe that order.';

revoke all on function service.sorts_by_score(text, jsonb) from public;
--! EndIncluded read/sorts_by_score.sql
--! Included read/score_columns.sql
-- A vector search has its distance instead.
create or replace function service.score_columns(collection text, shape jsonb, roles text[]) returns text
  language plpgsql stable as $$
declare
  block jsonb;
begin
  if shape ? 'vector' or not service.is_ranked(collection, shape) then
    return '';
  end if;
  block := service.readable_search(collection, roles);
  return concat(
    format(', %s as "_score"', service.search_score(block, block ->> 'vector', block ->> 'folded')),
    case when (shape -> 'search' ->> 'explain')::boolean then format(', %s as "_matches"', service.search_matches(collection, block)) end);
end $$;

comment on function service.score_columns(text, jsonb, text[]) is
  'SQL text of the columns _score and, when asked for, _matches that a ranked search adds to a row t, beginning with a comma; '''' when there is none.';

revoke all on function service.score_columns(text, jsonb, text[]) from public;
--! EndIncluded read/score_columns.sql
--! Included read/score_order.sql
create or replace function service.score_order(collection text, shape jsonb, roles text[]) returns text
  language plpgsql stable as $$
declare
  block jsonb := service.readable_search(collection, roles);
  score record;
begin
  select k.n, k.key ->> 'direction' as direction into score
  from jsonb_array_elements(shape -> 'orderBy') with ordinality k (key, n) where k.key ->> 'field' = '_score' order by k.n limit 1;
  return (
    select string_agg(s.expression, ', ' order by s.place)
    from (
      select score.n - 0.5 as place, format('%s %s', service.search_score(block, block ->> 'vector', block ->> 'folded'), score.direction) as expression
      union all
      select k.n, format('%s %s nulls %s', k.expression, k.direction, k.nulls)
      from service.order_keys(collection, 't', (select jsonb_agg(o.key order by o.n) from jsonb_array_elements(shape -> 'orderBy') with ordinality o (key, n) where o.key ->> 'field' <> '_score'), roles) k) s);
end $$;

comment on function service.score_order(text, jsonb, text[]) is 'SQL text after ORDER BY of a ranked search that has _score among its sort keys.';

revoke all on function service.score_order(text, jsonb, text[]) from public;
--! EndIncluded read/score_order.sql
--! Included read/page_order.sql
-- A vector search is ordered by distance, whatever orderBy says. A distinct read has no key to end on; the columns that
-- it returns make its order total.
create or replace function service.page_order(collection text, shape jsonb, roles text[]) returns text
  language plpgsql stable as $$
begin
  if shape ? 'vector' then
    perform case when service.sorts_by_score(collection, shape) then service.score_order(collection, shape, roles) else service.order_by(collection, 't', shape -> 'orderBy', roles) end;
    return format('%s, %s', service.vector_distance(collection, 't', shape -> 'vector', roles), service.order_by(collection, 't', null, roles));
  elsif service.sorts_by_score(collection, shape) then
    return service.score_order(collection, shape, roles);
  elsif not (shape ? 'distinct' and shape ? 'fields') then
    return service.order_by(collection, 't', shape -> 'orderBy', roles);
  end if;
  return (
    select string_agg(s.expression, ', ' order by s.step, s.n)
    from (
      select 1 as step, k.n, format('%s %s nulls %s', k.expression, k.direction, k.nulls) as expression
      from service.order_keys(collection, 't', shape -> 'orderBy', roles) k where k.field is not null
      union all
      select 2, p.position, format('t.%I', p.column_name)
      from service.properties p where p.collection = page_order.collection and not p.excluded and shape -> 'fields' ?| array[p.name, p.column_name]) s);
end $$;

comment on function service.page_order(text, jsonb, text[]) is 'SQL text after ORDER BY of a page: as requested and then by key, relevance included; by distance for a vector search; by what is returned for a distinct read.';

revoke all on function service.page_order(text, jsonb, text[]) from public;
--! EndIncluded read/page_order.sql
--! Included read/context_columns.sql
create or replace function service.context_columns(collection text, shape jsonb, roles text[]) returns text
  language plpgsql stable as $$
declare
  parameter text := '$' || (shape -> 'search' ->> 'param');
  block jsonb;
begin
  if not shape ? 'search' then
    return '';
  elsif not service.is_ranked(collection, shape) then
    return format(', service.search_patterns(%s) as patterns', parameter);
  elsif shape ? 'distinct' then
    perform service.fail(400, 'DISTINCT_NOT_APPLICABLE', '"distinct" cannot be combined with a ranked "searchString".', jsonb_build_object('parameter', 'searchString'));
  end if;
  block := service.readable_search(collection, roles);
  return concat(', ', service.search_context(block, parameter),
    ', ' || (block ->> 'finder') || '(' || parameter || ') as found',
    case when (shape -> 'search' ->> 'explain')::boolean then format(', service.search_query(%L::regconfig, %s, false) as any_query, service.search_substrings(%s) as any_pattern',
      block ->> 'config', parameter, service.search_folded(format('translate(%s, ''"'', '' '')', parameter), block)) end);
end $$;

comment on function service.context_columns(text, jsonb, text[]) is
  'SQL text of what a statement works out once beside entering: the patterns of a search, or what a ranked search compares rows with. GW400 DISTINCT_NOT_APPLICABLE for distinct with a ranked search.';

revoke all on function service.context_columns(text, jsonb, text[]) from public;
--! EndIncluded read/context_columns.sql
--! Included read/statement_list.sql
-- The page is fetched with one row more than asked for: that row says whether there is another page, and spares the
-- count when it is not there. The exact limit is a condition on the row number, which stops the scan as LIMIT would: as
-- LIMIT $n it makes a generic plan expect a tenth of the page, and scan 50,000 rows of an index for 51 (5.8 ms for 0.7).
create or replace function service.statement_list(collection text, shape jsonb, roles text[]) returns text
  language plpgsql stable as $$
declare
  narrowing text := service.narrowing(collection, shape, roles);
  rest record := service.include(collection, 'page', shape, roles);
  row_columns text := service.row_columns(collection, 't', shape, roles) || service.distance_column(collection, 't', shape, roles) || service.score_columns(collection, shape, roles) || rest.columns;
  row_number text := quote_ident(service.unused_prefix(collection) || 'n');
  rows text := format('select * from (select t.*, row_number() over () as %1$s from (%2$s) t where ctx.ok) t where t.%1$s <= $%3$s::bigint + 1', row_number, service.page(collection, shape, narrowing, roles), shape -> 'limit' ->> 'param');
  page_size text := format('$%s::bigint', shape -> 'limit' ->> 'param');
  page_offset text := coalesce('$' || (shape ->> 'offset') || '::bigint', '0');
begin
  return format(
    'select r.body from (select service.enter($1) as ok%s offset 0) ctx cross join lateral ('
      || '%sselect concat(''{"data":'', coalesce(json_agg(%12$s%3$s) filter (where t.%s <= %s)::text, ''[]''), ''%s'
      || '"limit":'', %5$s, '',"offset":'', %7$s, '',"hasMore":'', case when count(*) > %5$s then %8$s else ''false'' end, ''}}'') as body '
      || 'from %9$s t%10$s cross join lateral (select %11$s) d) r',
    case when shape ? 'after' then format(', service.cursor_open(%L, $%s) as cursor', collection, shape -> 'after' ->> 'param') else '' end || service.context_columns(collection, shape, roles),
    case when rest.ctes = '' then '' else format('with page as materialized (%s)%s ', rows, rest.ctes) end,
    case when rest.ctes = '' then '' else ' order by t.' || row_number end,
    row_number,
    page_size,
    ',"meta":{' || case when shape ->> 'count' = 'none' then '' else '"total":'', ' || service.total(collection, shape, narrowing, roles, page_size, page_offset) || ', '',' end,
    page_offset,
    case when shape ?| array['vector', 'distinct'] or service.sorts_by_score(collection, shape) then '''true''' else service.next_cursor(collection, shape, roles, 't.' || row_number, page_size) end,
    case when rest.ctes = '' then format('(%s)', rows) else 'page' end,
    rest.joins,
    row_columns,
    service.shown_row(collection, 'd'));
end $$;

comment on function service.statement_list(text, jsonb, text[]) is
  'The statement of a list: one row, one column body = {"data":[…],"meta":{total, limit, offset, hasMore, nextCursor}}.';

revoke all on function service.statement_list(text, jsonb, text[]) from public;
--! EndIncluded read/statement_list.sql
--! Included read/statement_count.sql
create or replace function service.statement_count(collection text, shape jsonb, roles text[]) returns text
  language sql stable
begin atomic
  select format('select r.body from (select service.enter($1) as ok%s offset 0) ctx cross join lateral (select concat(''{"count":'', c.count, ''}'') as body from (select count(*) from %I.%I t where true%s%s) c where ctx.ok offset 0) r',
    service.context_columns(statement_count.collection, shape, roles), c.schema_name, c.table_name, service.narrowing(collection, shape, roles), coalesce(service.predicate(collection, 't', shape, roles), ''))
  from service.collections c where c.slug = collection;
end;

comment on function service.statement_count(text, jsonb, text[]) is 'The statement of a count: body = {"count":128}.';

revoke all on function service.statement_count(text, jsonb, text[]) from public;
--! EndIncluded read/statement_count.sql
--! Included read/statement_aggregate.sql
-- Grouped rows come in the order of their groups unless the request says otherwise; limit and offset count groups.
create or replace function service.statement_aggregate(collection text, shape jsonb, roles text[]) returns text
  language plpgsql stable as $$
declare
  groups text := service.group_columns(collection, shape, roles, false);
  source text := (
    select format('%I.%I t where true%s%s', c.schema_name, c.table_name, service.narrowing(collection, shape, roles), coalesce(service.predicate(collection, 't', shape, roles), ''))
    from service.collections c where c.slug = collection);
begin
  return format(
    'select r.body from (select service.enter($1) as ok%s offset 0) ctx cross join lateral ('
      || 'select concat(''{"data":'', coalesce(json_agg(d.*), ''[]''), ''}'') as body from (select %s%s from %s%s) d where ctx.ok) r',
    service.context_columns(collection, shape, roles),
    coalesce(service.group_columns(collection, shape, roles, true) || ', ', ''),
    service.aggregate_columns(collection, shape, roles),
    source,
    case when groups is null then '' else format(' group by %s order by %s limit $%s::bigint%s', groups, service.aggregate_order(collection, shape),
      shape -> 'limit' ->> 'param', coalesce(' offset $' || (shape ->> 'offset') || '::bigint', '')) end);
end $$;

comment on function service.statement_aggregate(text, jsonb, text[]) is
  'The statement of an aggregate: body = {"data":[{group fields, count, sum_total …}]}; one row without groupBy.';

revoke all on function service.statement_aggregate(text, jsonb, text[]) from public;
--! EndIncluded read/statement_aggregate.sql
--! Included read/narrowing.sql
-- What narrows a read besides its conditions; in the page, in its total, in counts and in aggregates alike.
create or replace function service.narrowing(collection text, shape jsonb, roles text[]) returns text
  language sql stable
begin atomic
  select concat(
    service.scope(shape -> 'path', 't'),
    case when shape ? 'search' then coalesce(service.ranked_predicate(service.readable_search(collection, roles)), service.search_predicate(collection, 't', roles)) end,
    case when shape ? 'vector' then service.vector_predicate(collection, 't', shape -> 'vector', roles) end,
    -- A collection that does not soft-delete has nothing in the trash.
    case shape ->> 'deleted' when 'only' then ' and false' end);
end;

comment on function service.narrowing(text, jsonb, text[]) is
  'SQL text (each part beginning with and) of what a read is held to by its path, its search, its vector threshold and its deleted parameter; '''' when nothing does.';

revoke all on function service.narrowing(text, jsonb, text[]) from public;
--! EndIncluded read/narrowing.sql
--! Included read/require_cursor.sql
-- The signature is checked when the statement runs; here, that what the cursor says it continues is this order, and
-- an order that this collection still has.
create or replace function service.require_cursor(collection text, shape jsonb, roles text[]) returns void
  language plpgsql stable as $$
declare
  code text;
begin
  if service.sorts_by_score(collection, shape) then
    perform service.fail(400, 'SCORE_CURSOR_UNSUPPORTED', 'No cursor (after, startAfter) can continue an order by _score; use offset or page.', '{"field": "_score"}');
  end if;
  if shape -> 'after' -> 'keys' <> coalesce((
    select jsonb_agg(jsonb_build_array(k.value -> 'field', k.value -> 'direction',
      coalesce(k.value ->> 'nulls', case k.value ->> 'direction' when 'desc' then 'first' else 'last' end)) order by k.ordinality)
    from jsonb_array_elements(shape -> 'orderBy') with ordinality k), '[]') then
    perform service.fail(400, 'CURSOR_ORDER_MISMATCH', 'The cursor was issued under another order.',
      jsonb_build_object('orderBy', coalesce(shape -> 'orderBy', '[]'), 'cursor', shape -> 'after' -> 'keys'));
  end if;
  perform service.sort_key(collection, 't', k.value ->> 0, roles) from jsonb_array_elements(shape -> 'after' -> 'keys') k;
exception when sqlstate 'GW400' then
  get stacked diagnostics code = pg_exception_hint;
  if code in ('UNKNOWN_ORDER_BY_FIELD', 'ORDER_BY_FIELD_NOT_SORTABLE') then
    perform service.fail(400, 'INVALID_CURSOR', 'The cursor is of an order that this collection does not have.');
  end if;
  raise;
end $$;

comment on function service.require_cursor(text, jsonb, text[]) is
  'Nothing, or GW400 SCORE_CURSOR_UNSUPPORTED {field} when relevance is among the sort keys, CURSOR_ORDER_MISMATCH when shape.after was issued under another order than shape.orderBy, INVALID_CURSOR when it names a field that cannot be sorted by (any more).';

revoke all on function service.require_cursor(text, jsonb, text[]) from public;
--! EndIncluded read/require_cursor.sql
--! Included provision/wanted_indexes.sql
-- A foreign key needs no index of its own where the key, a unique column or another whole index begins with its column.
create or replace function service.wanted_indexes()
  returns table (schema_name text, table_name text, relation oid, kind text, name text, is_unique boolean, columns text[], body text)
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  with wanted_column as materialized (
    select c.*, 'using btree (' || quote_ident(c.name) || ')' as btree from service.wanted_columns() c where c.type is not null
  ), declared as (
    select t.schema_name, t.table_name, t.oid as relation, d.*
    from service.wanted_tables() t
    join service.collections c on c.slug = t.collection
    cross join jsonb_array_elements(case jsonb_typeof(c.definition -> 'indexes') when 'array' then c.definition -> 'indexes' else '[]' end) i (definition)
    cross join service.declared_index(t.collection, i.definition) d
  ), vector as (
    select c.*, d.distance, format('using %s (%I %I.%I)%s', c.vector_index ->> 'method', c.name, service.vector_schema(),
      'vector_' || case d.distance when 'inner_product' then 'ip' else d.distance end || '_ops',
      coalesce(' with (' || nullif(concat_ws(', ',
        'm = ' || (c.vector_index ->> 'm')::integer, 'ef_construction = ' || (c.vector_index ->> 'efConstruction')::integer, 'lists = ' || (c.vector_index ->> 'lists')::integer), '') || ')', '')) as body
    from wanted_column c
    cross join jsonb_array_elements_text(case jsonb_typeof(c.vector_index -> 'distance') when 'array' then c.vector_index -> 'distance' else jsonb_build_array(c.vector_index -> 'distance') end) d (distance)
    -- pgvector indexes no more than 2,000 dimensions.
    where jsonb_typeof(c.vector_index) = 'object' and coalesce(substring(c.type from '\((\d+)\)$')::integer, 0) <= 2000
  )
  select c.schema_name, c.table_name, c.relation, 'unique', service.short_name(c.table_name || '_' || c.name, '_key'), true, array[c.name], c.btree
  from wanted_column c
  join service.wanted_tables() t on t.schema_name = c.schema_name and t.table_name = c.table_name
  where c.is_unique and t.key <> array[c.name]
    and not exists (
      select from pg_index i
      where i.indrelid = c.relation and i.indkey[0] = c.attnum and i.indnkeyatts = 1 and i.indisunique and i.indisvalid and i.indpred is null)
  union all
  select d.schema_name, d.table_name, d.relation, 'index', d.name, d.is_unique, d.columns, d.body from declared d
  union all
  select f.schema_name, f.table_name, f.relation, 'index', service.short_name(f.table_name || '_' || array_to_string(f.columns, '_'), '_fk_idx'), false, f.columns,
    'using btree (' || (select string_agg(quote_ident(k), ', ' order by n) from unnest(f.columns) with ordinality u (k, n)) || ')'
  from service.wanted_foreign_keys() f
  join service.wanted_tables() t on t.schema_name = f.schema_name and t.table_name = f.table_name
  left join wanted_column c on c.schema_name = f.schema_name and c.table_name = f.table_name and c.name = f.columns[1]
  where t.key[1:cardinality(f.columns)] <> f.columns
    and not (cardinality(f.columns) = 1 and coalesce(c.is_unique, false))
    and not exists (
      select from pg_index i
      where i.indrelid = f.relation and i.indkey[0] = c.attnum and i.indisvalid and i.indpred is null and cardinality(f.columns) = 1)
  union all
  select v.schema_name, v.table_name, v.relation, 'vector index',
    service.short_name(v.table_name || '_' || v.name, '_' || v.distance || '_ix_' || service.short_hash(concat_ws(' ', v.schema_name, v.table_name, v.body))), false, array[v.name], v.body
  from vector v
  union all
  select s.schema_name, s.table_name, s.relation, 'search index',
    service.short_name(s.table_name || '_' || s.name, '_ix_' || service.short_hash(concat_ws(' ', s.schema_name, s.table_name, s.index_keys))), false, array[s.name], 'using gin ' || s.index_keys
  from service.wanted_search_columns() s
  where s.index_keys is not null and (s.attnum is null or s.made_of is not null);
end;

comment on function service.wanted_indexes() is
  'The indexes that collection files ask for, by name: unique properties, the declared ones, those of foreign keys, of vectors and of searches. What another index does already is left out.';

revoke all on function service.wanted_indexes() from public;
--! EndIncluded provision/wanted_indexes.sql
--! Included provision/plan_columns.sql
create or replace function service.plan_columns() returns setof service.provision_step
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  with wanted as materialized (
    select c.*, format('%I.%I', c.schema_name, c.table_name) as on_table, format('%I.%I.%I', c.schema_name, c.table_name, c.name) as target,
      a.atttypid, a.atttypmod, a.attnotnull, a.attidentity, a.attgenerated, pg_get_expr(d.adbin, d.adrelid) as stored_default
    from service.wanted_columns() c
    left join pg_attribute a on a.attrelid = c.relation and a.attnum = c.attnum
    left join pg_attrdef d on d.adrelid = c.relation and d.adnum = c.attnum
    where c.relation is not null and c.type is not null
  ), fillable as materialized (
    -- Whether the table has rows is asked only where it matters.
    select w.target, w.attnum is null and (not w.not_null or w.identity or w.default_value is not null or w.type in ('smallserial', 'serial', 'bigserial'))
      or not service.has_rows(w.relation) as yes
    from wanted w
    where w.attnum is null or (w.not_null and not w.attnotnull) or (w.identity and w.attidentity = '' and w.stored_default is null)
  )
  select 50, 'column', w.target,
    format('alter table %s add column %s', w.on_table, service.column_clause(w.name, w.type, w.default_value, w.identity, w.not_null and f.yes)), false, 'safe', null::text, null::text
  from wanted w join fillable f on f.target = w.target
  where w.attnum is null
  union all
  select 50, 'column', w.target, null, false, 'report', format('Its type is %s, the collection''s is %s.', format_type(w.atttypid, w.atttypmod), w.type),
    format('alter table %s alter column %I type %s using …;', w.on_table, w.name, w.type)
  from wanted w
  where w.attnum is not null and not coalesce(service.same_type(w.type, w.atttypid, w.atttypmod), false)
  union all
  select 50, 'column', format('%I.%I.%I', t.schema_name, t.table_name, a.attname), null, false, 'report',
    'The collection does not know this column.' || case when a.attnotnull and not a.atthasdef and a.attidentity = '' then ' It is NOT NULL without a default: nothing can be created through the API.' else '' end, null
  from service.wanted_tables() t
  join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
  where not exists (select from service.wanted_columns() c where c.relation = t.oid and c.attnum = a.attnum)
    -- Those of searches are service.plan_search's.
    and not exists (select from service.wanted_search_columns() s where s.relation = t.oid and s.attnum = a.attnum)
    and coalesce(col_description(t.oid, a.attnum), '') !~ '^Made for the search of .* meaning:[0-9a-f]{7}$'
  union all
  select 60, 'default', w.target, format('alter table %s alter column %I set default (%s)', w.on_table, w.name, w.default_value), false, 'safe', null, null
  from wanted w
  where w.attnum is not null and w.attgenerated = '' and w.attidentity = '' and w.default_value is not null
    and (w.stored_default is null or service.same_default(w.stored_default, w.default_value, w.type) = false)
  union all
  select 60, 'default', w.target, null, false, 'report', format('Its default is %s, the collection''s is %s.', coalesce(w.stored_default, 'an identity'), coalesce(w.default_value, 'none')),
    format('alter table %s alter column %I %s;', w.on_table, w.name, coalesce('set default (' || w.default_value || ')', 'drop default'))
  from wanted w
  where w.attnum is not null and w.attgenerated = '' and not (w.identity and (w.attidentity <> '' or w.stored_default like 'nextval(%')) and case
    when w.default_value is null then (w.stored_default is not null and w.type not in ('smallserial', 'serial', 'bigserial')) or (w.attidentity <> '' and not w.identity)
    else w.attidentity <> '' or service.same_default(w.stored_default, w.default_value, w.type) is null and w.stored_default is not null end
  union all
  select 60, 'identity', w.target,
    case when f.yes and w.attnotnull then format('alter table %s alter column %I add generated by default as identity', w.on_table, w.name) end,
    false, case when f.yes and w.attnotnull then 'safe' else 'report' end,
    case when not (f.yes and w.attnotnull) then 'Its values are not generated, and the table has rows.' end,
    case when not (f.yes and w.attnotnull) then format('alter table %1$s alter column %2$I add generated by default as identity; select setval(pg_get_serial_sequence(%3$L, %4$L), max(%2$I)) from %1$s;', w.on_table, w.name, w.on_table, w.name) end
  from wanted w join fillable f on f.target = w.target
  where w.attnum is not null and w.identity and w.attidentity = '' and w.stored_default is null
  union all
  select 70, 'not null', w.target,
    case when f.yes and w.attnum is not null then format('alter table %s alter column %I set not null', w.on_table, w.name) end,
    false, case when f.yes then 'safe' else 'withheld' end,
    case when not f.yes then 'The table has rows, so NOT NULL is withheld.' end,
    case when not f.yes then format('update %1$s set %2$I = … where %2$I is null; alter table %1$s alter column %2$I set not null;', w.on_table, w.name) end
  from wanted w join fillable f on f.target = w.target
  where w.not_null and not coalesce(w.attnotnull, false) and not (w.attnum is null and f.yes)
  union all
  select 70, 'not null', w.target, null, false, 'report', 'It is NOT NULL, and the collection does not require it.', format('alter table %s alter column %I drop not null;', w.on_table, w.name)
  from wanted w
  where w.attnotnull and not w.not_null and not w.in_key;
end;

comment on function service.plan_columns() is 'The part of service.provision_plan() about the columns of tables that are there.';

revoke all on function service.plan_columns() from public;
--! EndIncluded provision/plan_columns.sql
--! Included provision/plan_search.sql
-- A generated column holds no data of its own, so one of an older block is replaced: the one thing that is ever dropped.
-- What it calls may be called by everybody, because whoever writes the table computes it, other programs' roles included.
create or replace function service.plan_search() returns setof service.provision_step
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  with block as materialized (
    select c.slug, c.definition -> 'search' as given, service.search_block(c.slug) as block
    from service.collections c where c.source = 'file' and jsonb_typeof(c.definition -> 'search') = 'object'
  ), extension as (
    select e.name, service.extension_schema(e.name) as schema_name, exists (select from pg_extension x where x.extname = e.name) as installed, e.lost || string_agg(b.slug, ', ' order by b.slug) || '.' as lost
    from block b
    cross join lateral (values
      ('unaccent', (b.given ->> 'unaccent')::boolean or b.given ->> 'mode' = 'hybrid', 'accents tell words apart in searches of '),
      ('pg_trgm', (b.given ->> 'fuzzy')::boolean or b.given ->> 'mode' = 'hybrid', 'nothing is fuzzy, and substrings are found without an index, in searches of ')) e (name, wanted, lost)
    where e.wanted
    group by e.name, e.lost
  ), configuration as (
    select distinct b.block ->> 'config' as name, b.block ->> 'language' as language from block b where b.block ->> 'config' <> b.block ->> 'language'
  ), mapping as (
    select c.name, m.dictionaries, string_agg(m.token, ', ' order by m.token) as tokens
    from configuration c
    cross join lateral (
      select k.alias as token, string_agg(format('%I.%I', n.nspname, d.dictname), ', ' order by p.mapseqno) as dictionaries
      from pg_ts_config g
      join pg_ts_config_map p on p.mapcfg = g.oid
      join pg_ts_dict d on d.oid = p.mapdict
      join pg_namespace n on n.oid = d.dictnamespace
      join ts_token_type(g.cfgparser) k on k.tokid = p.maptokentype
      where g.oid = (c.language)::regconfig and k.alias in ('word', 'hword', 'hword_part', 'numword', 'numhword', 'hword_numpart')
      group by k.alias) m
    group by c.name, m.dictionaries
  ), column_step as materialized (
    select s.*, format('%I.%I', s.schema_name, s.table_name) as on_table, format('%I.%I.%I', s.schema_name, s.table_name, s.name) as target,
      format('add column %I %s generated always as (%s) stored', s.name, s.type, s.expression) as addition,
      format('; comment on column %I.%I.%I is %L', s.schema_name, s.table_name, s.name,
        format('Made for the search of %s: %s. meaning:%s', s.collection, case s.type when 'tsvector' then 'the words of its fields' else 'the text of its fields' end, s.meaning)) as remark
    from service.wanted_search_columns() s
    where not s.ready
  ), finder as (
    select f.*, b.slug from block b cross join lateral service.search_finder(b.slug) f
  ), called as (
    select distinct f.name from service.wanted_search_columns() s
    cross join (values ('service.listed_text(text[])'), ('service.texts_within(jsonb)')) f (name)
    where position(split_part(f.name, '(', 1) || '(' in s.expression) > 0
  )
  select 20, 'extension', e.name, case when e.schema_name is not null then format('create extension %I schema %I', e.name, e.schema_name) end, false,
    case when e.schema_name is null then 'withheld' else 'safe' end,
    case when e.schema_name is null then format('This server does not have the extension %s: %s', e.name, e.lost) end,
    case when e.schema_name is null then format('Install %s (of PostgreSQL''s contrib modules) on the database server.', e.name) else format('As a superuser: create extension %I;', e.name) end
  from extension e
  where not e.installed
  union all
  select 25, 'text search configuration', c.name,
    format('create text search configuration %s (copy = %s)', c.name, c.language) || coalesce((
      select string_agg(format('; alter text search configuration %s alter mapping for %s with %I.unaccent, %s', c.name, m.tokens, service.extension_schema('unaccent'), m.dictionaries), '' order by m.tokens)
      from mapping m where m.name = c.name), ''), false, 'safe', null, null
  from configuration c
  where not exists (select from pg_ts_config g join pg_namespace n on n.oid = g.cfgnamespace where format('%I.%I', n.nspname, g.cfgname) = c.name)
  union all
  select 25, 'function', 'service.unaccented',
    format('create function service.unaccented(text) returns text language sql immutable strict parallel safe return %1$I.unaccent(%2$L::regdictionary, $1); '
      || 'comment on function service.unaccented(text) is %3$L; grant execute on function service.unaccented(text) to public',
      service.extension_schema('unaccent'), format('%I.unaccent', service.extension_schema('unaccent')), 'A text without accents. Generated, because unaccent() is not immutable: its rules are a file.'), false, 'safe', null, null
  where exists (select from block b where (b.block ->> 'folds')::boolean) and to_regprocedure('service.unaccented(text)') is null
  union all
  select 25, 'grant', 'public', format('grant execute on function %s to public', c.name), false, 'safe', null, null
  from called c
  where not has_function_privilege('public', c.name, 'execute')
  union all
  select 75, 'search column', c.target, format('alter table %s %s', c.on_table, c.addition) || c.remark, false, 'safe', null, null
  from column_step c
  where c.attnum is null
  union all
  select 75, 'search column', c.target, format('alter table %s drop column %I, %s', c.on_table, c.name, c.addition) || c.remark, false, 'safe',
    format('The search block of %s has changed; the column is computed again for every row, and its index built again.', c.collection), null
  from column_step c
  where c.made_of is not null
  union all
  select 75, 'search column', c.target, null, false, 'report', format('A column of this name is there that no search block made; searches of %s do without it, and without an index.', c.collection),
    format('Name another one as search.column, or: alter table %s drop column %I;', c.on_table, c.name)
  from column_step c
  where c.attnum is not null and c.made_of is null
  union all
  select 75, 'search column', format('%I.%I.%I', t.schema_name, t.table_name, a.attname), null, false, 'report', 'No search block asks for this column any more.',
    format('alter table %I.%I drop column %I;', t.schema_name, t.table_name, a.attname)
  from service.wanted_tables() t
  join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = 's'
  where col_description(t.oid, a.attnum) ~ '^Made for the search of .* meaning:[0-9a-f]{7}$'
    and not exists (select from service.wanted_search_columns() s where s.relation = t.oid and s.attnum = a.attnum)
  union all
  select 110, 'function', format('service.%I', f.name),
    format('create or replace function service.%1$I(text) returns tid[] language plpgsql stable security definer set search_path = pg_catalog, pg_temp as %2$L; comment on function service.%1$I(text) is %3$L; '
      || 'revoke all on function service.%1$I(text) from public; grant execute on function service.%1$I(text) to service_user',
      f.name, f.body, format('Where the rows of %s that a search text finds are: by the index, past row security, which then says who sees which of them. Generated.', f.slug)), false, 'safe', null, null
  from finder f
  where not exists (
    select from pg_proc p
    where p.pronamespace = (select n.oid from pg_namespace n where n.nspname = 'service') and p.proname = f.name and p.prosrc = f.body);
end;

comment on function service.plan_search() is 'The part of service.provision_plan() about ranked searches, without their indexes.';

revoke all on function service.plan_search() from public;
--! EndIncluded provision/plan_search.sql
--! Included provision/provision_plan.sql
create or replace function service.provision_plan() returns setof service.provision_step
  language sql stable
begin atomic
  with step as (
    select * from service.plan_schemas()
    union all select * from service.plan_enums()
    union all select * from service.plan_tables()
    union all select * from service.plan_columns()
    union all select * from service.plan_foreign_keys()
    union all select * from service.plan_search()
    union all select * from service.plan_indexes()
    union all select * from service.plan_callbacks()
    union all select * from service.plan_row_security()
    union all select * from service.plan_policies()
    union all select * from service.plan_grants()
  )
  select row_number() over (order by s.step, s.target collate "C", s.statement collate "C", s.detail collate "C")::integer,
    s.kind, s.target, s.statement, s.concurrent, s.verdict, s.detail, s.remedy
  from step s
  order by 1;
end;

comment on function service.provision_plan() is
  'What the collections of files ask for and the database lacks, in the order in which it has to be done. verdict: safe (statement brings it), withheld (would need the table empty, or an extension that is not there), report (differs in a way that is never repaired: remedy says how one could). concurrent: the statement runs by itself, outside a transaction. In psql: select statement from service.provision_plan() where statement is not null \gexec';

revoke all on function service.provision_plan() from public;
--! EndIncluded provision/provision_plan.sql

drop function service.context_columns(jsonb);
