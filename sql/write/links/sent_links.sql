create or replace function service_private.sent_links(served service.collections, sent text[]) returns setof service.relations
  language plpgsql stable as $$
begin
  return query
    select r.*
    from unnest(sent) s (field)
    cross join lateral service_private.find_relation(served.slug, s.field) r
    where r.kind in ('hasOne', 'hasMany', 'manyToMany')
    order by r.name;
end $$;

comment on function service_private.sent_links(service.collections, text[]) is
  'The relations among the names in a body that have no column in its own row: their links stand in other rows, or in a junction.';
