import { pino } from 'pino';
import { test } from 'tap';
import { requireAccessModel, type StorageRules } from '../../gateway/features/storage/rules.ts';
import { createDatabase } from '../harness/database.ts';
import '../harness/service.ts';

/** The names of a path with what they stand for; undefined for a key that it is not about. */
function matched(path: string, key: string): Record<string, string> | undefined {
  const wanted = path.split('/');
  const given = key.replace(/\/$/, '').split('/');
  const params: Record<string, string> = {};
  for (const [i, segment] of wanted.entries()) {
    if (segment === '**') return params;
    const found = given[i];
    if (found === undefined || found === '') return undefined;
    if (segment.startsWith(':')) params[segment.slice(1)] = found;
    else if (segment !== '*' && segment !== found) return undefined;
  }
  return given.length === wanted.length ? params : undefined;
}

/** The same numbers each time (mulberry32). */
function random(seed: number): (below: number) => number {
  let state = seed;
  return below => {
    state = state + 0x6D2B79F5 | 0;
    let mixed = Math.imul(state ^ state >>> 15, 1 | state);
    mixed = mixed + Math.imul(mixed ^ mixed >>> 7, 61 | mixed) ^ mixed;
    return Math.floor(((mixed ^ mixed >>> 14) >>> 0) / 4294967296 * below);
  };
}

test('a path matches by its segments, of any content', async t => {
  const { sql } = await createDatabase(t, { template: 'served' });
  const any = random(17);
  const one = <T>(of: readonly T[]): T => of[any(of.length)] as T;
  const WORDS = [
    'a', 'b', 'a.b', 'a+', '(a)', '[a]', 'a|b', '^', '$', '\\', '\\d', '{2}', 'é', 'A', '?', "'", '#', ' ', '\n', '😀', '***=a',
  ];
  const list = <T>(length: number, make: () => T): T[] => Array.from({ length }, make);
  const cases = list(4000, () => {
    const segments = [...list(any(3),
      () => one(WORDS)), ...one([[], [':x'], ['*'], [':x', ':y_1']]), ...list(any(2), () => one(WORDS)), ...one([[], [], ['**']])];
    const path = (segments.length === 0 ? ['a'] : segments).join('/');
    // Often much like the path.
    const key = path.split('/').flatMap(segment => {
      if (segment === '**') return list(any(3), () => one(WORDS));
      return any(8) === 0 ? [] : segment === '*' || segment.startsWith(':') || any(8) === 0 ? [one(WORDS)] : [segment];
    }).join('/');
    return { path, key: any(6) === 0 && key !== '' ? `${key}/` : key };
  });
  const found = await sql<{ problem: string | null; params: Record<string, string> | null }[]>`
    select k.problem, service_private.key_parameters(c.key, k.pattern, k.names) as params
    from jsonb_array_elements(${sql.json(cases)}) with ordinality e (asked, n)
    cross join lateral (select e.asked ->> 'path' as path, e.asked ->> 'key' as key) c
    cross join lateral service_private.key_pattern(c.path) k
    order by e.n`;
  const sound = cases.map((asked, i) => ({ ...asked, ...found[i] })).filter(({ problem }) => problem === null);
  const wrong = sound.filter(({ path, key, params }) => JSON.stringify(params ?? undefined) !== JSON.stringify(matched(path, key)));
  t.same(wrong.slice(0, 5), []);
  t.ok(sound.filter(({ params }) => params !== null).length > 500, 'many match');
  t.ok(sound.filter(({ params }) => params === null).length > 500, 'and many do not');
  t.same([...new Set(cases.flatMap(({ path }, i) => found[i]?.problem == null ? [] : [path.includes('***=a')]))], [true],
    'only what has a star in a word is refused');
});

test('production does not start without rules of who may use files', t => {
  const said: string[] = [];
  const log = pino({}, { write: line => { said.push((JSON.parse(line) as { msg: string }).msg); } });
  const start = (production: boolean, rules: Partial<StorageRules> = {}) =>
    requireAccessModel({ publicRead: false, allowAnyAuthenticated: false, authRequired: true, ...rules }, { production }, log);
  t.throws(() => { start(true); }, { name: 'BootError', message: /storage\.policies.*STORAGE_ALLOW_ANY_AUTHENTICATED=true/ });
  t.throws(() => { start(true, { policies: [] }); }, { name: 'BootError' });
  for (const rules of [
    { authorize: 'app.f' }, { policies: [{ path: '**', allow: 'public' as const }] }, { publicRead: true }, { allowAnyAuthenticated: true },
  ]) start(true, rules);
  t.same(said, []);
  start(false);
  t.match(said, [/every signed-in caller may do everything/]);
  t.end();
});
