import t, { test } from 'tap';
import { createService } from '../harness/service.ts';
import { collections, createWriter } from '../write/client.ts';
import { some } from '../harness/effort.ts';
import { client, open } from './client.ts';

/** A column of each type, with two values. */
const TYPES: [name: string, type: string, low: string, high: string][] = [
  ['small', 'smallint', '9', '10'], ['big', 'bigint', '9', '10'], ['amount', 'numeric', '9', '10'], ['single', 'real', '9', '10'],
  ['wide', 'double precision', '9', '10'], ['cash', 'money', '9', '10'], ['word', 'text', 'a', 'b'], ['short', 'varchar(5)', 'a', 'b'],
  ['fixed', 'char(3)', 'a', 'b'], ['letter', '"char"', 'a', 'b'], ['called', 'name', 'a', 'b'], ['folded', 'citext', 'a', 'B'],
  ['mood', 'mood', 'zz', 'aa'], ['rank', 'rank', '9', '10'],
  ['key', 'uuid', '00000000-0000-0000-0000-000000000001', 'ffffffff-ffff-ffff-ffff-ffffffffffff'],
  ['relation', 'regclass', 'pg_proc', 'pg_class'], ['day', 'date', '9999-01-01', '10000-01-01'],
  ['at', 'timestamptz', '9999-01-01Z', '10000-01-01Z'], ['local', 'timestamp', '9999-01-01', '10000-01-01'],
  ['clock', 'time', '09:00', '10:00'], ['zoned', 'timetz', '09:00Z', '10:00Z'], ['span', 'interval', '9 days', '10 days'],
  ['yes', 'boolean', 'false', 'true'], ['period', 'int4range', '[9,10)', '[10,11)'], ['periods', 'int4multirange', '{[9,10)}', '{[10,11)}'],
  ['tree', 'ltree', 'a', 'b'], ['pairs', 'hstore', 'a=>1', 'b=>1'], ['place', 'place', '(9,a)', '(10,a)'],
  ['flags', 'bit(3)', '001', '010'], ['bits', 'varbit', '001', '010'], ['page', 'xml', '<a/>', '<b/>'],
  ['mac', 'macaddr', '00:00:00:00:00:01', '00:00:00:00:00:02'], ['mac8', 'macaddr8', '00:00:00:00:00:00:00:01', '00:00:00:00:00:00:00:02'],
  ['host', 'inet', '9.0.0.1', '10.0.0.1'], ['net', 'cidr', '9.0.0.0/8', '10.0.0.0/8'], ['doc', 'json', '{}', '{"a":1}'],
  ['docs', 'jsonb', '{}', '{"a":1}'], ['spot', 'point', '(1,2)', '(3,4)'], ['frame', 'box', '(1,1),(0,0)', '(2,2),(0,0)'],
  ['line', 'line', '{1,2,3}', '{2,3,4}'], ['path', 'jsonpath', '$.a', '$.b'], ['ints', 'integer[]', '{9}', '{10}'],
  ['words', 'text[]', '{a}', '{b}'], ['jsons', 'json[]', '{}', '{"1"}'], ['pairings', 'hstore[]', '{a=>1}', '{b=>1}'],
  ['blob', 'bytea', 'a', 'b'], ['object', 'oid', '9', '10'], ['position', 'pg_lsn', '0/9', '0/A'],
];
/** The types that the server has no order for. */
const UNORDERED = new Set(['page', 'doc', 'spot', 'frame', 'line', 'path', 'jsons']);
/** The types that are ordered, and not offered to sort by: JSON, binary, and what has no <. */
const UNSORTED = new Set([...UNORDERED, 'docs', 'blob', 'pairs']);

const service = await createService(t, {
  template: 'served',
  setup: `
    create extension citext; create extension ltree; create extension hstore;
    create type mood as enum ('zz', 'aa'); create domain rank as integer check (value > 0); create type place as (floor integer, room text);
    create table groups (id integer primary key);
    create table kinds (id integer primary key, group_id integer not null references groups,
      ${TYPES.map(([name, type]) => `${name} ${type}`).join(', ')});
    insert into groups values (1), (2), (3);
    insert into kinds values (1, 1, ${TYPES.map(([, , low]) => `'${low}'`).join(', ')}),
      (2, 2, ${TYPES.map(([, , , high]) => `'${high}'`).join(', ')});
    insert into kinds (id, group_id) values (3, 3);
    insert into kinds select 4, ${['group_id', ...TYPES.map(([name]) => name)].join(', ')} from kinds where id = 2;
    ${open('groups', 'kinds')}`,
});

test('orderable types are sorted, grouped and collapsed by their order; all others are refused', async t => {
  const { column, get, refuses } = client(t, service);
  const rows = Object.fromEntries((await get('kinds')).data.map((row: { id: number }) => [row.id, row]));
  for (const [name] of some(TYPES)) {
    const values = [1, 2, 3].map(id => rows[id][name]);
    if (UNORDERED.has(name)) {
      t.match(await refuses(`kinds/aggregate?select=count()&groupBy=${name}`, 400, 'INVALID_AGGREGATE_SELECT'),
        { field: name, collection: 'kinds' }, name);
      t.match(await refuses(`kinds?distinct=true&fields=${name}`, 400, 'DISTINCT_NOT_APPLICABLE'), { field: name, collection: 'kinds' },
        name);
    } else {
      t.same(await column(`kinds/aggregate?select=count()&groupBy=${name}`, name), values, `groups by ${name}`);
      t.same(await column(`kinds/aggregate?select=count()&groupBy=${name}&orderBy=${name}:desc:last&limit=1`, name), [values[1]],
        `the last group by ${name}`);
      t.same(await column(`kinds?distinct=true&fields=${name}`, name), values, `distinct ${name}`);
      t.same(await get(`kinds/count?distinct=true&fields=${name}`), { count: 3 });
    }
    if (UNSORTED.has(name)) {
      t.match(await refuses(`kinds?orderBy=${name}`, 400, 'ORDER_BY_FIELD_NOT_SORTABLE'), { field: name, collection: 'kinds' }, name);
    } else {
      for (const [order, ids] of [[name, [1, 4, 2, 3]], [`${name}:desc`, [3, 4, 2, 1]]] as const) {
        const walked: number[] = [];
        for (let after = ''; walked.length < 10;) {
          const page = await get(`kinds?orderBy=${order}&limit=1${after}`);
          walked.push(...page.data.map(({ id }: { id: number }) => id));
          if (!page.meta.hasMore) break;
          after = `&after=${page.meta.nextCursor}`;
        }
        t.same(walked, ids, `pages by ${order}`);
      }
    }
  }
});

test('a function applies to a field wherever it is asked for, or nowhere', async t => {
  const { get, read, refuses } = client(t, service);
  const rows = Object.fromEntries((await get('kinds')).data.map((row: { id: number }) => [row.id, row]));
  const applies: Record<string, string[]> = { min: [], max: [], sum: [], avg: [], count: [] };
  for (const [name] of TYPES) {
    for (const [fn, list] of Object.entries(applies)) {
      const select = `select=${fn}(${name})`;
      if ((await read(`kinds/aggregate?${select}`)).status === 200) {
        list.push(name);
        const [all] = (await get(`kinds/aggregate?${select}`)).data;
        if (fn === 'min' || fn === 'max') {
          t.same(all[`${fn}_${name}`], rows[fn === 'min' ? 1 : 2][name], `${fn}(${name}) looks as it does in its row`);
        }
        if (fn === 'count') t.equal(all[`count_${name}`], 3);
        if (fn !== 'count') t.same((await get(`kinds/aggregate?${select}&groupBy=groupId&orderBy=${fn}_${name}:desc:last`)).data
          .map((row: { groupId: number }) => row.groupId), [2, 1, 3], `groups sorted by ${fn}(${name})`);
        const first = await get(`groups?orderBy=${fn}(kinds.${name})&limit=2`);
        const second = await get(`groups?orderBy=${fn}(kinds.${name})&limit=2&after=${first.meta.nextCursor}`);
        const ids = [...first.data, ...second.data].map(({ id }: { id: number }) => id);
        t.same(ids, fn === 'count' ? [3, 1, 2] : [1, 2, 3], `rows sorted by ${fn}(kinds.${name})`);
      } else {
        t.match(await refuses(`kinds/aggregate?${select}`, 400, 'INVALID_AGGREGATE_SELECT'),
          { field: name, collection: 'kinds', function: fn }, select);
        t.same(await refuses(`groups?orderBy=${fn}(kinds.${name})`, 400, 'ORDER_BY_FIELD_NOT_SORTABLE'),
          { field: `${fn}(kinds.${name})`, collection: 'groups' }, select);
      }
    }
  }
  const everywhere = [
    'small', 'big', 'amount', 'single', 'wide', 'cash', 'word', 'short', 'fixed', 'letter', 'called', 'folded', 'mood', 'rank', 'key',
    'relation', 'day', 'at', 'local', 'clock', 'zoned', 'span', 'host', 'net', 'ints', 'words', 'pairings', 'object', 'position',
  ];
  // Later servers have more of these: bytea and xid8 …
  t.same(applies['max']?.filter(name => name !== 'blob'), everywhere);
  t.same(applies['min'], applies['max']);
  t.same(applies['sum'], ['small', 'big', 'amount', 'single', 'wide', 'cash', 'rank']);
  t.same(applies['avg'], ['small', 'big', 'amount', 'single', 'wide', 'rank']);
  t.equal(applies['count']?.length, TYPES.length);
});

test('equal names in an answer are distinguished', async t => {
  const service = await createService(t, { template: 'served', setup: `create table tallies (id integer primary key,
    count integer, sum_size integer, size integer); insert into tallies values (1, 7, 8, 9); ${open('tallies')}` });
  const { get, refuses } = client(t, service);
  t.same((await get('tallies/aggregate?select=count(id)&groupBy=count')).data, [{ count: 7, count_id: 1 }]);
  t.same((await get('tallies/aggregate?select=max(count),count()')).data, [{ max_count: 7, count: 1 }]);
  t.same(await refuses('tallies/aggregate?select=count()&groupBy=count', 400, 'INVALID_AGGREGATE_SELECT'),
    { field: 'count', collection: 'tallies' });
  t.same((await get('tallies/aggregate?select=count(),sum(size)&groupBy=sum_size')).data, [{ sumSize: 8, count: 1, sum_size: 9 }]);
  t.same(await refuses('tallies/aggregate?select=count()&groupBy=sum_size,sumSize', 400, 'INVALID_AGGREGATE_SELECT'),
    { field: 'sumSize', collection: 'tallies' });
});

test('an array that is kept as JSON sorts no more than other JSON', async t => {
  const lists = {
    slug: 'lists',
    properties: { id: { type: 'number', isId: 'increment' }, mixed: { type: 'array' }, words: { type: 'array', of: { type: 'string' } } },
    securityRules: [{ access: 'public' }],
  };
  const service = await createWriter(t, { template: 'served', env: { SERVICE_COLLECTIONS_DIR: collections(t, lists) } });
  const { refuses } = client(t, service);
  const kept = await service.sql`select column_name, data_type from information_schema.columns
    where table_name = 'lists' and data_type = 'jsonb'`;
  t.ok(kept.length > 0);
  for (const { column_name: field } of kept) {
    t.same(await refuses(`lists?orderBy=${field}`, 400, 'ORDER_BY_FIELD_NOT_SORTABLE'), { field, collection: 'lists' });
  }
});
