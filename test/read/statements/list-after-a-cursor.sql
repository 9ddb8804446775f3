-- GET /data/books?orderBy=pages&after=CURSOR
select service_private.bounded_answer(r.body, 67108864) as body
from (
  select service.enter($1, $2, $3, $4, $5) as ok,
    service_private.cursor_open('books', $7) as cursor
  offset 0
) ctx
cross join lateral (
  select concat(
    '{"data":', coalesce(array_to_json((array_agg(d.*))[:$6::bigint])::text, '[]'),
    ',"meta":{',
    '"total":', (
      select c.count
      from (
        select count(*)
        from public.books t
      ) c
      where ctx.ok
    ), ',',
    '"limit":', $6::bigint, ',"offset":', 0, ',"hasMore":', case
      when count(*) > $6::bigint then concat('true,"nextCursor":"', service_private.cursor_seal(
        'books',
        concat('{"k":[["pages", "asc", "last"]],"v":', json_build_array((array_agg(t.pages))[$6::bigint]::text, (array_agg(t.id))[$6::bigint]::text), '}')), '"')
      else 'false'
    end, '}}') as body
  from (
    select t.*
    from (
      select t.*
      from (
        (
          select t.*
          from public.books t
          where t.pages = ctx.cursor[1]::integer
              and t.id < ctx.cursor[2]::integer
          order by t.pages asc, t.id desc
          limit 64
        )
        union all
        (
          select t.*
          from public.books t
          where t.pages > ctx.cursor[1]::integer
          order by t.pages asc, t.id desc
          limit 64
        )
        union all
        (
          select t.*
          from public.books t
          where t.pages is null
          order by t.pages asc, t.id desc
          limit 64
        )
      ) t
      where ctx.ok
      limit 640
    ) t
    limit $6::bigint + 1
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
