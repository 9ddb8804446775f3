// The steps of the model as functions of SQL, on a clock that is set.
import postgres from 'postgres';
import type { Test } from 'tap';
import { createDatabase } from '../harness/database.ts';
import '../harness/service.ts'; // registers the template
import { until } from '../harness/until.ts';
import type { Answer, Claim, Row, Step } from './model.ts';

/**
 * A tick is two minutes. The functions read the server's clock, so the times in the rows are moved instead, and rounded to half a tick: a
 * step takes no time.
 */
const CLOCK = `
  create schema clock;
  create table clock.zero as select clock_timestamp() as at;
  create function clock.ticks(moment timestamptz) returns float8 language sql as $$
    select round(extract(epoch from moment - z.at) / 60)::float8 / 2 from clock.zero z
  $$;
  create function clock.moment(ticks float8) returns timestamptz language sql as $$
    select z.at + ticks * interval '2 minutes' from clock.zero z
  $$;
  create function clock.show(tick float8) returns void language plpgsql as $$
  declare
    began constant timestamptz := clock_timestamp() - tick * interval '2 minutes';
  begin
    update service.jobs set run_at = began + clock.ticks(run_at) * interval '2 minutes',
      locked_at = began + clock.ticks(locked_at) * interval '2 minutes',
      updated_at = began + clock.ticks(updated_at) * interval '2 minutes';
    update clock.zero set at = began;
  end $$`;
const MINUTES = 2;

export async function openTable(t: Test) {
  const { sql, url } = await createDatabase(t, { template: 'served' });
  await sql.unsafe(CLOCK).simple();
  const sessions = Array.from({ length: 4 }, () => postgres(url, { max: 1, onnotice: () => undefined }));
  t.teardown(() => Promise.all(sessions.map(session => session.end({ timeout: 1 }))));
  const [first, second, ...holders] = sessions as [postgres.Sql, postgres.Sql, ...postgres.Sql[]];
  return { sql, first, second, holders, found, show, together };

  async function found(): Promise<Row[]> {
    const rows = await sql<Row[]>`
      select (payload ->> 'n')::integer as n, task, status, priority, queue, idempotency_key as key, attempts,
        max_attempts as "maxAttempts", clock.ticks(run_at) as "runAt", clock.ticks(locked_at) as "lockedAt", locked_by as "lockedBy",
        clock.ticks(updated_at) as "updatedAt",
        coalesce(substring(last_error from 'is gone|was not heard of'), last_error) as error, result::integer as result
      from service.jobs order by place`;
    return rows.map(row => ({ ...row }));
  }

  async function show(tick: number): Promise<void> {
    await sql`select clock.show(${tick})`;
  }

  /** The second begins when the first has done its work, which is committed once the second is done or waits for it. */
  async function together(steps: [Step, Step]): Promise<[Answer, Answer]> {
    const [backend] = await second`select pg_backend_pid() as pid`;
    const waits = async () => (await sql`
      select from unnest(pg_blocking_pids(${backend?.['pid'] as number})) limit 1`).length === 1;
    let later: Promise<Answer> = Promise.resolve(false);
    let isDone = false;
    const earlier = await first.begin<Promise<Answer>>(async transaction => {
      const answer = await refusing(transaction.savepoint(point => answerOf(point, steps[0])));
      later = ask(second, steps[1]).finally(() => { isDone = true; });
      await until('the other is done or waits', async () => isDone || await waits(), { pause: 1 });
      return answer;
    });
    return [earlier, await later];
  }
}

export function ask(sql: postgres.Sql, step: Step): Promise<Answer> {
  return refusing(answerOf(sql, step));
}

function refusing(answer: Promise<Answer>): Promise<Answer> {
  return answer.catch((error: unknown) => {
    if (error instanceof postgres.PostgresError) return error.code;
    throw error;
  });
}

async function answerOf(sql: postgres.Sql | postgres.TransactionSql, step: Step): Promise<Answer> {
  const idOf = (n: number) => sql`(select j.id from service.jobs j where j.payload ->> 'n' = ${String(n)})`;
  const claimed = ({ workerId, attempt }: Claim) => sql`jsonb_build_object('workerId', ${workerId}::text, 'attempt', ${attempt}::integer)`;
  const span = (ticks: number) => sql`make_interval(mins => ${ticks * MINUTES}::integer)`;
  const one = async (query: postgres.PendingQuery<postgres.Row[]>): Promise<Answer> => (await query)[0]?.['answer'] as Answer;
  switch (step.act) {
    case 'enqueue': {
      const { runAt, key, ...options } = step.options;
      return one(sql`
        select service.enqueue(${step.task}, ${JSON.stringify({ n: step.n })}::text::jsonb,
          ${JSON.stringify({ ...options, idempotencyKey: key ?? null })}::text::jsonb
            || jsonb_build_object('runAt', clock.moment(${runAt ?? null}))) is not null as answer`);
    }
    case 'claim': {
      const jobs = await sql<{ n: number }[]>`
        select (payload ->> 'n')::integer as n from service.job_claim(${step.most}, ${step.workerId}, ${step.tasks}) order by 1`;
      return jobs.map(({ n }) => n);
    }
    case 'complete': return one(sql`
      select service.job_complete(${idOf(step.claim.n)}, ${claimed(step.claim)}, to_jsonb(${step.claim.n}::integer)) as answer`);
    case 'fail': return one(sql`
      select service.job_fail(${idOf(step.claim.n)}, 'it failed', clock.moment(${step.retryAt}), ${claimed(step.claim)}) as answer`);
    case 'heartbeat': return one(sql`select service.job_heartbeat(${idOf(step.claim.n)}, ${claimed(step.claim)}) as answer`);
    case 'cancel': return one(sql`select service.job_cancel(${idOf(step.n)}) as answer`);
    case 'retry': return one(sql`select service.job_retry(${idOf(step.n)}) as answer`);
    case 'reap': return one(sql`select service.job_reap(${step.silence * MINUTES * 60_000}) as answer`);
    case 'sweep': return one(sql`select service.job_sweep(${span(step.succeeded)}, ${span(step.failed)}) as answer`);
  }
}
