import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { ROOT } from '../harness/server.ts';
import { createService } from '../harness/service.ts';
import { open, parsed } from './client.ts';

const CALLER = ['a', '', 'false', '{}', '{}'];

/**
 * Planning costs more than many of these statements take to run, so the server must come to trust one generic plan;
 * where the values decide the plan (how far an offset reaches) it must go on planning.
 */
const SHAPES: [path: string, plan: 'generic' | 'custom'][] = [
  ['posts/7', 'generic'],
  ['posts', 'generic'],
  ['posts?authorId=7', 'generic'],
  ['posts?authorId=7&include=author', 'generic'],
  ['posts?authorId=7&status=live', 'generic'],
  ['posts?authorId=7&status=live&include=comments.author.country', 'generic'],
  ['posts/count?authorId=7&status=live', 'generic'],
  ['posts/aggregate?select=sum(price),avg(price)&groupBy=status&authorId=7', 'generic'],
  ['posts?createdAt=gt.2024-02-01', 'generic'],
  ['posts?authorId=7&orderBy=createdAt:desc', 'generic'],
  ['posts?orderBy=createdAt&after=CURSOR', 'generic'],
  ['posts?offset=100', 'custom'],
];

test('statements settle on the kind of plan that serves them', async t => {
  const { sql, request } = await createService(t, { template: 'served', setup: readFileSync(join(ROOT, 'bench/data.sql'), 'utf8') });
  const { body } = await request('/data/posts?orderBy=createdAt&limit=1');
  const session = await sql.reserve();
  t.teardown(() => session.release());
  for (const [path, plan] of SHAPES) {
    const { shape, values } = parsed(path.replace('CURSOR', body.meta.nextCursor));
    const [compiled] = await session`select statement from service.compile(${JSON.stringify(shape)}::text::jsonb, '{}')`;
    await session.unsafe(`set role service_user; prepare measured as ${compiled?.['statement']}`).simple();
    const literals = [...CALLER, ...values].map(value => `'${value.replaceAll('\'', '\'\'')}'`);
    for (let i = 0; i < 8; i++) await session.unsafe(`execute measured (${literals.join(', ')})`).simple();
    const [counts] = await session`select case when generic_plans > 0 then 'generic' else 'custom'
      end as plan from pg_prepared_statements where name = 'measured'`;
    t.equal(counts?.['plan'], plan, path);
    await session.unsafe('deallocate measured; reset role').simple();
  }
});

test('paths inside JSON share a statement, and find the index that is spelled with their arrows', async t => {
  const { sql } = await createService(t, {
    template: 'served',
    setup: `create table places (id integer primary key, data jsonb not null);
      insert into places select n, json_build_object('country', 'c' || n % 1000, 'deep', json_build_object('city', 'x' || n % 5000),
        'list', json_build_array(n % 700)) from generate_series(1, 20000) n;
      create index by_country on places ((data ->> 'country')); create index by_city on places ((data -> 'deep' ->> 'city'));
      analyze places; ${open('places')}`,
  });
  const session = await sql.reserve();
  t.teardown(() => session.release());
  const shapes = new Set<string>();
  const plan = async (path: string) => {
    const { shape, values } = parsed(`places/count?${path}`);
    shapes.add(JSON.stringify(shape));
    const [compiled] = await session`select statement from service.compile(${JSON.stringify(shape)}::text::jsonb, '{}')`;
    await session.unsafe(`set role service_user; prepare measured as ${compiled?.['statement']}`).simple();
    const execute = `execute measured (${[...CALLER, ...values].map(value => `'${value}'`).join(', ')})`;
    for (let i = 0; i < 8; i++) await session.unsafe(execute).simple();
    const lines = await session.unsafe(`explain ${execute}`).simple();
    await session.unsafe('deallocate measured; reset role').simple();
    return lines.map(line => String(line['QUERY PLAN'])).join('\n');
  };
  t.match(await plan('data->>country=c7'), /by_country/);
  t.match(await plan('data->country=c7'), /by_country/);
  t.match(await plan('data->>country=in.(c7,c8)'), /by_country/);
  t.match(await plan('data->deep->>city=x7'), /by_city/);
  t.match(await plan('or=(data->>country.eq.c7,data->deep->>city.eq.x7)'), /by_country[^]*by_city/);
  t.notMatch(await plan('data->>nothing=c7'), /by_/);
  t.equal(shapes.size, 4, 'a depth and an operator');
});

test('a generic plan expects as many groups as the limit takes', async t => {
  const { sql } = await createService(t, {
    template: 'served',
    setup: `create table facts (id integer primary key, kind integer not null, amount numeric, pad text);
      insert into facts select n, n * 7919 % 300, n % 1000, repeat('x', 200) from generate_series(1, 60000) n;
      create index on facts (kind); analyze facts; ${open('facts')}`,
  });
  const session = await sql.reserve();
  t.teardown(() => session.release());
  const { shape, values } = parsed('facts/aggregate?select=sum(amount)&groupBy=kind&limit=250');
  const [compiled] = await session`select statement from service.compile(${JSON.stringify(shape)}::text::jsonb, '{}')`;
  await session.unsafe(`set role service_user; set plan_cache_mode = force_generic_plan; prepare measured as ${compiled?.['statement']}`)
    .simple();
  const plan =
    await session.unsafe(`explain execute measured (${[...CALLER, values[0] ?? ''].map(value => `'${value}'`).join(', ')})`).simple();
  await session.unsafe('deallocate measured; reset role; reset plan_cache_mode').simple();
  const lines = plan.map(line => String(line['QUERY PLAN'])).join('\n');
  t.match(lines, /HashAggregate/);
  t.notMatch(lines, /Index Scan/, 'reading 250 of 300 groups off an index takes longer than all of them at once');
});
