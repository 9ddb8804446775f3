import { test } from 'tap';
import { reader } from './client.ts';

const SETUP = `
  create table team (id int primary key, name text not null);
  create table member (id int primary key, team_id int references team, score int, hidden boolean not null default false);
  create index on member (team_id);
  alter table team enable row level security; create policy p on team using (true);
  alter table member enable row level security; create policy p on member using (not hidden);
  insert into team select n, 'team ' || n from generate_series(1, 8) n;
  insert into member select n, 1 + n % 5, n * 7 % 11, n % 4 = 0 from generate_series(1, 40) n`;

test('rows are sorted by their related rows, as the caller sees them, and paged by cursor', async t => {
  const { get, service } = await reader(t, { template: 'served', setup: SETUP });
  const visible = await service.sql`select t.id, count(m)::int as count, max(m.score) as max
    from team t left join member m on m.team_id = t.id and not m.hidden group by t.id`;
  const ids = (rows: { id: number }[]) => rows.map(({ id }) => id);
  const byCount = visible.toSorted((a, b) => b['count'] - a['count'] || b['id'] - a['id']);
  t.same(ids((await get('team?orderBy=count(member):desc')).data), ids(byCount as never));
  for (const orderBy of [
    'count(member):desc', 'max(member.score)', 'max(member.score):desc:last', 'sum(member.score):desc', 'avg(member.score)',
  ]) {
    const whole = ids((await get(`team?orderBy=${orderBy}`)).data);
    const walked: number[] = [];
    let after = '';
    do {
      const page = await get(`team?orderBy=${orderBy}&limit=3${after}`);
      walked.push(...ids(page.data));
      after = page.meta.hasMore ? `&after=${page.meta.nextCursor}` : '';
    } while (after !== '');
    t.same(walked, whole, orderBy);
  }
});
