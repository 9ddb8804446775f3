--! Previous: sha1:76367e1956c8bec90c70268ed431b8b4c35c9637
--! Hash: sha1:16cbb561044d9f1b3e90b6b1b5b8f9a17ecd00bd

--! Included read/operators.sql
-- One row an operator. left/right: the column expression (%1$s) and the value (%2$s) as they stand in the template.
-- families: the property types it applies to. negated: the operator whose absence it means across a relation.
create or replace function service.operators()
  returns table (operator text, template text, families text[], negated text, takes text)
  language sql immutable parallel safe
begin atomic
  select * from (values
    ('==',                 '%1$s = %2$s',             '{string,number,boolean,date}'::text[],              null,    'scalar'),
    ('!=',                 '%1$s <> %2$s',            '{string,number,boolean,date}',                      '==',    'scalar'),
    ('>',                  '%1$s > %2$s',             '{string,number,boolean,date}',                      null,    'scalar'),
    ('>=',                 '%1$s >= %2$s',            '{string,number,boolean,date}',                      null,    'scalar'),
    ('<',                  '%1$s < %2$s',             '{string,number,boolean,date}',                      null,    'scalar'),
    ('<=',                 '%1$s <= %2$s',            '{string,number,boolean,date}',                      null,    'scalar'),
    ('in',                 '%1$s = any (%2$s)',       '{string,number,boolean,date}',                      null,    'list'),
    ('not-in',             '%1$s <> all (%2$s)',      '{string,number,boolean,date}',                      'in',    'list'),
    ('array-contains',     '%1$s @> array[%2$s]',     '{array}',                                           null,    'scalar'),
    ('array-contains-any', '%1$s && %2$s',            '{array}',                                           null,    'list'),
    ('like',               '%1$s like %2$s',          '{string}',                                          null,    'text'),
    ('ilike',              '%1$s ilike %2$s',         '{string}',                                          null,    'text'),
    ('not-like',           '%1$s not like %2$s',      '{string}',                                          'like',  'text'),
    ('not-ilike',          '%1$s not ilike %2$s',     '{string}',                                          'ilike', 'text'),
    ('is-null',            '%1$s is null',            '{string,number,boolean,date,array,map,binary}',      null,    'nothing'),
    ('is-not-null',        '%1$s is not null',        '{string,number,boolean,date,array,map,binary}',      null,    'nothing')
  ) as o (operator, template, families, negated, takes);
end;

comment on function service.operators() is
  'The sixteen filter operators: their SQL template (%1$s column, %2$s value), the property types they apply to, the positive operator that a negative one denies across a relation, and what value they take.';

revoke all on function service.operators() from public;
--! EndIncluded read/operators.sql
--! Included read/comparison.sql
create or replace function service.comparison(expression text, property service.properties, condition jsonb) returns text
  language plpgsql stable as $$
declare
  op record := service.operand(property.name, condition);
  is_json boolean := property.sql_type in ('json', 'jsonb');
  -- A file's map is an object; a JSON column that was there before may hold arrays (service.judged_fields).
  kind text := case when op.operator like 'array-%' and is_json and not property.attributes ? 'column' then 'array' else property.type end;
  symbol text := split_part(op.template, ' ', 2);
  json_array boolean := kind = 'array' and is_json;
  composite boolean := exists (select from pg_catalog.pg_type t where t.oid = to_regtype(property.sql_type) and t.typtype = 'c');
  item_type text := case when kind = 'array' then rtrim(property.sql_type, '[]') else property.sql_type end;
  binary_array boolean := kind = 'array' and item_type = 'bytea';
begin
  -- JSON numbers compare as numbers: 2.0 is 2, and 1.5 is more than 1. Whole ones keep the column's type, and so its index.
  if condition ->> 2 = 'decimal' and item_type in ('smallint', 'integer', 'bigint') then
    expression := expression || case kind when 'array' then '::numeric[]' else '' end;
    item_type := 'numeric';
  end if;
  if kind in ('vector', 'geopoint') then
    perform service.fail(400, 'INVALID_FILTER_FIELD', format('Field %s of %s cannot be filtered.', property.name, property.collection),
      jsonb_build_object('field', property.name, 'collection', property.collection, 'type', kind));
  end if;
  if not kind = any (op.families)
    or (op.takes = 'text' and not service.takes_patterns(property.collection, property.column_name))
    or (op.takes in ('scalar', 'list') and not json_array and not service.has_operator(item_type,
      case when kind = 'array' then '=' else symbol end)) then
    perform service.fail(400, 'INVALID_FILTER_OPERATOR', format('Operator %s does not apply to %s, which is of type %s.', op.operator, property.name, kind),
      jsonb_build_object('field', property.name, 'collection', property.collection, 'operator', op.operator, 'type', kind));
  end if;
  return case
    when json_array and op.takes <> 'nothing' then
      -- json_array_elements_text refuses what is no array, and finds nothing in NULL.
      format('exists (select from %3$s_array_elements_text(case %3$s_typeof(%1$s) when ''array'' then %1$s end) e where e = %2$s)', expression,
        case when op.list then format('any ($%s::text[])', op.parameter) else format('$%s::text', op.parameter) end, property.sql_type)
    -- Bytes are compared as they are shown, in base64.
    when binary_array and op.takes <> 'nothing' then
      format('exists (select from unnest(%s) e where %s = %s)', expression, service.scalar_value('e', 'bytea'),
        case when op.list then format('any ($%s::text[])', op.parameter) else format('$%s::text', op.parameter) end)
    -- IS NOT NULL would ask whether each field of the composite is.
    when op.takes = 'nothing' and composite then
      format('%s is %s distinct from null', expression, case op.operator when 'is-null' then 'not' else '' end)
    when op.takes = 'text' then
      format(op.template, case when property.sql_type in ('text', 'character varying') then expression else expression || '::text' end, format('$%s::text', op.parameter))
    when kind <> 'array' and op.takes in ('scalar', 'list') then
      format(replace(op.template, format(' %s ', symbol), format(' %s ', service.operator_name(item_type, symbol))), expression, service.value(op.parameter, item_type, op.list))
    else
      format(op.template, expression, service.value(op.parameter, item_type, op.list))
  end;
end $$;

comment on function service.comparison(text, service.properties, jsonb) is
  'SQL text of one condition [operator, parameter] on a column expression. GW400 as service.operand, INVALID_FILTER_FIELD (a type that cannot be filtered) or INVALID_FILTER_OPERATOR (not for this type).';

revoke all on function service.comparison(text, service.properties, jsonb) from public;
--! EndIncluded read/comparison.sql
--! Included search/search_meaning.sql
create or replace function service.search_meaning(remark text) returns text
  language sql immutable parallel safe
  return substring(remark from '^Made for the search of .* meaning:([0-9a-f]{7})$');

comment on function service.search_meaning(text) is
  'The hash that a generated search column''s comment keeps of its expression (service.wanted_search_columns); null for the comment of a column that no search block made.';

revoke all on function service.search_meaning(text) from public;
--! EndIncluded search/search_meaning.sql
--! Included catalog/introspected_properties.sql
create or replace function service.introspected_properties(tables service.introspected_table[])
  returns setof service.properties
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  with found as materialized (
    select t.slug, t.key, a.attname::text as column_name, a.attrelid, a.attnum, a.atttypid, a.atttypmod, a.attnotnull, a.atthasdef, a.attidentity, a.attgenerated
    from unnest(tables) t
    join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
    where not t.junction
  ), wire as materialized (
    select n.column_name, service.camel_case(n.column_name) as name from (select distinct f.column_name from found f) n
  ), type as materialized (
    select b.oid, b.base, service.property_type(b.base) as name, service.sql_type(b.base) as sql_type,
      (select jsonb_agg(e.enumlabel order by e.enumsortorder) from pg_enum e where e.enumtypid = b.base) as labels
    from (select distinct f.atttypid as oid, service.base_type(f.atttypid) as base from found f) b
  ), named as (
    select f.*, w.name as wire,
      -- Two columns, one wire name: the one that is spelled so keeps it, the other goes by its raw name.
      row_number() over (partition by f.attrelid, w.name order by f.column_name = w.name desc, f.attnum) as claim
    from found f
    join wire w on w.column_name = f.column_name
  )
  select n.slug, case n.claim when 1 then n.wire else n.column_name end, n.column_name, n.attnum::integer,
    t.name, t.sql_type, n.attnotnull,
    n.attnotnull and not n.atthasdef and n.attidentity = '' and n.attgenerated = '',
    n.attidentity = 'a' or n.attgenerated <> '',
    -- What collection files once had made for a search is of no use without them.
    n.atttypid in ('tsvector'::regtype, 'tsquery'::regtype) or service.search_meaning(d.description) is not null,
    null::text[], null::text[],
    jsonb_strip_nulls(jsonb_build_object(
      'description', d.description,
      'enum', t.labels,
      'maxLength', case when t.base in ('varchar'::regtype, 'bpchar'::regtype) and n.atttypmod > 4 then n.atttypmod - 4 end,
      'dimensions', case when t.name = 'vector' and n.atttypmod > 0 then n.atttypmod end,
      'isId', case when n.attnum = any (n.key) then
        case when n.atttypid = 'uuid'::regtype then '"uuid"'::jsonb when t.name = 'number' then '"increment"' else 'true' end end))
  from named n
  join type t on t.oid = n.atttypid
  left join pg_description d on d.classoid = 'pg_class'::regclass and d.objoid = n.attrelid and d.objsubid = n.attnum;
end;

comment on function service.introspected_properties(service.introspected_table[]) is
  'The columns of the served tables as rows of service.properties. Text search columns, and those that were generated for a search, are kept out of the API; generated ones are read-only.';

revoke all on function service.introspected_properties(service.introspected_table[]) from public;
--! EndIncluded catalog/introspected_properties.sql
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
    and service.search_meaning(col_description(t.oid, a.attnum)) is null
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
  left join lateral (select service.search_meaning(d.description) as made_of) s on true;
end;

comment on function service.wanted_search_columns() is
  'The generated columns that search blocks ask for. PostgreSQL stores an expression in another form than it was given, so the column''s comment keeps a hash of it: made_of is that of the column that is there (null: no block made it), ready when it is the wanted one. index_keys: what its GIN index is on, null without pg_trgm.';

revoke all on function service.wanted_search_columns() from public;
--! EndIncluded search/wanted_search_columns.sql
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
  where service.search_meaning(col_description(t.oid, a.attnum)) is not null
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
--! Included write/written_columns.sql
-- A column that is sent by two names is written once; service.disagreeing_fields has seen that both say the same.
create or replace function service.written_columns(served service.collections, op text, sent text[])
  returns table (column_name text, expression text, field text, read_as text)
  language sql stable
begin atomic
  select (s.property).column_name, e.expression, s.field, e.read_as
  from (
    select distinct on ((f.property).column_name) f.*
    from service.sent_fields(served, sent) f
    where not (f.property).attributes ? 'autoValue' and not (op = 'update' and (f.property).name = any (served.key))
    order by (f.property).column_name, f.field
  ) s
  cross join lateral service.stored_expression(s.field, s.property, s.unwraps) e;
end;

comment on function service.written_columns(service.collections, text, text[]) is
  'The columns that a body with these names writes: SQL text of the value, and the field and type that it is read from. Stamps are not among them: a trigger puts them there.';

revoke all on function service.written_columns(service.collections, text, text[]) from public;
--! EndIncluded write/written_columns.sql
--! Included read/vector_property.sql
create or replace function service.vector_property(collection text, field text, roles text[]) returns service.properties
  language plpgsql stable as $$
declare
  property service.properties := service.find_property(collection, field);
begin
  if property.name is null and service.extension_schema('vector') is null
    and exists (select from service.properties p where p.collection = vector_property.collection and p.name = field and p.type = 'vector') then
    perform service.fail(501, 'FEATURE_DISABLED', format('%s.%s is left out: the database server does not have the extension vector (pgvector).', collection, field),
      jsonb_build_object('feature', 'vector search', 'extension', 'vector', 'field', field, 'collection', collection));
  end if;
  if property.type is distinct from 'vector' then
    perform service.fail(400, 'UNKNOWN_VECTOR_PROPERTY', format('%s has no vector property %s.', collection, field), jsonb_build_object('field', field, 'collection', collection));
  end if;
  perform service.require_readable(property, roles);
  return property;
end $$;

comment on function service.vector_property(text, text, text[]) is 'The vector property of a collection by its name. GW400 UNKNOWN_VECTOR_PROPERTY {field, collection}, FIELD_NOT_READABLE; GW501 FEATURE_DISABLED {feature, extension, field, collection} for one that a server without pgvector leaves out.';

revoke all on function service.vector_property(text, text, text[]) from public;
--! EndIncluded read/vector_property.sql
--! Included provision/wanted_columns.sql
-- A junction's own columns have the type of what they refer to; a serial there would count by itself.
create or replace function service.wanted_columns()
  returns table (schema_name text, table_name text, relation oid, attnum smallint, name text, "position" integer, type text, default_value text,
    identity boolean, is_unique boolean, not_null boolean, stamp text, in_key boolean, enum_type jsonb, vector_index jsonb)
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  with link as (
    select r.junction_schema, r.junction_table, e.name, e.rank * 1000 + e.n as "position", p.attributes #>> '{column,type}' as type, p.sql_type
    from service.relations r
    cross join lateral (
      select s.name, s.refers, s.n, 0 as rank, r.collection from unnest(r.junction_source, r.local_columns) with ordinality s (name, refers, n)
      union all
      select t.name, t.refers, t.n, 1, r.target from unnest(r.junction_target, r.target_columns) with ordinality t (name, refers, n)
    ) e
    join service.properties p on p.collection = e.collection and p.column_name = e.refers
    where r.kind = 'manyToMany'
  ), declared as (
    select t.schema_name, t.table_name, p.column_name as name, p."position", p.not_null, p.attributes -> 'column' as spec, 1 as rank
    from service.wanted_tables() t
    join service.properties p on p.collection = t.collection
    where p.attributes ? 'column'
    union all
    select l.junction_schema, l.junction_table, l.name, l."position", true, jsonb_build_object('type',
      case coalesce(l.type, l.sql_type) when 'smallserial' then 'smallint' when 'serial' then 'integer' when 'bigserial' then 'bigint' else coalesce(l.type, l.sql_type) end), 2
    from link l
    union all
    select r.junction_schema, r.junction_table, e.pivot ->> 'columnName', 10000 + e.n, (coalesce(e.pivot -> 'notNull', e.pivot -> 'required', 'false'))::boolean,
      e.pivot #> '{attributes,column}', 3
    from service.relations r
    cross join jsonb_array_elements(r.pivot) with ordinality e (pivot, n)
    where r.kind = 'manyToMany' and jsonb_typeof(r.pivot) = 'array' and e.pivot #> '{attributes,column}' is not null
  ), first as (
    select distinct on (d.schema_name, d.table_name, d.name) d.*
    from declared d
    order by d.schema_name, d.table_name, d.name, d.rank, d."position"
  )
  select t.schema_name, t.table_name, t.oid, a.attnum, f.name, f."position",
    case when f.spec ->> 'type' ~ '(^|\.)vector(\(|$)' then quote_ident(v.schema_name) || '.vector' || coalesce(substring(f.spec ->> 'type' from '\(\d+\)$'), '') else f.spec ->> 'type' end,
    f.spec ->> 'default', coalesce((f.spec ->> 'identity')::boolean, false), coalesce((f.spec ->> 'unique')::boolean, false), f.not_null,
    f.spec ->> 'stamp', f.name = any (t.key), nullif(f.spec -> 'enumType', 'null'), nullif(f.spec -> 'index', 'null')
  from first f
  join service.wanted_tables() t on t.schema_name = f.schema_name and t.table_name = f.table_name
  cross join (select service.extension_schema('vector') as schema_name) v
  left join pg_attribute a on a.attrelid = t.oid and a.attname = f.name and a.attnum > 0 and not a.attisdropped;
end;

comment on function service.wanted_columns() is
  'The columns that collection files ask for. attnum is null while the table has none of that name. type is null for a vector where the server has no pgvector.';

revoke all on function service.wanted_columns() from public;
--! EndIncluded provision/wanted_columns.sql
--! Included provision/plan_schemas.sql
create or replace function service.plan_schemas() returns setof service.provision_step
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  with wanted as (
    select t.schema_name from service.wanted_tables() t
    union
    select c.enum_type ->> 'schema' from service.wanted_columns() c where c.enum_type is not null
  ), extension as (
    select service.extension_schema('vector') as schema_name, exists (select from pg_extension e where e.extname = 'vector') as installed
    where exists (select from service.properties p where p.attributes #>> '{column,type}' ~ '(^|\.)vector(\(|$)')
  )
  select 10, 'schema', quote_ident(w.schema_name), format('create schema %I', w.schema_name), false, 'safe', null::text, null::text
  from wanted w
  where not exists (select from pg_namespace n where n.nspname = w.schema_name)
  union all
  select 20, 'extension', 'vector', format('create extension vector schema %I', e.schema_name), false, 'safe', null, 'As a superuser: create extension vector;'
  from extension e
  where not e.installed and e.schema_name is not null
  union all
  select 20, 'extension', 'vector', null, false, 'withheld', 'This server does not have the extension vector; its columns are left out.',
    'Install pgvector on the database server.'
  from extension e
  where e.schema_name is null;
end;

comment on function service.plan_schemas() is 'The part of service.provision_plan() about schemas and extensions.';

revoke all on function service.plan_schemas() from public;
--! EndIncluded provision/plan_schemas.sql
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
    select c.*, d.distance, format('using %s (%I %I.%I)%s', c.vector_index ->> 'method', c.name, service.extension_schema('vector'),
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
--! Included collections/with_vector_schema.sql
create or replace function service.with_vector_schema(property service.properties) returns service.properties
  language plpgsql stable as $$
begin
  if property.type = 'vector' and property.sql_type = 'vector' then
    property.sql_type := format('%I.vector', service.extension_schema('vector'));
  end if;
  return property;
end $$;

comment on function service.with_vector_schema(service.properties) is 'The property; its type, if it is a vector without a schema, by the name that pgvector has on this server.';

revoke all on function service.with_vector_schema(service.properties) from public;
--! EndIncluded collections/with_vector_schema.sql
--! Included collections/define.sql
-- The whole catalog at once. Nothing is written when it is what is there already, so that a second boot and a second
-- gateway leave no trace. On a server without pgvector the vector properties have no column, so nobody is to ask for it.
create or replace function service.define(catalog jsonb) returns boolean
  language plpgsql volatile as $$
declare
  collections service.collections[] := array(select c from jsonb_populate_recordset(null::service.collections, catalog -> 'collections') c);
  properties service.properties[] := array(
    select case when p.type = 'vector' and service.extension_schema('vector') is null then service.without_column(p) else service.with_vector_schema(p) end
    from jsonb_populate_recordset(null::service.properties, catalog -> 'properties') p);
  relations service.relations[] := array(select r from jsonb_populate_recordset(null::service.relations, catalog -> 'relations') r);
  stored text := (
    select service.fingerprint(array_agg(line)) from (
      select to_jsonb(c)::text as line from service.collections c
      union all select to_jsonb(p)::text from service.properties p
      union all select to_jsonb(r)::text from service.relations r) l);
  given text := (
    select service.fingerprint(array_agg(line)) from (
      select to_jsonb(c)::text as line from unnest(collections) c
      union all select to_jsonb(p)::text from unnest(properties) p
      union all select to_jsonb(r)::text from unnest(relations) r) l);
begin
  if stored = given then
    return false;
  end if;
  delete from service.collections;
  insert into service.collections select * from unnest(collections);
  insert into service.properties select * from unnest(properties);
  insert into service.relations select * from unnest(relations);
  update service.catalog set version = version + 1, schema_version = service.schema_version();
  perform pg_notify('service_catalog', (select c.version::text from service.catalog c));
  return true;
end $$;

comment on function service.define(jsonb) is
  'Makes {collections, properties, relations}, the rows of the tables of those names with every column, the catalog. True when that changed it; gateways are then notified on channel service_catalog with the new version. Needs the owner; callers serialise it with an advisory lock.';

revoke all on function service.define(jsonb) from public;
--! EndIncluded collections/define.sql
drop function service.vector_schema();
--! Included catalog/view_key.sql
-- A view has no primary key. Its comment may name one (@key column[, column]), or it exposes the whole key of exactly
-- one of its base tables under the same names. A comment that names a column which is not there names no key: what is
-- left of it could stand for many rows.
create or replace function service.view_key(view oid) returns smallint[]
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  with said as (
    select case when bool_and(a.attnum is not null) then array_agg(a.attnum order by k.n) end as key
    from regexp_split_to_table(substring(obj_description(view_key.view, 'pg_class') from '@key ([^\n]+)'), '\s*,\s*') with ordinality k (name, n)
    left join pg_attribute a on a.attrelid = view_key.view and a.attname = trim(k.name) and a.attnum > 0 and not a.attisdropped
  ), exposed as (
    select p.conrelid, array_agg(v.attnum order by k.n) as key, count(*) = cardinality(p.conkey) as whole
    from pg_rewrite r
    join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = r.oid and d.refclassid = 'pg_class'::regclass and d.refobjsubid > 0
    join pg_constraint p on p.conrelid = d.refobjid and p.contype = 'p'
    join unnest(p.conkey) with ordinality k (attnum, n) on k.attnum = d.refobjsubid
    join pg_attribute b on b.attrelid = p.conrelid and b.attnum = k.attnum
    join pg_attribute v on v.attrelid = r.ev_class and v.attname = b.attname and v.attnum > 0 and not v.attisdropped
    where r.ev_class = view_key.view and d.refobjid <> view_key.view
    group by p.conrelid, p.conkey
  )
  select coalesce(
    (select s.key from said s),
    (select min(e.key) from exposed e where e.whole having count(*) = 1))
  where exists (select from pg_class c where c.oid = view_key.view and c.relkind = 'v');
end;

comment on function service.view_key(oid) is 'The key columns of a view as attribute numbers; null when they are not known, and for what is no view.';

revoke all on function service.view_key(oid) from public;
--! EndIncluded catalog/view_key.sql
--! Included read/is_costly.sql
-- A transaction that enters first costs three round trips more, and may then count with several processes. One caller gets
-- a count of a million rows in half the time so, many callers at once get neither more nor less; below 300,000 rows
-- PostgreSQL uses one process anyway (bench/count). What counts is what a plan for any values costs: a filter with an
-- index leaves few rows of many.
create or replace function service.is_costly(collection text, statement text) returns boolean
  language plpgsql volatile set plan_cache_mode = 'force_generic_plan' set jit = off as $$
declare
  large constant real := 100000;
  costly constant real := 20000;
  parameters integer;
  plan json;
begin
  if not exists (
    select from service.collections c join pg_catalog.pg_class t on t.oid = to_regclass(format('%I.%I', c.schema_name, c.table_name))
    where c.slug = is_costly.collection and (t.reltuples >= large or t.relkind <> 'r')) then
    return false;
  end if;
  -- One that a failure left behind: it outlives a rollback.
  if exists (select from pg_catalog.pg_prepared_statements where name = 'service_cost') then
    deallocate service_cost;
  end if;
  execute format('prepare service_cost as %s', statement);
  parameters := (select cardinality(p.parameter_types) from pg_catalog.pg_prepared_statements p where p.name = 'service_cost');
  execute format('explain (format json) execute service_cost(%s)', rtrim(repeat('null, ', parameters), ', ')) into plan;
  deallocate service_cost;
  return (plan -> 0 -> 'Plan' ->> 'Total Cost')::real >= costly;
end $$;

comment on function service.is_costly(text, text) is
  'Whether a compiled count or aggregate of a collection is worth several processes: the planner''s cost of it, for values unknown, is 20,000 or more (a scan of about a million rows). Tables below 100,000 rows are not looked at.';

revoke all on function service.is_costly(text, text) from public;
--! EndIncluded read/is_costly.sql
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
        search_matches.block ->> 'trigrams', service.search_folded('w', search_matches.block), (search_matches.block ->> 'fuzzyThreshold')::numeric) end), '') as condition) h;
end;

comment on function service.search_matches(text, jsonb) is
  'SQL text of _matches of a row t: [{field, snippet}] for each field of the block (service.readable_search) that holds a hit, as declared.';

revoke all on function service.search_matches(text, jsonb) from public;
--! EndIncluded search/search_matches.sql
