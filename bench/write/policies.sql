-- Beside bench/read/data.sql: whoever is signed in writes.
create policy posts_insert on posts for insert with check ((select service.uid()) is not null);
create policy posts_update on posts for update using ((select service.uid()) is not null);
create policy posts_delete on posts for delete using ((select service.uid()) is not null);
