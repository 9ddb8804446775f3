-- GET /data/books/1?include=author
select service_private.bounded_answer(r.body, 67108864) as body, r.tag
from (
  select service.enter($1, $2, $3, $4, $5) as ok
  offset 0
) ctx
cross join lateral (
  with page as materialized (
    select t.*, t.xmin as "~xmin"
    from public.books t
    where ctx.ok
      and t.id = $6::integer
  ),
  page_1 as materialized (
    select t.*
    from public.authors t
    where ctx.ok
      and t.id = any (array(select p.author_id from page p))
  ),
  page_1_json as (
    select t.id, to_json(d.*) as "~json"
    from page_1 t
    cross join lateral (
      select
        t.id as id,
        t.name as name,
        t.born as born,
        t.mentor_id as "mentorId"
    ) d
  )
  select to_json(d.*)::text as body, to_hex(hashtextextended(t."~xmin"::text, '…')) as tag
  from page t
  left join page_1_json on page_1_json.id = t.author_id
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
      t.attributes as attributes,
      page_1_json."~json" as author
  ) d
  offset 0
) r
