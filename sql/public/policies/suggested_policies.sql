-- The script opens tables to admin alone, as the default policies of collection files do; further rights, and
-- decisions, are comments in it. A name may contain line breaks, which would end a comment.
create or replace function service.suggested_policies(schema text, unprotected text default 'skip') returns text
  language sql stable set search_path = pg_catalog, pg_temp set jit = off
begin atomic
  with skipped as (
    select s.*, s.reason like 'row security is %' as is_policy,
      regexp_replace(s.slug || ': ' || s.reason || '.', '[[:cntrl:]]+', ' ', 'g') as title,
      format('%I.%I', s.schema_name, s.slug) as full_name, c.relrowsecurity as protected
    from service.introspected_tables(suggested_policies.schema, suggested_policies.unprotected) s
    join pg_class c on c.oid = s.oid
    where s.reason is not null
  ), written as (
    select s.is_policy, s.slug, concat_ws(e'\n',
      '-- ' || s.title,
      case when not s.protected then format('alter table %s enable row level security;', s.full_name) end,
      format('create policy %I on %s using (''admin'' = any (string_to_array((select service.roles()), '','')));',
        left(s.slug, 50) || '_admin', s.full_name),
      (select '-- Each row is for whom ' || a.attname || ' names: ' || regexp_replace(
          format('create policy %I on %s using (%I::text = (select service.uid()));', left(s.slug, 50) || '_owner', s.full_name, a.attname),
          '[[:cntrl:]]+', ' ', 'g')
        from pg_attribute a
        where a.attrelid = s.oid and a.attname in ('user_id', 'owner_id', 'owner', 'uid', 'created_by', 'author_id') and not a.attisdropped
        order by a.attnum limit 1),
      '-- Everybody reads it: ' || regexp_replace(
        format('create policy %I on %s for select using (true);', left(s.slug, 50) || '_read', s.full_name),
        '[[:cntrl:]]+', ' ', 'g')) as text
    from skipped s
    where s.is_policy
    union all
    select s.is_policy, s.slug, concat('-- ' || s.title, e'\n-- ' || regexp_replace(s.remedy, '[[:cntrl:]]+', ' ', 'g'))
    from skipped s
    where not s.is_policy
  )
  select string_agg(part.text, e'\n\n' order by part.n)
  from (
    select 1 as n, e'-- Row security for the tables that are not served. Once it is on, it holds for every role but the owner of the\n'
      '-- table and those who pass it by: others who read these tables need policies too.\nbegin;' as text
    from written w having bool_or(w.is_policy)
    union all
    select 2, string_agg(w.text, e'\n\n' order by w.slug) from written w where w.is_policy having count(*) > 0
    union all
    select 3, 'commit;' from written w having bool_or(w.is_policy)
    union all
    select 4, e'-- What follows is for you to decide.\n\n' || string_agg(w.text, e'\n\n' order by w.slug)
    from written w where not w.is_policy having count(*) > 0
  ) part;
end;

comment on function service.suggested_policies(text, text) is
  'A script for psql that would serve the tables of a schema which are not (service.introspected_tables): it turns row security on '
  'with a policy for admin, and names as comments what would open more and what needs a decision. Null when all are served.';

-- Example: select service.suggested_policies('public');
