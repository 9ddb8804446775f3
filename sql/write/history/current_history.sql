-- A key that was deleted for good and used again is another row's: earlier entries are not shown to a caller that
-- sees that one. As text: an SQL body would fix the columns that the table has today.
create or replace function service_private.current_history(collection text, entity text) returns setof service.history
  language sql stable as $$
  select h.*
  from service.history h
  where h.collection = current_history.collection and h.entity_id = entity
    and h.number >= coalesce((
      select max(c.number)
      from service.history c
      where c.collection = current_history.collection and c.entity_id = entity and c.action = 'create'), 0)
$$;

comment on function service_private.current_history(text, text) is 'The entries of a row since it was created.';
