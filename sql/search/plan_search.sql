-- A generated column holds no data of its own, so one of an older block is replaced: the only thing that is ever
-- dropped. Its functions may be called by every role, because the writer of the table computes it, roles of other
-- programs included.
create or replace function service_private.plan_search(
  wanted_tables service_private.wanted_table[] default service_private.wanted_tables()) returns setof service.provision_step
  language plpgsql stable set search_path = pg_catalog, pg_temp as $body$
#variable_conflict use_column
begin
  return query
  with block as materialized (
    select c.slug, c.definition -> 'search' as given, service_private.search_block(c.slug) as block
    from service.collections c where c.source = 'file' and jsonb_typeof(c.definition -> 'search') = 'object'
  ), extension as (
    select e.name, service_private.extension_schema(e.name) as schema_name,
      exists (select from pg_extension x where x.extname = e.name) as installed,
      format(e.lost, string_agg(b.slug, ', ' order by b.slug)) as lost
    from block b
    cross join lateral (values
      ('unaccent', (b.given ->> 'unaccent')::boolean or b.given ->> 'mode' = 'hybrid',
        'accents tell words apart in searches of %s.'),
      ('pg_trgm', (b.given ->> 'fuzzy')::boolean or b.given ->> 'mode' = 'hybrid',
        'nothing is fuzzy, and substrings are found without an index, in searches of %s.')) e (name, wanted, lost)
    where e.wanted
    group by e.name, e.lost
  ), configuration as (
    select distinct b.block ->> 'config' as name, b.block ->> 'language' as language
    from block b
    where b.block ->> 'config' <> b.block ->> 'language'
  ), mapping as (
    -- Words of the parser go through unaccent first.
    select c.name, string_agg(format('alter text search configuration %s alter mapping for %s with %I.unaccent, %s;',
      c.name, m.tokens, service_private.extension_schema('unaccent'), m.dictionaries), E'\n' order by m.tokens) as statements
    from configuration c
    cross join lateral (
      select string_agg(t.token, ', ' order by t.token) as tokens, t.dictionaries
      from (
        select k.alias as token, string_agg(format('%I.%I', n.nspname, d.dictname), ', ' order by p.mapseqno) as dictionaries
        from pg_ts_config g
        join pg_ts_config_map p on p.mapcfg = g.oid
        join pg_ts_dict d on d.oid = p.mapdict
        join pg_namespace n on n.oid = d.dictnamespace
        join ts_token_type(g.cfgparser) k on k.tokid = p.maptokentype
        where g.oid = (c.language)::regconfig
          and k.alias in ('word', 'hword', 'hword_part', 'numword', 'numhword', 'hword_numpart')
        group by k.alias) t
      group by t.dictionaries) m
    group by c.name
  ), wanted as materialized (
    select * from service_private.wanted_search_columns(wanted_tables)
  ), column_step as materialized (
    select s.*, t.target, service_private.fill($$
      alter table <table>
        <drop?>
        add column <column> <type> generated always as (<expression>) stored;
      comment on column <target> is <remark>
    $$,
    'table', format('%I.%I', s.schema_name, s.table_name),
    'drop', case when s.attnum is not null then format('drop column %I,', s.name) end,
    'column', quote_ident(s.name), 'type', s.type, 'expression', s.expression, 'target', t.target,
    'remark', quote_literal(format('Made for the search of %s: %s. meaning:%s', s.collection,
      case s.type when 'tsvector' then 'the words of its fields' else 'the text of its fields' end, s.meaning))) as statement
    from wanted s
    cross join lateral (select format('%I.%I.%I', s.schema_name, s.table_name, s.name) as target) t
    where not s.ready
  ), finder as (
    select f.*, b.slug, format('service_private.%I', f.name) as called
    from block b
    cross join lateral service_private.search_finder(b.slug) f
  ), called as (
    select distinct f.name from wanted s
    cross join (values ('service_private.listed_text(text[])'), ('service_private.texts_within(jsonb)')) f (name)
    where position(split_part(f.name, '(', 1) || '(' in s.expression) > 0
  )
  select 20, 'extension', e.name, format('create extension %I schema %I', e.name, e.schema_name), false, 'safe',
    null::text, format('As a superuser: create extension %I;', e.name)
  from extension e
  where not e.installed and e.schema_name is not null
  union all
  select 20, 'extension', e.name, null, false, 'withheld',
    format('This server does not have the extension %s: %s', e.name, e.lost),
    format('Install %s (of PostgreSQL''s contrib modules) on the database server.', e.name)
  from extension e
  where not e.installed and e.schema_name is null
  union all
  select 25, 'text search configuration', c.name, service_private.fill($$
      create text search configuration <name> (copy = <language>);
      <mappings?>
    $$, 'name', c.name, 'language', c.language, 'mappings', m.statements), false, 'safe', null, null
  from configuration c
  left join mapping m on m.name = c.name
  where not exists (
    select from pg_ts_config g join pg_namespace n on n.oid = g.cfgnamespace
    where format('%I.%I', n.nspname, g.cfgname) = c.name)
  union all
  select 25, 'function', 'service.unaccented', service_private.fill($$
      create function service.unaccented(text) returns text
        language sql immutable strict parallel safe return <schema>.unaccent(<dictionary>::regdictionary, $1);
      comment on function service.unaccented(text) is
  'A text without accents. Generated, because unaccent() is not immutable: its rules are a file.';
      grant execute on function service.unaccented(text) to public
    $$,
    'schema', quote_ident(service_private.extension_schema('unaccent')),
    'dictionary', quote_literal(format('%I.unaccent', service_private.extension_schema('unaccent')))), false, 'safe', null, null
  where exists (select from block b where (b.block ->> 'folds')::boolean) and to_regprocedure('service.unaccented(text)') is null
  union all
  select 25, 'grant', 'public', format('grant execute on function %s to public', c.name), false, 'safe', null, null
  from called c
  where not has_function_privilege('public', c.name, 'execute')
  union all
  select 75, 'search column', c.target, c.statement, false, 'safe', case when c.attnum is not null then format(
    'The search block of %s has changed; the column is computed again for every row, and its index built again.', c.collection) end,
    null
  from column_step c
  where c.attnum is null or c.made_of is not null
  union all
  select 75, 'search column', c.target, null, false, 'report',
    format('A column of this name is there that no search block made; searches of %s do without it, and without an index.',
      c.collection),
    format('Name another one as search.column, or: alter table %I.%I drop column %I;', c.schema_name, c.table_name, c.name)
  from column_step c
  where c.attnum is not null and c.made_of is null
  union all
  select 75, 'search column', format('%I.%I.%I', t.schema_name, t.table_name, a.attname), null, false, 'report',
    'No search block asks for this column any more.',
    format('alter table %I.%I drop column %I;', t.schema_name, t.table_name, a.attname)
  from unnest(wanted_tables) t
  join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = 's'
  where service_private.search_meaning(col_description(t.oid, a.attnum)) is not null
    and not exists (select from wanted s where s.relation = t.oid and s.attnum = a.attnum)
  union all
  select 110, 'function', f.called, service_private.fill($$
      create or replace function <function>(text) returns tid[]
        language plpgsql stable security definer set search_path = pg_catalog, pg_temp as <body>;
      comment on function <function>(text) is <remark>;
      revoke all on function <function>(text) from public;
      grant execute on function <function>(text) to service_user
    $$,
    'function', f.called, 'body', quote_literal(f.body),
    'remark', quote_literal(format('Where the rows of %s that a search text finds are: by the index, past row security, '
      'which then says who sees which of them. Generated.', f.slug))), false, 'safe', null, null
  from finder f
  where not exists (
    select from pg_proc p join pg_namespace n on n.oid = p.pronamespace and n.nspname = 'service_private'
    where p.proname = f.name and p.prosrc = f.body);
end $body$;

comment on function service_private.plan_search(service_private.wanted_table[]) is
  'The part of service.provision_plan() about ranked searches, without their indexes.';
