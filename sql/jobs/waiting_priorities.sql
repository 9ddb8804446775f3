create or replace function service_private.waiting_priorities() returns table (priority integer)
  language sql stable rows 3
begin atomic
  with recursive level (priority) as (
    (select p.priority from service.jobs p where p.status = 'pending' order by p.priority desc limit 1)
    union all
    select (
      select p.priority from service.jobs p where p.status = 'pending' and p.priority < l.priority order by p.priority desc limit 1)
    from level l
    where l.priority is not null)
  select l.priority from level l where l.priority is not null;
end;

comment on function service_private.waiting_priorities() is
  'The priorities of jobs that wait, the highest first: each by itself, so that the index finds what is due of it.';
