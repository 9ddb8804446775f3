import { test } from 'tap';
import { chinookAvailable, createDatabase } from './database.ts';

test('every test owns its database', async t => {
  const [one, other] = await Promise.all([createDatabase(t), createDatabase(t)]);
  await one.sql`create table note (text text)`;
  const [found] = await other.sql`select to_regclass('note') as note`;
  t.equal(found?.['note'], null);
});

test('a database is gone after its test, with its roles and in spite of open connections', async t => {
  let name = '';
  await t.test('the test', async inner => {
    const database = await createDatabase(inner);
    name = database.name;
    await database.sql.unsafe(`create role ${name}_reader login; create table note (text text); grant select on note to ${name}_reader`);
    await database.sql`select 1`;
  });
  const { sql } = await createDatabase(t);
  const [left] = await sql`select (select count(*) from pg_database where datname = ${name}) + (select count(*)
    from pg_roles where starts_with(rolname, ${name})) as count`;
  t.equal(left?.['count'], '0');
});

test('the music store is there when its file is', async t => {
  if (!chinookAvailable) return t.comment('../shared/data/chinook.sql is not there');
  const { sql } = await createDatabase(t, { template: 'chinook' });
  const [track] = await sql`select count(*) from track`;
  t.equal(track?.['count'], '3503');
});

test('upper and lower case know Unicode, order is by code point', async t => {
  const { sql } = await createDatabase(t);
  const [row] = await sql`select upper('é') as upper, array(select x from unnest(array['b', 'A', 'a', 'B']) x order by x) as sorted`;
  t.equal(row?.['upper'], 'É');
  t.same(row?.['sorted'], ['A', 'B', 'a', 'b']);
});
