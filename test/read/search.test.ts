import { test } from 'tap';
import { reader } from './client.ts';

const SETUP = `
  create table note (id int primary key, title text, body text, kind uuid default gen_random_uuid());
  create table plain (id int primary key);
  alter table note enable row level security; create policy p on note using (true);
  alter table plain enable row level security; create policy p on plain using (true);
  insert into note (id, title, body) values (1, 'Green Tea', null), (2, 'Black tea', '100% leaf'),
  (3, 'Coffee', 'not tea_leaf'), (4, 'A "quoted" green', 'x');
  insert into plain values (1)`;

test('every word must stand somewhere in a row\'s texts', async t => {
  const { get } = await reader(t, { template: 'served', setup: SETUP });
  const found = async (text: string) =>
    (await get(`note?searchString=${encodeURIComponent(text)}&orderBy=id`)).data.map(({ id }: { id: number }) => id);
  t.same(await found('TEA'), [1, 2, 3]);
  t.same(await found('tea leaf'), [2, 3]);
  t.same(await found('"black tea"'), [2]);
  t.same(await found('100%'), [2], 'wildcards are what they are');
  t.same(await found('tea_leaf'), [3]);
  t.same(await found('nothing'), []);
  t.same(await get('note/count?searchString=green'), { count: 2 });
  t.same((await get('note?searchString=tea&id=gt.1&limit=1')).meta.total, 2, 'filters narrow it further');
  t.same((await get('note/aggregate?select=count()&searchString=tea')).data, [{ count: 3 }]);
  t.same((await get('plain?searchString=x')).meta.total, 0, 'without a text column nothing is found');
});
