-- GET /data/books/aggregate?select=sum(pages),avg(price)&groupBy=authorId&orderBy=sum_pages:desc
select r.*
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
        case when sum(t.pages)::numeric < 'Infinity' and sum(t.pages)::numeric > '-Infinity' then sum(t.pages)::numeric end as sum_pages,
        trim_scale(case when avg(t.price)::numeric < 'Infinity' and avg(t.price)::numeric > '-Infinity' then avg(t.price)::numeric end) as avg_price
      from public.books t
      group by t.author_id
      order by sum(t.pages)::numeric desc, t.author_id
      limit 64
    ) d
    where ctx.ok
  ) g
  where g.n <= $6::bigint
) r
