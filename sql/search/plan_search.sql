-- A generated column holds no data of its own, so one of an older block is replaced: the one thing that is ever dropped.
-- What it calls may be called by everybody, because whoever writes the table computes it, other programs' roles included.
create or replace function service.plan_search() returns setof service.provision_step
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  with block as materialized (
    select c.slug, c.definition -> 'search' as given, service.search_block(c.slug) as block
    from service.collections c where c.source = 'file' and jsonb_typeof(c.definition -> 'search') = 'object'
  ), extension as (
    select e.name, service.extension_schema(e.name) as schema_name,
      exists (select from pg_extension x where x.extname = e.name) as installed,
      e.lost || string_agg(b.slug, ', ' order by b.slug) || '.' as lost
    from block b
    cross join lateral (values
      ('unaccent', (b.given ->> 'unaccent')::boolean or b.given ->> 'mode' = 'hybrid', 'accents tell words apart in searches of '),
      ('pg_trgm', (b.given ->> 'fuzzy')::boolean or b.given ->> 'mode' = 'hybrid',
        'nothing is fuzzy, and substrings are found without an index, in searches of ')) e (name, wanted, lost)
    where e.wanted
    group by e.name, e.lost
  ), configuration as (
    select distinct b.block ->> 'config' as name, b.block ->> 'language' as language
    from block b
    where b.block ->> 'config' <> b.block ->> 'language'
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
    select s.*, t.on_table, t.target,
      format('add column %I %s generated always as (%s) stored', s.name, s.type, s.expression) as addition,
      format('comment on column %s is %L', t.target, format('Made for the search of %s: %s. meaning:%s', s.collection,
        case s.type when 'tsvector' then 'the words of its fields' else 'the text of its fields' end, s.meaning)) as remark
    from service.wanted_search_columns() s
    cross join lateral (
      select format('%I.%I', s.schema_name, s.table_name), format('%I.%I.%I', s.schema_name, s.table_name, s.name)) t (on_table, target)
    where not s.ready
  ), finder as (
    select f.*, b.slug from block b cross join lateral service.search_finder(b.slug) f
  ), called as (
    select distinct f.name from service.wanted_search_columns() s
    cross join (values ('service.listed_text(text[])'), ('service.texts_within(jsonb)')) f (name)
    where position(split_part(f.name, '(', 1) || '(' in s.expression) > 0
  )
  select 20, 'extension', e.name, format('create extension %I schema %I', e.name, e.schema_name), false, 'safe', null,
    format('As a superuser: create extension %I;', e.name)
  from extension e
  where not e.installed and e.schema_name is not null
  union all
  select 20, 'extension', e.name, null, false, 'withheld', format('This server does not have the extension %s: %s', e.name, e.lost),
    format('Install %s (of PostgreSQL''s contrib modules) on the database server.', e.name)
  from extension e
  where not e.installed and e.schema_name is null
  union all
  select 25, 'text search configuration', c.name,
    concat_ws('; ', format('create text search configuration %s (copy = %s)', c.name, c.language), (
      select string_agg(format('alter text search configuration %s alter mapping for %s with %I.unaccent, %s', c.name, m.tokens,
        service.extension_schema('unaccent'), m.dictionaries), '; ' order by m.tokens)
      from mapping m where m.name = c.name)), false, 'safe', null, null
  from configuration c
  where not exists (
    select from pg_ts_config g join pg_namespace n on n.oid = g.cfgnamespace
    where format('%I.%I', n.nspname, g.cfgname) = c.name)
  union all
  select 25, 'function', 'service.unaccented',
    concat_ws('; ',
      'create function service.unaccented(text) returns text language sql immutable strict parallel safe '
        || format('return %1$I.unaccent(%2$L::regdictionary, $1)', u.schema_name, format('%I.unaccent', u.schema_name)),
      format('comment on function service.unaccented(text) is %L',
        'A text without accents. Generated, because unaccent() is not immutable: its rules are a file.'),
      'grant execute on function service.unaccented(text) to public'), false, 'safe', null, null
  from (select service.extension_schema('unaccent')) u (schema_name)
  where exists (select from block b where (b.block ->> 'folds')::boolean) and to_regprocedure('service.unaccented(text)') is null
  union all
  select 25, 'grant', 'public', format('grant execute on function %s to public', c.name), false, 'safe', null, null
  from called c
  where not has_function_privilege('public', c.name, 'execute')
  union all
  select 75, 'search column', c.target, concat_ws('; ', format('alter table %s %s', c.on_table, c.addition), c.remark), false,
    'safe', null, null
  from column_step c
  where c.attnum is null
  union all
  select 75, 'search column', c.target,
    concat_ws('; ', format('alter table %s drop column %I, %s', c.on_table, c.name, c.addition), c.remark), false, 'safe',
    format('The search block of %s has changed; the column is computed again for every row, and its index built again.', c.collection), null
  from column_step c
  where c.made_of is not null
  union all
  select 75, 'search column', c.target, null, false, 'report',
    format('A column of this name is there that no search block made; searches of %s do without it, and without an index.', c.collection),
    format('Name another one as search.column, or: alter table %s drop column %I;', c.on_table, c.name)
  from column_step c
  where c.attnum is not null and c.made_of is null
  union all
  select 75, 'search column', format('%I.%I.%I', t.schema_name, t.table_name, a.attname), null, false, 'report',
    'No search block asks for this column any more.',
    format('alter table %I.%I drop column %I;', t.schema_name, t.table_name, a.attname)
  from service.wanted_tables() t
  join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = 's'
  where service.search_meaning(col_description(t.oid, a.attnum)) is not null
    and not exists (select from service.wanted_search_columns() s where s.relation = t.oid and s.attnum = a.attnum)
  union all
  select 110, 'function', format('service.%I', f.name),
    concat_ws('; ',
      service.fill($sql$
        create or replace function <finder> returns tid[]
          language plpgsql stable security definer set search_path = pg_catalog, pg_temp as <body>
        $sql$,
        'finder', n.finder, 'body', quote_literal(f.body)),
      format('comment on function %s is %L', n.finder, format(
        'Where the rows of %s that a search text finds are: by the index, past row security, which then says who sees which of them. '
        'Generated.', f.slug)),
      format('revoke all on function %s from public', n.finder),
      format('grant execute on function %s to service_user', n.finder)), false, 'safe', null, null
  from finder f
  cross join lateral (select format('service.%I(text)', f.name)) n (finder)
  where not exists (
    select from pg_proc p
    where p.pronamespace = (select n.oid from pg_namespace n where n.nspname = 'service') and p.proname = f.name and p.prosrc = f.body);
end;

comment on function service.plan_search() is 'The part of service.provision_plan() about ranked searches, without their indexes.';

revoke all on function service.plan_search() from public;
