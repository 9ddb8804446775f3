-- Run once, in a database whose chain the first migration replaces: its tables are the same, its functions are installed
-- anew. What only the service's own functions call goes first, whatever its arguments were; what policies, triggers,
-- columns, views and other people's functions hang on stays, and gets its text in place.
do $$
declare
  functions text;
begin
  with recursive
    own as (
      -- A name with __ was made for a table: service.posts__before_save.
      select p.oid from pg_catalog.pg_proc p where p.pronamespace = 'service'::regnamespace and strpos(p.proname, '__') = 0
    ),
    dependency as (
      select d.refobjid as function, case when o.oid is null then 'other' else 'own' end as kind, d.objid as dependent
      from pg_catalog.pg_depend d
      join own on own.oid = d.refobjid
      left join own o on o.oid = d.objid and d.classid = 'pg_catalog.pg_proc'::regclass
      where d.refclassid = 'pg_catalog.pg_proc'::regclass
    ),
    kept as (
      select d.function from dependency d where d.kind = 'other'
      union
      select d.function from kept k join dependency d on d.kind = 'own' and d.dependent = k.function
    )
  select string_agg(own.oid::regprocedure::text, ', ') into functions
  from own where own.oid not in (select k.function from kept k);
  if functions is not null then
    execute format('drop function %s', functions);
  end if;
end $$;

-- Said better since.
comment on column service.properties.attributes is
  'Of a value at any depth: description, label, enum (its ids), validation, requiredMessage, email, url, format, maxLength, '
  'of (the elements of an array), properties (the parts of a map), keyValue; of a property also isId, autoValue, defaultValue, '
  'dimensions. column {type, default, identity, unique, stamp, enumType, index} says how a property of a file is provisioned: '
  'a column that was there before has none.';
comment on column service.relations.pivot is
  'The junction''s own properties: [{name, columnName, position, type, sqlType, notNull, required, attributes}]; null for a pure '
  'junction.';
