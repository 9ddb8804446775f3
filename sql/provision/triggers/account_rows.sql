create or replace function service_private.account_rows(
  on_table text, key text, uid text, columns text[], account_columns text[], created text, condition text default null) returns text
  language sql immutable
begin atomic
  select service_private.fill($$
      update <table> t set (
        <columns>
      ) = (
        <values>
      )
      from service.users a
      where t.<key> = <uid>
        and <condition?>
        and (
          <stored>
        ) is distinct from (
          <values>
        );
      insert into <table> (
        <key>, <created>, <columns>
      )
      select
        <uid>, a.created_at, <values>
      from service.users a
      where not exists (select from <table> t where t.<key> = <uid>)
        and <condition?>
    $$,
    'table', on_table, 'key', key, 'uid', uid, 'created', created, 'condition', condition,
    'columns', array_to_string(columns, ', '),
    'stored', (select string_agg('t.' || c.name, ', ' order by c.n) from unnest(columns) with ordinality c (name, n)),
    'values', (select string_agg('a.' || c.name, ', ' order by c.n) from unnest(account_columns) with ordinality c (name, n)));
end;

comment on function service_private.account_rows(text, text, text, text[], text[], text, text) is
  'The statements that make the rows of the auth collection those of service.users (a), of all accounts or of those for which one '
  'holds (condition). uid: SQL of the key; columns show account_columns, created is set once.';
