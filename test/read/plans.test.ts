import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { ROOT } from '../harness/server.ts';
import { createService } from '../harness/service.ts';
import { parsed } from './client.ts';

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
    const literals = ['{"uid":"a"}', ...values].map(value => `'${value.replaceAll('\'', '\'\'')}'`);
    for (let i = 0; i < 8; i++) await session.unsafe(`execute measured (${literals.join(', ')})`).simple();
    const [counts] = await session`select case when generic_plans > 0 then 'generic' else 'custom' end as plan from pg_prepared_statements where name = 'measured'`;
    t.equal(counts?.['plan'], plan, path);
    await session.unsafe('deallocate measured; reset role').simple();
  }
});
