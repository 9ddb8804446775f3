-- GET /data/books?searchString=tea
select service_private.bounded_answer(r.body, 67108864) as body
from (
  select service.enter($1, $2, $3, $4, $5) as ok,
    service_private.search_patterns($6) as patterns
  offset 0
) ctx
cross join lateral (
  select concat(
    '{"data":', coalesce(array_to_json((array_agg(d.*))[:$7::bigint])::text, '[]'),
    ',"meta":{',
    '"total":', case
      when count(*) <= $7::bigint then count(*)
      else (
        select c.count
        from (
          select count(*)
          from public.books t
          where not exists (select from unnest(ctx.patterns) p where not coalesce(coalesce(t.title ilike p, false) or coalesce(t.room ilike p, false), false))
        ) c
        where ctx.ok
      )
    end, ',',
    '"limit":', $7::bigint, ',"offset":', 0, ',"hasMore":', case
      when count(*) > $7::bigint then concat('true,"nextCursor":"', service_private.cursor_seal(
        'books',
        concat('{"k":[],"v":', json_build_array((array_agg(t.id))[$7::bigint]::text), '}')), '"')
      else 'false'
    end, '}}') as body
  from (
    select t.*
    from (
      select t.*
      from (
        select t.*
        from public.books t
        where not exists (select from unnest(ctx.patterns) p where not coalesce(coalesce(t.title ilike p, false) or coalesce(t.room ilike p, false), false))
        order by t.id desc
        limit 64
      ) t
      where ctx.ok
      limit 640
    ) t
    limit $7::bigint + 1
  ) t
  cross join lateral (
    select
      t.id as id,
      t.author_id as "authorId",
      t.title as title,
      t.pages as pages,
      t.price as price,
      t.secret as secret,
      t.room as room,
      t.place as place,
      t.attributes as attributes
  ) d
) r
