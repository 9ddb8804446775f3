-- GET /data/books/aggregate?select=sum(pages),avg(price)&groupBy=authorId&orderBy=sum_pages:desc
select service_private.bounded_answer(r.body, 67108864) as body
from (
  select service.enter($1, $2, $3, $4, $5) as ok
  offset 0
) ctx
cross join lateral (
  select concat('{"data":', coalesce(json_agg(g.json), '[]'), '}') as body
  from (
    select to_json(d.*) as json, row_number() over () as n
    from (
      select
        t.author_id as "authorId",
        sum(t.pages)::numeric as sum_pages,
        trim_scale(avg(t.price)::numeric) as avg_price
      from public.books t
      group by t.author_id
      order by sum(t.pages)::numeric desc, t.author_id
      limit 64
    ) d
    where ctx.ok
  ) g
  where g.n <= $6::bigint
) r
