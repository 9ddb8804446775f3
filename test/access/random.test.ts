// Random policies: the answer of service.access is what the API does, and the policies that it names decide.
import type postgres from 'postgres';
import { test } from 'tap';
import { generator, runs, seed } from '../harness/effort.ts';
import { ruled } from '../rules/client.ts';

type Sql = postgres.Sql | postgres.TransactionSql;
type Caller = { uid: string; roles: string[]; guest: boolean; org: string };
type Body = Record<string, string | number | null>;
type Asked = { operation: 'read' | 'create' | 'update' | 'delete'; id: string; caller: Caller; body: Body | null };
type Answer = { verdict: string; message: string };

const SETS = 500;
/** Questions about each set of policies. */
const QUESTIONS = 5;

const text = { type: 'string' };
const files = {
  things: {
    properties: { id: { type: 'string', isId: 'manual' }, org: text, uid: text, note: text, n: { type: 'number', columnType: 'integer' } },
  },
  member: { properties: { id: text, org: text, uid: text }, securityRules: [{ operation: 'select', access: 'public' }] },
};
const ROWS = `
  insert into member (id, org, uid) values ('1', 'o1', 'ann'), ('2', 'o2', 'ann'), ('3', 'o2', 'bob');
  insert into things (id, org, uid, note, n) values ('a', 'o1', 'ann', null, 3), ('b', 'o2', 'bob', 'x', 5), ('c', null, null, 'y', 0)`;
const CALLERS: Caller[] = [
  { uid: 'ann', roles: [], guest: false, org: 'o1' }, { uid: 'bob', roles: ['staff'], guest: false, org: 'o2' },
  { uid: 'eve', roles: ['staff', 'helper'], guest: true, org: '' }, { uid: 'root', roles: ['admin'], guest: false, org: 'o1' },
  { uid: 'anonymous', roles: ['anon'], guest: false, org: '' },
];
const OPERATIONS = ['read', 'create', 'update', 'delete'] as const;
const COMMANDS = ['all', 'select', 'insert', 'update', 'delete'];
const ATOMS = [
  'true', 'false', 'null::boolean', 'uid = (select service.uid())', 'uid <> service.uid()', 'org = (select service.claim(\'org\'))',
  '\'staff\' = any (string_to_array((select service.roles()), \',\'))', 'not (select service.is_anonymous())', 'n > 2', 'n between 1 and 4',
  'note is null', 'note <> \'x\'', '10 / (n - 3) > 0', 'note::integer > 1', 'length(coalesce(note, \'a "b" (c) AND d\')) > 1',
  'org in (select m.org from member m where m.uid = (select service.uid()))', 'exists (select from member m where m.uid = things.uid)',
  '(select service.jwt() ->> \'org\') = org', '(org, uid) in (select m.org, m.uid from member m)',
  'case when n > 4 then uid = \'bob\' else true end',
];

test('random policies: the answer is what the API does, and a policy that it names decides', async t => {
  console.log(`# RANDOM_SEED=${seed}`);
  const sql = await ruled(t, files);
  await sql.unsafe(ROWS).simple();
  const below = generator(seed);
  const one = <T>(list: readonly T[]): T => list[below(list.length)] as T;
  const undone = new Error('undone');
  const seen = new Set<string>();

  for (let set = 0; set < runs(SETS); set++) {
    const policies = Array.from({ length: 1 + below(5) }, (_, n) => policy(`p${n}`));
    await sql.begin(async sql => {
      await sql.unsafe(policies.join(';')).simple();
      for (let n = 0; n < QUESTIONS; n++) await agrees(sql, question(), policies);
      throw undone;
    }).catch((error: unknown) => { if (error !== undone) throw error; });
  }
  t.ok(['allowed', 'nearest', 'restrictive'].every(kind => seen.has(kind)), [...seen].join());

  async function agrees(sql: Sql, asked: Asked, policies: string[]): Promise<void> {
    const answer = await answerOf(sql, asked);
    const what = `${JSON.stringify(asked)}: ${answer.message}\n${policies.join(';\n')}`;
    t.equal(answer.verdict, String(await isDone(sql, asked)), what);
    const named = /^allowed by (.*?)(?:, without.*)?$/.exec(answer.message)?.[1]?.split(', ')
      ?? /(?:nearest|not true): ([^,]+), /.exec(answer.message)?.slice(1) ?? [];
    seen.add(/^allowed|nearest|restrictive|no policy|SQLSTATE/.exec(answer.message)?.[0] ?? answer.message);
    if (named.length > 0) t.not((await turned(sql, asked, named, answer)).message, answer.message, `turned round: ${what}`);
  }

  /** The answer once the policies that were named say the contrary. */
  async function turned(sql: Sql, asked: Asked, names: string[], { verdict }: Answer): Promise<Answer> {
    return await rolledBack(sql, async sql => {
      const found = await sql<{ name: string; uses: boolean; checks: boolean }[]>`
        select polname as name, polcmd <> 'a' as uses, polcmd in ('*', 'a', 'w') as checks
        from pg_policy where polrelid = 'things'::regclass and polname = any (${names})`;
      const value = String(verdict !== 'true');
      for (const { name, uses, checks } of found) {
        await sql.unsafe(`alter policy ${name} on things ${uses ? `using (${value})` : ''} ${checks ? `with check (${value})` : ''}`);
      }
      return answerOf(sql, asked);
    });
  }

  function policy(name: string): string {
    const command = one(COMMANDS);
    const using = command === 'insert' ? '' : ` using (${condition(2)})`;
    const check = command === 'insert' || (['all', 'update'].includes(command) && below(2) === 0) ? ` with check (${condition(2)})` : '';
    const as = below(4) === 0 ? 'restrictive' : 'permissive';
    const to = one(['public', 'public', 'service_user', 'pg_monitor']);
    return `create policy ${name} on things as ${as} for ${command} to ${to}${using}${check}`;
  }

  function condition(depth: number): string {
    const kind = depth === 0 ? 0 : below(6);
    if (kind === 4) return `not (${condition(depth - 1)})`;
    return kind < 3 ? one(ATOMS) : `(${condition(depth - 1)}) ${kind === 3 ? 'or' : 'and'} (${condition(depth - 1)})`;
  }

  function question(): Asked {
    const operation = one(OPERATIONS);
    const values = { org: one(['o1', 'o2', null]), uid: one(['ann', 'bob', null]), note: one(['x', '7', null]), n: one([0, 3, 5]) };
    const id = operation === 'create' ? 'd' : one(['a', 'b', 'c']);
    const changes = below(2) === 0 ? { note: values.note } : values;
    const body = { read: null, delete: null, create: { id, ...values }, update: changes }[operation];
    return { operation, id, caller: one(CALLERS), body };
  }

  function claims({ uid, roles, guest, org }: Caller) {
    return sql.json({ uid, roles: roles.join(), isAnonymous: String(guest), jwt: { org, sub: uid, roles, is_anonymous: guest } });
  }

  async function answerOf(sql: Sql, { operation, id, caller, body }: Asked): Promise<Answer> {
    const [answer] = await sql<Answer[]>`
      select verdict, message from service.access('things', ${id}, ${operation}, ${claims(caller)}::jsonb,
        ${body === null ? null : sql.json(body)}::jsonb) where part = 'answer'`;
    return answer as Answer;
  }

  /** Whether the API does it: a row that is read, or written and seen. */
  async function isDone(sql: Sql, { operation, id, caller, body }: Asked): Promise<boolean> {
    const as = claims(caller);
    const sent = sql.json(body);
    return await rolledBack(sql, async sql => {
      try {
        const [row] = await {
          read: () => sql`select service.get('things', ${id}, '{}', ${as}::jsonb) as answer`,
          create: () => sql`select service.create('things', ${sent}::jsonb, ${as}::jsonb) as answer`,
          update: () => sql`select service.update('things', ${id}, ${sent}::jsonb, ${as}::jsonb) as answer`,
          delete: () => sql`select service.remove('things', ${id}, ${as}::jsonb) as answer`,
        }[operation]();
        return operation !== 'read' || row?.['answer'] !== null;
      } catch {
        return false;
      }
    });
  }

  async function rolledBack<T>(sql: Sql, run: (sql: Sql) => Promise<T>): Promise<T> {
    let result: T | undefined;
    await (sql as postgres.TransactionSql).savepoint(async sql => {
      result = await run(sql);
      throw undone;
    }).catch((error: unknown) => { if (error !== undone && result === undefined) throw error; });
    return result as T;
  }
});
