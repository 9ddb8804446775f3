/**
 * An expression without parentheses, blanks and aliases, as a hash: PostgreSQL writes these otherwise once it has read its own text.
 * @param definition SQL text
 */
const told = (definition: string): string => `md5(regexp_replace(${definition}, '\\sAS "?\\w+"?|[()\\s]', '', 'g'))`;

/**
 * A line for everything that is defined in a database, and for the rows of each table. The search path has to be empty. Bodies in
 * SQL-standard form are left out, which PostgreSQL writes otherwise by more than that.
 */
export const FINGERPRINT = `
  with schemas as (
    select n.oid, n.nspname from pg_namespace n where n.nspname !~ '^pg_' and n.nspname <> 'information_schema'),
  members as (select d.classid, d.objid from pg_depend d where d.deptype = 'e'),
  relations as (
    select c.*, format('%I.%I', n.nspname, c.relname) as name
    from pg_class c join schemas n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p', 'v', 'm') and ('pg_class'::regclass, c.oid) not in (select classid, objid from members))
  select string_agg(l.line, E'\\n' order by l.line collate "C") as lines from (
    select format('table %s: %s rows', r.name, (xpath('/row/c/text()',
      query_to_xml('select count(*) as c from ' || r.name, false, true, '')))[1])
    from relations r where r.relkind = 'r'
    union all
    select format('relation %s: %s, row security %s %s, %s', r.name, r.relkind, r.relrowsecurity, r.relforcerowsecurity,
      (select string_agg(a.grantee::regrole || ' ' || a.privilege_type, ', ' order by a.grantee::regrole::text, a.privilege_type)
        from aclexplode(r.relacl) a where a.grantee <> r.relowner))
    from relations r
    union all
    select format('column %s.%I: %s %s %s %s %s', r.name, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull,
      a.attidentity, a.attgenerated, ${told('pg_get_expr(d.adbin, d.adrelid)')})
    from relations r join pg_attribute a on a.attrelid = r.oid and a.attnum > 0 and not a.attisdropped
    left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    union all
    select format('constraint %s %I: %s', r.name, c.conname,
      ${told('pg_get_constraintdef(c.oid)')})
    from relations r join pg_constraint c on c.conrelid = r.oid
    union all
    select format('index %s: %s', r.name, ${told('pg_get_indexdef(i.indexrelid)')})
    from relations r join pg_index i on i.indrelid = r.oid
    union all
    select format('policy %s %I: %s %s %s %s', r.name, p.polname, p.polcmd, p.polpermissive,
      ${told('pg_get_expr(p.polqual, p.polrelid)')},
      ${told('pg_get_expr(p.polwithcheck, p.polrelid)')})
    from relations r join pg_policy p on p.polrelid = r.oid
    union all
    select format('trigger %s %I: %s %s', r.name, t.tgname, t.tgenabled,
      ${told('pg_get_triggerdef(t.oid)')})
    from relations r join pg_trigger t on t.tgrelid = r.oid and not t.tgisinternal
    union all
    select format('view %s: %s', r.name, ${told('pg_get_viewdef(r.oid)')})
    from relations r where r.relkind in ('v', 'm')
    union all
    select format('function %I.%I(%s): %s, %s', n.nspname, p.proname, pg_get_function_identity_arguments(p.oid),
      md5(concat_ws(' ', pg_get_function_result(p.oid), p.provolatile, p.prosecdef, p.proconfig, p.prosrc)),
      (select string_agg(a.grantee::regrole || ' ' || a.privilege_type, ', ' order by a.grantee::regrole::text, a.privilege_type)
        from aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a where a.grantee <> p.proowner))
    from pg_proc p join schemas n on n.oid = p.pronamespace
    where p.prokind in ('f', 'p', 'w') and ('pg_proc'::regclass, p.oid) not in (select classid, objid from members)) l (line)`;
