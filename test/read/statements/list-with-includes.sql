-- GET /data/authors?include=books.tags,mentor
select service_private.bounded_answer(r.body, 67108864) as body
from (
  select service.enter($1, $2, $3, $4, $5) as ok
  offset 0
) ctx
cross join lateral (
  with page as materialized (
    select t.*, row_number() over () as "~n"
    from (
      select t.*
      from (
        select t.*
        from public.authors t
        order by t.id desc
        limit 64
      ) t
      where ctx.ok
      limit 640
    ) t
    limit $6::bigint + 1
  ),
  page_1 as materialized (
    select *
    from (
      select t.*, service_private.bounded_related(row_number() over (partition by t.author_id order by t.id desc), 10000, 'authors', 'books') as "~n"
      from (
        select t.*
        from public.books t
        where ctx.ok
          and t.author_id = any (array(select p.id from page p))
      ) t
    ) t
  ),
  page_1_1 as materialized (
    select *
    from (
      select t.*, service_private.bounded_related(row_number() over (partition by t."~source1" order by t.id desc), 10000, 'books', 'tags') as "~n"
      from (
        select t.*, j.book_id as "~source1"
        from public.book_tags j join public.tags t on t.id = j.tag_id
        where ctx.ok
          and j.book_id = any (array(select p.id from page_1 p))
      ) t
    ) t
  ),
  page_1_1_json as (
    select t."~source1", json_agg(d.* order by t."~n") as "~json"
    from page_1_1 t
    cross join lateral (
      select
        t.id as id,
        t.name as name
    ) d
    group by t."~source1"
  ),
  page_1_json as (
    select t.author_id, json_agg(d.* order by t."~n") as "~json"
    from page_1 t
    left join page_1_1_json on page_1_1_json."~source1" = t.id
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
        coalesce(page_1_1_json."~json", '[]') as tags
    ) d
    group by t.author_id
  ),
  page_2 as materialized (
    select t.*
    from public.authors t
    where ctx.ok
      and t.id = any (array(select p.mentor_id from page p))
  ),
  page_2_json as (
    select t.id, to_json(d.*) as "~json"
    from page_2 t
    cross join lateral (
      select
        t.id as id,
        t.name as name,
        t.born as born,
        t.mentor_id as "mentorId"
    ) d
  )
  select concat(
    '{"data":', coalesce(array_to_json((array_agg(d.* order by t."~n"))[:$6::bigint])::text, '[]'),
    ',"meta":{',
    '"total":', case
      when count(*) <= $6::bigint then count(*)
      else (
        select c.count
        from (
          select count(*)
          from public.authors t
        ) c
        where ctx.ok
      )
    end, ',',
    '"limit":', $6::bigint, ',"offset":', 0, ',"hasMore":', case
      when count(*) > $6::bigint then concat('true,"nextCursor":"', service_private.cursor_seal(
        'authors',
        concat('{"k":[],"v":', json_build_array((array_agg(t.id::text) filter (where t."~n" = $6::bigint))[1]), '}')), '"')
      else 'false'
    end, '}}') as body
  from page t
  left join page_1_json on page_1_json.author_id = t.id
  left join page_2_json on page_2_json.id = t.mentor_id
  cross join lateral (
    select
      t.id as id,
      t.name as name,
      t.born as born,
      t.mentor_id as "mentorId",
      coalesce(page_1_json."~json", '[]') as books,
      page_2_json."~json" as mentor
  ) d
) r
