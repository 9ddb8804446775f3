-- GET /data/books?title=like.T%25&pages=gt.50&orderBy=pages:desc&limit=10&offset=20
select service_private.bounded_answer(r.body, 67108864) as body
from (
  select service.enter($1, $2, $3, $4, $5) as ok
  offset 0
) ctx
cross join lateral (
  select concat(
    '{"data":', coalesce(array_to_json((array_agg(d.*))[:$8::bigint])::text, '[]'),
    ',"meta":{',
    '"total":', case
      when count(*) <= $8::bigint and count(*) > 0 then $9::bigint + count(*)
      else (
        select c.count
        from (
          select count(*)
          from public.books t
          where t.pages > $7::integer
            and t.title like $6::text
        ) c
        where ctx.ok
      )
    end, ',',
    '"limit":', $8::bigint, ',"offset":', $9::bigint, ',"hasMore":', case
      when count(*) > $8::bigint then concat('true,"nextCursor":"', service_private.cursor_seal(
        'books',
        concat('{"k":[["pages", "desc", "first"]],"v":', json_build_array((array_agg(t.pages))[$8::bigint]::text, (array_agg(t.id))[$8::bigint]::text), '}')), '"')
      else 'false'
    end, '}}') as body
  from (
    select t.*
    from (
      select t.*
      from (
        select t.*
        from public.books t
        where t.pages > $7::integer
          and t.title like $6::text
        order by t.pages desc, t.id desc
        limit 16
        offset $9::bigint
      ) t
      where ctx.ok
      limit 160
    ) t
    limit $8::bigint + 1
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
