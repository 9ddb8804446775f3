-- An arrow would read as a path inside JSON.
create or replace function service_private.camel_case(name text) returns text
  language sql immutable parallel safe
begin atomic
  select case when min(plain) like '\_%' then min(plain)
    else string_agg(case n when 1 then part else upper(left(part, 1)) || substr(part, 2) end, '' order by n) end
  from replace(name, '->', '_') plain, regexp_split_to_table(plain, '_') with ordinality s (part, n);
end;

comment on function service_private.camel_case(text) is 'The wire name of a column: user_id is userId, photoURL stays, a->b is aB.';
