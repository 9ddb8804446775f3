import t, { test } from 'tap';
import { createService } from '../harness/service.ts';
import { client, open, query } from './client.ts';

// id → a, b: 1 (1, x), 2 (2, y), 3 (null, x), 4 (1, null), 5 (null, null)
const service = await createService(t, {
  template: 'served',
  setup: `
    create table pairs (id integer primary key, a integer, b text, flag boolean, tags text[] not null default '{}');
    insert into pairs values (1, 1, 'x', true, '{t,u}'), (2, 2, 'y', false, '{}'), (3, null, 'x', null, '{}'),
    (4, 1, null, true, '{u}'), (5, null, null, null, '{}');
    ${open('pairs')}`,
});

type Case = [request: Record<string, unknown>, ids: number[]];

async function finds(t: Parameters<typeof client>[0], list: Case[]): Promise<void> {
  const { column, get } = client(t, service);
  for (const [request, ids] of list) {
    t.same(await column(`pairs?orderBy=id&${query(request)}`), ids, JSON.stringify(request).slice(0, 100));
    t.same(await get(`pairs/count?${query(request)}`), { count: ids.length });
  }
}

test('or, and, and nesting', t => finds(t, [
  [{ or: '(a.eq.2,b.eq.x)' }, [1, 2, 3]],
  [{ or: 'a.eq.2,b.eq.x' }, [1, 2, 3]],
  [{ and: '(a.eq.1,b.eq.x)' }, [1]],
  [{ or: '(and(a.eq.1,b.isnull.),and(a.isnull.,b.eq.x))' }, [3, 4]],
  [{ and: '(or(a.eq.1,a.eq.2),or(b.eq.x,b.eq.y))' }, [1, 2]],
  [{ or: '(a.in.(2,3),tags.cs.t)' }, [1, 2]],
  [{ or: '(tags.csa.(t,u))' }, [1, 4]],
  [{ or: '(a.>=.2,b.==.x)' }, [1, 2, 3]],
]));

test('a group narrows together with the other filters', t => finds(t, [
  [{ or: '(a.eq.1,b.eq.y)', b: 'notnull.' }, [1, 2]],
  [{ or: '(a.eq.1,b.eq.y)', b: 'x', where: { a: 1 } }, [1]],
]));

test('a leaf without an operator is equality, a bare one is true', t => finds(t, [
  [{ or: '(b.x)' }, [1, 3]], [{ and: '(flag)' }, [1, 4]], [{ not: '(flag)' }, [2, 3, 5]],
]));

test('not is a real negation: it includes rows where the column is NULL', t => finds(t, [
  [{ not: '(a.eq.1)' }, [2, 3, 5]],
  [{ not: '(a.eq.1,b.eq.x)' }, [2, 3, 4, 5]],
  [{ not: '(a.neq.1)' }, [1, 3, 4, 5]],
  [{ and: '(not(a.eq.1),a.notnull.)' }, [2]],
  [{ not: '(not(a.eq.1))' }, [1, 4]],
  [{ not: '(or(a.eq.1,b.eq.y))' }, [3, 5]],
  [{ or: '(not(b.like.x%),a.eq.1)' }, [1, 2, 4, 5]],
  [{ not: '(a.in.(1,2))' }, [3, 5]],
  [{ a: 'neq.1' }, [2]],
]));

test('one slot: or before and before not', t => finds(t, [
  [{ not: '(a.eq.1)', and: '(a.eq.2)', or: '(a.eq.1)' }, [1, 4]],
  [{ not: '(a.eq.1)', and: '(a.eq.1)' }, [1, 4]],
  [{ or: '', and: '(a.eq.2)' }, [2]],
  [{ or: '()' }, [1, 2, 3, 4, 5]],
]));

const nested = (levels: number) => `${'not('.repeat(levels - 1)}a.eq.1${')'.repeat(levels - 1)}`;

test('groups nest 32 levels and not one more', async t => {
  // not(…) 32 times over is the row itself; not once fewer its negation.
  await finds(t,
    [[{ not: nested(32) }, [1, 4]], [{ not: nested(31) }, [2, 3, 5]], [{ and: `(${'or('.repeat(31)}a.eq.1${')'.repeat(31)})` }, [1, 4]]]);
  await client(t, service).refuses(`pairs?not=${nested(33)}`, 400, 'INVALID_LOGICAL_GROUP');
});

test('a wide group is one statement', t => finds(t, [
  [{ or: Array.from({ length: 500 }, (_, i) => `a.eq.${i + 2}`).join(',') }, [2]],
]));
