import { test } from 'tap';
import type { Collection } from '../../gateway/catalog/document.ts';
import { createService } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { open } from './client.ts';

const rivals = (...statements: string[]) => `
  create table region (id integer primary key); create table area (id integer primary key);
  create table pair (a integer, b integer, primary key (a, b));
  create table shop (id integer primary key, region_id integer, a integer, b integer, c integer, d integer);
  create table post (id integer primary key); create table tag (id integer primary key);
  ${statements.join(';\n')};
  ${open('region', 'area', 'pair', 'shop', 'post', 'tag', 'marks', 'labels')}`;

const RIVALS = [
  'alter table shop add constraint one foreign key (region_id) references area',
  'alter table shop add constraint two foreign key (region_id) references region',
  'alter table shop add constraint near foreign key (a, b) references pair',
  'alter table shop add constraint far foreign key (c, d) references pair',
  'create table marks (post_id integer references post, tag_id integer references tag, primary key (post_id, tag_id))',
  'create table labels (tag_id integer references tag, post_id integer references post, primary key (post_id, tag_id))',
];

test('the names of relations do not depend on the order in which constraints were made', async t => {
  const ways = async (...statements: string[]): Promise<unknown> => {
    const { sql } = await createService(t, { template: 'served', setup: rivals(...statements) });
    return sql`select r.* from service.relations r order by r.collection, r.name`;
  };
  const found = await ways(...RIVALS);
  t.match(found, [
    {}, { collection: 'pair', name: 'shop_a_b' }, { collection: 'pair', name: 'shop_c_d' },
    { collection: 'post', name: 'tag', junction_table: 'labels' }, { collection: 'post', name: 'tag_2', junction_table: 'marks' },
    {}, { collection: 'shop', name: 'pair', local_columns: ['a', 'b'] }, { collection: 'shop', name: 'pair_2', local_columns: ['c', 'd'] },
    { collection: 'shop', name: 'region', target: 'area' }, { collection: 'shop', name: 'region_2', target: 'region' },
    { collection: 'tag', name: 'post', junction_table: 'labels' }, { collection: 'tag', name: 'post_2', junction_table: 'marks' },
  ]);
  t.same(await ways(...RIVALS.toReversed()), found);
});

test('a reference is always there once its constraint is valid; a domain that is not null is required', async t => {
  const { sql } = await createService(t, { template: 'served', setup: `
    create domain given as text not null; create domain named as given; create domain filled as text default 'a' not null;
    create table houses (id integer primary key);
    create table rooms (id integer primary key, house_id integer not null, a given, b named, c filled, d text);
    insert into rooms values (1, 7, 'a', 'b');
    alter table rooms add constraint lost foreign key (house_id) references houses not valid;
    ${open('houses', 'rooms')}` });
  const look = async (): Promise<unknown[]> => {
    const [row] = await sql<{ version: string; rooms: Collection }[]>`
      select c -> 'schemaVersion' as version, jsonb_path_query_first((c -> 'catalog')::jsonb, '$[*] ? (@.slug == "rooms")') as rooms
      from service.contract() c`;
    return [row?.version, row?.rooms.relations.map(({ required }) => required),
      row?.rooms.properties.filter(({ required }) => required).map(({ name }) => name)];
  };
  const [before, ...doubtful] = await look();
  t.same(doubtful, [[false], ['id', 'houseId', 'a', 'b']]);
  await sql`insert into houses values (7)`;
  await sql`alter table rooms validate constraint lost`;
  await until('the catalog moves', async () => (await look())[0] !== before);
  const [, ...sure] = await look();
  t.same(sure, [[true], ['id', 'houseId', 'a', 'b']]);
});
