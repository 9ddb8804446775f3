import type postgres from 'postgres';
import { CallNotBegun, CallNotSettled, type AsService } from '../../database/as-service.ts';
import { BootError } from '../../error.ts';
import { ClaimGone, jobText, NotBegun, type Handler, type Handlers, type Job } from '../job.ts';
import { TIMEOUT, type JobsSetting, type TaskSetting } from './settings-file.ts';

/** Milliseconds until a job is tried again whose function could not be called at all. */
const NOT_CALLED = 5_000;

/** The state with which service_private.finish_job() refuses. */
const CLAIM_GONE = 'GW409';

/** $1 is what the function returned. */
const FINISH = 'select service_private.finish_job($2::text::uuid, $3, $4::text::integer, $1::text::jsonb)';

/** Finds the functions of the settings. @throws BootError for each that is not there as it has to be. */
export async function findSqlHandlers(owner: postgres.Sql, { tasks = {} }: JobsSetting): Promise<Record<string, string>> {
  const found = await Promise.all(Object.entries(tasks).map(async ([task, { function: name }]) => {
    const [row] = await owner<{ call: string | null; problem: string | null }[]>`
      select call, problem from service_private.service_function(${name})`;
    return { task, call: row?.call, problem: row?.problem };
  }));
  const problems = found.filter(({ call }) => typeof call !== 'string')
    .map(({ task, problem }) => `jobs.tasks.${task}.function of the settings file: ${problem ?? 'it could not be looked up'}.`);
  if (problems.length > 0) throw new BootError(problems.join('\n'));
  return Object.fromEntries(found.map(({ task, call }) => [task, call ?? '']));
}

/** Each runs in one transaction with the record that it is done, so that its work is there exactly once. */
export function sqlHandlers(calls: Readonly<Record<string, string>>, { tasks = {} }: JobsSetting, asService: AsService): Handlers {
  return Object.fromEntries(Object.entries(tasks).map(([task, setting]) => [task, handlerOf(calls[task] ?? '', setting, asService)]));
}

function handlerOf(call: string, { maxAttempts, timeoutSeconds = TIMEOUT }: TaskSetting, asService: AsService): Handler {
  return { run, settles: true, ...(maxAttempts !== undefined && { maxAttempts }) };

  async function run(job: Job, { signal, workerId }: { signal: AbortSignal; workerId: string }): Promise<void> {
    try {
      await asService({
        call, signal, timeout: timeoutSeconds * 1_000,
        argument: jobText(job),
        settle: { text: FINISH, parameters: [job.id, workerId, String(job.attempt)] },
      });
    } catch (error) {
      if (error instanceof CallNotBegun) throw new NotBegun(error.message, NOT_CALLED, { cause: error.cause });
      const isGone = error instanceof CallNotSettled && (error.cause as { code?: string }).code === CLAIM_GONE;
      throw isGone ? new ClaimGone('Its claim is gone.') : error;
    }
  }
}
