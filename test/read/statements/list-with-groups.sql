-- GET /data/books?not=(or(pages.gt.50,author.name.eq.Ann),and(title.eq.Tea,tags.name.neq.hot))
select service_private.bounded_answer(r.body, 67108864) as body
from (
  select service.enter($1, $2, $3, $4, $5) as ok
  offset 0
) ctx
cross join lateral (
  select concat(
    '{"data":', coalesce(array_to_json((array_agg(d.*))[:$10::bigint])::text, '[]'),
    ',"meta":{',
    '"total":', case
      when count(*) <= $10::bigint then count(*)
      else (
        select c.count
        from (
          select count(*)
          from public.books t
          where ((((t.pages > $6::integer)
              or (exists (
                  select
                  from public.authors tx
                  where tx.id = t.author_id
                    and tx.name = $7::text
                )))
            and ((t.title = $8::text)
              and (not exists (
                  select
                  from public.book_tags txj join public.tags tx on tx.id = txj.tag_id
                  where txj.book_id = t.id
                    and tx.name = $9::text
                )))) is not true)
        ) c
        where ctx.ok
      )
    end, ',',
    '"limit":', $10::bigint, ',"offset":', 0, ',"hasMore":', case
      when count(*) > $10::bigint then concat('true,"nextCursor":"', service_private.cursor_seal(
        'books',
        concat('{"k":[],"v":', json_build_array((array_agg(t.id))[$10::bigint]::text), '}')), '"')
      else 'false'
    end, '}}') as body
  from (
    select t.*
    from (
      select t.*
      from (
        select t.*
        from public.books t
        where ((((t.pages > $6::integer)
            or (exists (
                select
                from public.authors tx
                where tx.id = t.author_id
                  and tx.name = $7::text
              )))
          and ((t.title = $8::text)
            and (not exists (
                select
                from public.book_tags txj join public.tags tx on tx.id = txj.tag_id
                where txj.book_id = t.id
                  and tx.name = $9::text
              )))) is not true)
        order by t.id desc
        limit 64
      ) t
      where ctx.ok
      limit 640
    ) t
    limit $10::bigint + 1
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
