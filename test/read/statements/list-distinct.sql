-- GET /data/books?distinct=true&fields=pages
select service_private.bounded_answer(r.body, 67108864) as body
from (
  select service.enter($1, $2, $3, $4, $5) as ok
  offset 0
) ctx
cross join lateral (
  select concat(
    '{"data":', coalesce(array_to_json((array_agg(d.*))[:$6::bigint])::text, '[]'),
    ',"meta":{',
    '"total":', case
      when count(*) <= $6::bigint then count(*)
      else (
        select c.count
        from (
          select count(*)
          from (
            select distinct t.pages
            from public.books t
          ) t
        ) c
        where ctx.ok
      )
    end, ',',
    '"limit":', $6::bigint, ',"offset":', 0, ',"hasMore":', case
      when count(*) > $6::bigint then 'true'
      else 'false'
    end, '}}') as body
  from (
    select t.*
    from (
      select t.*
      from (
        select distinct t.pages
        from public.books t
        order by t.pages
        limit 64
      ) t
      where ctx.ok
      limit 640
    ) t
    limit $6::bigint + 1
  ) t
  cross join lateral (
    select
      t.pages as pages
  ) d
) r
