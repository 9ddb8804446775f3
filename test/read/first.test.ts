import { test } from 'tap';
import { chinookAvailable } from '../harness/database.ts';
import { reader } from './client.ts';

test('the example store answers over HTTP and in psql alike', async t => {
  const { get } = await reader(t);
  const page = await get('products?limit=2&include=category,tags,reviews&orderBy=price:desc');
  t.equal(page.data.length, 2);
  t.equal(page.meta.total, 60);
  t.ok(page.meta.nextCursor);
  const next = await get(`products?limit=2&after=${page.meta.nextCursor}`);
  t.equal(next.data.length, 2);
  t.same(await get('products/count?price=gt.100'), { count: 4 });
});

if (!chinookAvailable) console.log('# ../shared/data/chinook.sql is not there: its tests are left out');
test('somebody\'s database is served without a definition', { skip: !chinookAvailable && 'chinook.sql is not there' }, async t => {
  const { get } = await reader(t, { template: 'served_chinook', env: { SERVICE_UNPROTECTED_TABLES: 'serve' } });
  const album = await get('album/1?include=artist,track');
  t.equal(album.artist.name, 'AC/DC');
  t.equal(album.track.length, 10);
});
