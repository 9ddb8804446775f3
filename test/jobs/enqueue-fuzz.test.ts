// Options and payloads of service.enqueue, drawn at random: refused as INVALID_INPUT, or there and done as they were given.
import type postgres from 'postgres';
import { test } from 'tap';
import type { Job } from '../../gateway/features/job.ts';
import { createDatabase } from '../harness/database.ts';
import { generator, runs, seed } from '../harness/effort.ts';
import '../harness/service.ts'; // registers the template
import { until } from '../harness/until.ts';
import { startWorker } from './worker.ts';

type Draw = (below: number) => number;

/** JSON texts, because a number of JavaScript would lose its form. */
const NUMBERS = [
  '0', '-0', '1', '3', '5.0', '5.00', '1e2', '1.0E+3', '0.5', '-1', '1e-5', '1e-400', '1e-16000', '1e400', '1e131000', '-1e131000',
  '2147483647', '2147483648', '9223372036854775808', '999999.5', '1000000', '1000001', '315360000000', '315360000000.001',
  '86400000.123456789',
  '123456789012345678901234567890.5', `0.${'0'.repeat(5_000)}1`, '9'.repeat(5_000),
];
const TIMES = [
  '2026-01-01', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00.123456789Z', '2026-01-01 00:00:00+02', '2026-01-01T24:00:00Z',
  '2026-01-01T00:00:60Z', '2026-02-30', '2026-13-01', '0000-00-00', '0001-01-01 BC', '4714-01-01 BC', '4713-01-01 BC', '9999-12-31',
  '9999-12-31T23:59:59+15:59', '2026-01-01T00:00:00+16:00', '2026-01-01T00:00:00+99:99', '2026-01-01T00:00:00+999999', '2026-01-01T25:00',
  '2026-01-01T00:00 America/New_York', '2026-01-01T00:00 Nowhere', '2026-01-01 00:00:00.1e5', '2026-01-01infinity', 'infinity', '-infinity',
  'now', 'tomorrow', 'epoch', '20260101', '2026-1-1', '2026-01-01T00:00:00Z ', ' 2026-01-01', '2026-01-0100:00', '2026-01-01999999-01',
  '99999-01-01', '2026-01-01 J2451187', '2026-01-01 P1D', '2026-01-01 allballs', `2026-01-01${' '.repeat(70_000)}`,
  `2026-01-01${'0'.repeat(70_000)}`,
];
const TEXTS = [
  '""', '" "', '"a"', '"service.x"', '"Service.x"', '"\\u0000"', '"a\\u0000b"', '"\\\\u0000"', '"\\ud83d\\ude00"', '"\\ud800"',
  '"\\udc00\\ud800"', '"\\uffff\\ufeff"', '"e\\u0301"', '"\\u202e"', `"${'q'.repeat(255)}"`, `"${'q'.repeat(256)}"`,
  `"${'😀'.repeat(255)}"`, '"\'; --"', '"%s%n"',
  '"$1"', `"${'x'.repeat(1_048_576)}"`,
];
const OTHERS = ['null', 'true', 'false', '[]', '{}', '[1]', '{"a": 1}', '[[[null]]]', '{"": {"": ""}}', 'nul', '01', '{', '', 'NaN', '1.'];
const DEEP = [100, 1_000, 20_000]
  .flatMap(depth => [`${'['.repeat(depth)}${']'.repeat(depth)}`, `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`]);
const BIG = [
  `{"${'k'.repeat(1_048_576)}": 1}`, `[${'1,'.repeat(100_000)}1]`,
  `{${Array.from({ length: 20_000 }, (_, n) => `"${n}":${n}`).join()}}`,
];
const OPTIONS = ['delayMs', 'runAt', 'maxAttempts', 'priority', 'queue', 'idempotencyKey'];
const UNKNOWN = ['', 'delay', 'DelayMs', 'delayMs ', '__proto__', 'constructor', '\\u0000', '\\ud800', 'x'.repeat(1_048_576), '%s'];

/** A cast to jsonb refuses them, before the function is called: no JSON, NUL or half a character, no number, too deep. */
const NO_JSONB = ['22P02', '22P05', '22003', '54001'];

const pick = <T>(draw: Draw, list: readonly T[]): T => list[draw(list.length)] as T;

function value(draw: Draw): string {
  const rare = draw(20) === 0 ? [...DEEP, ...BIG] : OTHERS;
  return pick(draw, [NUMBERS, NUMBERS, TIMES.map(time => JSON.stringify(time)), TEXTS, rare].map(list => pick(draw, list)));
}

/** Mostly of the right type, so that several may be there. */
function option(draw: Draw): string {
  const name = draw(15) === 0 ? pick(draw, UNKNOWN) : pick(draw, OPTIONS);
  const fitting = name === 'runAt' ? TIMES.map(time => JSON.stringify(time)) : ['queue', 'idempotencyKey'].includes(name) ? TEXTS : NUMBERS;
  return `"${name}": ${draw(5) === 0 ? value(draw) : pick(draw, fitting)}`;
}

function options(draw: Draw): string {
  return draw(12) === 0 ? value(draw) : `{${Array.from({ length: draw(4) }, () => option(draw)).join()}}`;
}

function payload(draw: Draw, depth = 0): string {
  const inner = (length: number, of: () => string) => Array.from({ length }, of).join();
  if (depth > 3 || draw(2) === 0) return value(draw);
  if (draw(2) === 0) return `[${inner(draw(4), () => payload(draw, depth + 1))}]`;
  return `{${inner(draw(4), () => `${pick(draw, TEXTS)}: ${payload(draw, depth + 1)}`)}}`;
}

test(`service.enqueue takes what it is given, or refuses it as INVALID_INPUT (RANDOM_SEED=${seed})`, async t => {
  const { sql, url } = await createDatabase(t, { template: 'served' });
  const seen = new Map<string, number>();
  const wrong: unknown[] = [];
  const count = runs(5_000);
  for (let n = 0; n < count; n++) {
    const draw = generator(seed + n);
    const given = { options: options(draw), payload: payload(draw) };
    const found = await outcome(sql, given);
    seen.set(found, (seen.get(found) ?? 0) + 1);
    if (!['put', 'there already', 'GW400 INVALID_INPUT', ...NO_JSONB].includes(found)) {
      wrong.push({ found, options: given.options.slice(0, 300), payload: given.payload.slice(0, 300) });
    }
  }
  t.same(wrong.slice(0, 3), [], `${wrong.length} of ${count}`);
  console.log(`# ${JSON.stringify(Object.fromEntries(seen))}`);
  for (const name of ['put', 'GW400 INVALID_INPUT', '22P02']) t.ok((seen.get(name) ?? 0) > count / 50, name);
  await sql`update service.jobs set run_at = now()`;
  const payloads = new Map((await sql<{ id: string; payload: string }[]>`select id, payload::text as payload from service.jobs`)
    .map(({ id, payload }) => [id, payload]));
  const other: string[] = [];
  const run = ({ id, payloadText }: Job) => {
    if (payloads.get(id) !== payloadText) other.push(id);
    return Promise.resolve();
  };
  await startWorker(t, { sql, url }, { a: { run } });
  await until('all are done', async () => (await sql`select from service.jobs where status <> 'succeeded' limit 1`).length === 0);
  t.same(other, [], 'a worker gets the payload that was given');
});

/** As the role of end users. `put`: it is in the table as it was given. */
async function outcome(sql: postgres.Sql, { options, payload }: { options: string; payload: string }): Promise<string> {
  const refused = await sql`select ${options}::text::jsonb, ${payload}::text::jsonb`.then(() => undefined, codeOf);
  if (refused !== undefined) return NO_JSONB.includes(refused) ? refused : `a cast: ${refused}`;
  return sql.begin(async transaction => {
    await transaction`set local role service_user`;
    const [put] = await transaction<{ id: string | null }[]>`
      select service.enqueue('a', ${payload}::text::jsonb, ${options}::text::jsonb) as id`;
    if (put === undefined) return 'no answer';
    await transaction`reset role`;
    const [row] = await transaction<{ is: boolean }[]>`
      select j.payload = ${payload}::text::jsonb
        and j.priority = coalesce((o ->> 'priority')::numeric, 0)
        and j.max_attempts is not distinct from (o ->> 'maxAttempts')::numeric
        and j.queue is not distinct from o ->> 'queue'
        and j.idempotency_key is not distinct from o ->> 'idempotencyKey'
        and j.run_at = coalesce((o ->> 'runAt')::timestamptz,
          now() + coalesce(round((o ->> 'delayMs')::numeric, 3), 0) * interval '1 ms') as is
      from service.jobs j
      cross join (select ${options}::text::jsonb) g (o)
      where case when ${put.id}::uuid is null then j.idempotency_key = o ->> 'idempotencyKey' else j.id = ${put.id} end`;
    return put.id === null ? row ? 'there already' : 'no id' : row?.is ? 'put' : 'put otherwise';
  }).catch(codeOf);
}

function codeOf(error: unknown): string {
  const { code, hint } = error as postgres.PostgresError;
  return code.startsWith('GW') ? `${code} ${hint}` : code;
}
