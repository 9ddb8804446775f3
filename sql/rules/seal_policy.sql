-- PostgreSQL stores a policy's parsed form, which cannot be compared with the text it was made from. So its comment
-- keeps two hashes: of that text, and of the stored form, by which a change made by hand is seen.
create or replace function service_private.seal_policy(relation regclass, name text, meaning text, origin text) returns void
  language plpgsql volatile as $$
begin
  execute format('comment on policy %I on %s is %L', name, relation,
    format('Generated from %s, which is the place to change it. meaning:%s state:%s version:%s', origin, meaning,
      service_private.policy_state((select p.oid from pg_catalog.pg_policy p where p.polrelid = relation and p.polname = name)),
      service_private.seal_version()));
end $$;

comment on function service_private.seal_policy(regclass, text, text, text) is
  'Marks a policy that was just made as generated, with hashes of what it was made from and of what it says.';
