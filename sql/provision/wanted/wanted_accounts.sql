-- service.users is what counts; the table shows what everybody may be let to see of it, in columns that other tables can refer to. No
-- foreign key between the two: either may be written first, and the key may be a uuid.
create or replace function service_private.wanted_accounts(
  wanted_tables service_private.wanted_table[] default service_private.wanted_tables())
  returns table (
    schema_name text, table_name text, relation oid, collection text, key text, row_function text, row_body text, account_function text,
    account_body text, filling text)
  language plpgsql stable set search_path = pg_catalog, pg_temp as $body$
#variable_conflict use_column
begin
  return query
  with holder as (
    select t.schema_name, t.table_name, t.oid, t.collection, t.key[1] as key, format('%I.%I', t.schema_name, t.table_name) as on_table,
      quote_ident(t.key[1]) as uid,
      case when p.sql_type = 'uuid' then '%s.uid::uuid' else '%s.uid' end as as_key
    from unnest(wanted_tables) t
    join service.collections c on c.slug = t.collection and service_private.holds_accounts(c.definition)
    join service.properties p on p.collection = t.collection and p.column_name = t.key[1]
  ), shown as (
    select h.collection,
      array_agg(quote_ident(p.column_name) order by f.n) filter (where f.name <> 'createdAt') as columns,
      array_agg(f.column_name order by f.n) filter (where f.name <> 'createdAt') as account_columns,
      min(quote_ident(p.column_name)) filter (where f.name = 'createdAt') as created,
      min(replace(p.column_name, '"', '""')) filter (where f.name = 'email') as email,
      -- As in service_private.stamp_body.
      string_agg(format('account.%s := new."%s";', f.column_name, replace(p.column_name, '"', '""')), E'\n' order by f.n) as taken,
      string_agg(format('new."%s" := account.%s;', replace(p.column_name, '"', '""'), f.column_name), E'\n' order by f.n) as given
    from holder h
    join service_private.account_fields() f on f.column_name is not null
    join service.properties p on p.collection = h.collection and p.name = f.name
    group by h.collection
  )
  select h.schema_name, h.table_name, h.oid, h.collection, h.key,
    service_private.short_name(h.collection, '__row_of_account'), E'\n' || service_private.fill($$
      begin
        if tg_op = 'DELETE' then
          delete from <table> t where t.<key> = <old_uid>;
          return null;
        end if;
        <rows>;
        return null;
      end
    $$,
    'table', h.on_table, 'key', h.uid, 'old_uid', format(h.as_key, 'old'),
    'rows', service_private.account_rows(h.on_table, h.uid, format(h.as_key, 'a'), s.columns, s.account_columns, s.created,
      'a.uid = new.uid'))
    || E'\n',
    service_private.short_name(h.collection, '__account_of_row'), E'\n' || service_private.fill($$
      declare
        account service.users;
      begin
        if tg_op = 'DELETE' then
          perform service_private.require_key_rank(old.<key>::text, '{}');
          perform service_private.delete_account(u.uid, service.uid()) from service.users u where u.uid = old.<key>::text;
          return null;
        end if;
        account.uid := new.<key>;
        <taken>
        if tg_when = 'AFTER' then
          perform service_private.keep_account(account);
          return null;
        end if;
        account.email := service_private.require_email(account.email);
        new.<email> := account.email;
        if tg_op = 'INSERT' and not exists (select from service.users u where u.uid = account.uid) then
          perform service_private.require_key_rank(null, account.roles);
          account := service_private.before_user_create(account);
          <given>
        end if;
        return new;
      end
    $$,
    'key', format('"%s"', replace(h.key, '"', '""')), 'taken', s.taken, 'email', format('"%s"', s.email),
    'given', s.given) || E'\n',
    service_private.account_rows(h.on_table, h.uid, format(h.as_key, 'a'), s.columns, s.account_columns, s.created)
  from holder h
  join shown s on s.collection = h.collection;
end $body$;

comment on function service_private.wanted_accounts(service_private.wanted_table[]) is
  'The table of the auth collection, with the trigger functions that keep it and service.users alike (names in schema service_private and '
  'PL/pgSQL): row_function, of service.users, writes the row of an account, account_function, of the table, the account of a row, '
  'and asks the hooks before it makes one. '
  'filling: the statements that make all rows those of accounts.';
