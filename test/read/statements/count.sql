-- GET /data/books/count?tags=1
select service_private.bounded_answer(r.body, 67108864) as body
from (
  select service.enter($1, $2, $3, $4, $5) as ok
  offset 0
) ctx
cross join lateral (
  select concat('{"count":', c.count, '}') as body
  from (
    select count(*)
    from public.books t
    where exists (
        select
        from public.book_tags txj join public.tags tx on tx.id = txj.tag_id
        where txj.book_id = t.id
          and tx.id = $6::integer
      )
  ) c
  where ctx.ok
  offset 0
) r
