// Why a caller sees a row, or not: service.access says it as the API does.
import type postgres from 'postgres';
import { test } from 'tap';
import { some } from '../harness/effort.ts';
import { ruled, type Caller } from '../rules/client.ts';
import {
  ANN, CALLERS, expected, FORMS, indexes, isAdmin, NAMES, operations, properties, ROWS, text, type Form, type Operation, type RowName,
} from '../rules/forms.ts';

type Line = { part: string; name: string | null; clause: string | null; effect: string | null; verdict: string; message: string | null };
type Asked = { table: string; row: RowName; operation: Operation; caller: Caller };

const entries = some(Object.entries(FORMS));
const narrowing = entries.filter(([name]) => !name.startsWith('roles'));
const files = {
  member: { properties: { id: text, org: text, uid: text }, securityRules: [{ operation: 'select', access: 'public' }] },
  ...Object.fromEntries(entries.map(([name, { rule }]) => [`wide_${name}`, { properties, indexes, securityRules: [rule] }])),
  ...Object.fromEntries(narrowing.map(([name, { rule }]) => [
    `narrow_${name}`, { properties, indexes, securityRules: [{ operation: 'all', access: 'public' }, { ...rule, mode: 'restrictive' }] },
  ])),
};
const ALL_SCOPES = ['data:read', 'data:write', 'data:delete'];
const OF_API: Record<Operation, string> = { select: 'read', insert: 'create', update: 'update', delete: 'delete' };

const claimsOf = ({ uid, roles = [], guest = false, claims = {} }: Caller) => ({
  uid, roles: roles.join(), isAnonymous: String(guest),
  jwt: { ...claims, ...(uid.startsWith('api-key:') && { scopes: ALL_SCOPES }), sub: uid, roles, is_anonymous: guest },
});

async function access(sql: postgres.Sql | postgres.TransactionSql, { table, row, operation, caller }: Asked): Promise<Line[]> {
  const proposed = { select: null, delete: null, insert: { id: row, ...ROWS[row] }, update: { note: 'changed' } }[operation];
  return await sql<Line[]>`select * from service.access(${table}, ${row}, ${OF_API[operation]}, ${sql.json(claimsOf(caller))}::jsonb,
    ${proposed === null ? null : sql.json(proposed)}::jsonb)`;
}

const named = (lines: Line[], part: string) => lines.find(line => line.part === part) as Line;

test('each form of rule: the answer, the request and the policies agree, and the policy that is named decides', async t => {
  const sql = await ruled(t, files);
  await sql.unsafe(`insert into member values ('1', 'o1', '${ANN}'), ('2', 'o1', 'g1'), ('3', 'o2', 'eve')`);
  for (const [name, form] of entries) await agrees(`wide_${name}`, form, isAdmin);
  for (const [name, form] of narrowing) await agrees(`narrow_${name}`, form);

  async function agrees(table: string, form: Form, passes?: (caller: Caller) => boolean): Promise<void> {
    for (const operation of operations) {
      await sql`delete from ${sql(table)}`;
      if (operation !== 'insert') for (const row of NAMES) await sql`insert into ${sql(table)} ${sql({ id: row, ...ROWS[row] })}`;
      // A request is answered with the row, which its caller has to see.
      const columns = [expected(form, operation, passes).split(' '), expected(form, 'select', passes).split(' ')];
      for (const [i, caller] of Object.values(CALLERS).entries()) {
        for (const row of NAMES) {
          const lines = await access(sql, { table, row, operation, caller });
          const answer = named(lines, 'answer');
          const what = `${table}: ${operation} of ${row} by ${caller.uid}: ${answer.message}`;
          t.equal(answer.verdict, String(columns.every(column => (column[i] ?? '').includes(row))), what);
          t.equal(named(lines, 'request').verdict, answer.verdict, `${what}, as the request`);
          t.match(answer.message, answer.verdict === 'true' ? /^allowed by \w/ : /^(?:hidden|refused): .*policy/, what);
          if (i % 3 === 0) await decides({ table, row, operation, caller }, answer, what);
        }
      }
    }
  }

  /** Turns round the policies that the answer names, and nothing else. */
  async function decides(asked: Asked, { verdict, message }: Line, what: string): Promise<void> {
    const policies = verdict === 'true' ? /^allowed by ([^,]+(?:, [^,]+)*)$/.exec(message ?? '')?.[1]?.split(', ')
      : [/(?:nearest|not true): ([^,]+), /.exec(message ?? '')?.[1] ?? 'no policy is named'];
    const undone = new Error('undone');
    await sql.begin(async sql => {
      for (const policy of policies ?? []) {
        const [{ checks } = { checks: false }] = await sql<{ checks: boolean }[]>`
          select polcmd in ('*', 'a', 'w') as checks from pg_policy where polname = ${policy} and polrelid = ${asked.table}::regclass`;
        const [{ uses } = { uses: false }] = await sql<{ uses: boolean }[]>`
          select polcmd <> 'a' as uses from pg_policy where polname = ${policy} and polrelid = ${asked.table}::regclass`;
        const turned = verdict === 'true' ? 'false' : 'true';
        await sql.unsafe(`alter policy "${policy}" on ${asked.table} ${uses ? `using (${turned})` : ''}
          ${checks ? `with check (${turned})` : ''}`);
      }
      const after = named(await access(sql, asked), 'answer');
      t.not(after.message, message, `${what}, turned round`);
      throw undone;
    }).catch((error: unknown) => { if (error !== undone) throw error; });
  }
});
